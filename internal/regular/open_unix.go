//go:build unix

package regular

import "syscall"

// dontWait is the flag to open what may be something other than a file: a FIFO would
// wait for somebody to write to it, and a terminal would become the terminal of this
// process.
const dontWait = syscall.O_NONBLOCK | syscall.O_NOCTTY
