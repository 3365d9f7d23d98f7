//go:build unix

package regular

import (
	"os"
	"syscall"
)

// dontWait is the flag to open what may be something other than a file: a FIFO would
// wait for somebody to write to it, and a terminal would become the terminal of this
// process.
const dontWait = syscall.O_NONBLOCK | syscall.O_NOCTTY

// OpenRoot opens a directory. With the dot at its end, the name of a FIFO is an error at
// once, where opening it would wait.
func OpenRoot(name string) (*os.Root, error) {
	if name != "" { // "/." would be the root directory
		name += "/."
	}
	return os.OpenRoot(name)
}
