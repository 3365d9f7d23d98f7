//go:build unix

package outfile

import "golang.org/x/sys/unix"

// outputIsBroken reports whether nobody reads standard output or standard error any
// more.
func outputIsBroken() bool {
	fds := []unix.PollFd{{Fd: 1}, {Fd: 2}}
	if _, err := unix.Poll(fds, 0); err != nil {
		return false
	}
	return (fds[0].Revents|fds[1].Revents)&(unix.POLLERR|unix.POLLHUP) != 0
}
