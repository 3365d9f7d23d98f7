// Package panics passes on how a function ended that did not return, from the goroutine in
// which that happened to the goroutine that waits for it. A panic in a goroutine of a
// library would otherwise end the program, and no caller could recover.
package panics

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
)

// caught says how a function ended that did not return.
type caught struct {
	value any // of the panic; nil after runtime.Goexit
	stack []byte
}

func (c *caught) Error() string { return fmt.Sprint("panic: ", c.value) }

// Catch calls f. If f does not return, *err says so to Pass. A panic ends in Catch; after
// runtime.Goexit, only deferred functions run on.
func Catch(err *error, f func()) {
	returned := false
	defer func() {
		if !returned {
			*err = &caught{recover(), debug.Stack()}
		}
	}()
	f()
	returned = true
}

// Pass ends as the function has that Catch called, if err is, or wraps, the error of Catch:
// with a panic of the same value, or with runtime.Goexit. If nobody recovers, the program
// also prints the stack of that function. With any other error, Pass does nothing.
func Pass(err error) {
	var c *caught
	if !errors.As(err, &c) {
		return
	}
	if c.value == nil {
		runtime.Goexit()
	}
	defer panic(c.value) // takes the place of the panic that follows, which is printed with it
	panic("in another goroutine, at\n" + string(c.stack))
}
