package outfile

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"absolink/cmd/absolink/internal/console"
	"absolink/internal/pending"
)

// notifyInterrupts returns a channel of the signals that may end the process.
// SIGPIPE is one of them: warnings may go to a pipe that nobody reads. Signals that
// are ignored, as under nohup, stay ignored.
func notifyInterrupts() chan os.Signal {
	c := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE} {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
	return c
}

// awaitInterrupt returns the first signal that ends the process. SIGPIPE ends it only
// if standard output or standard error is broken: a server that hangs up causes that
// signal, too.
func awaitInterrupt(c <-chan os.Signal, done <-chan struct{}) os.Signal {
	for {
		select {
		case s := <-c:
			if s != syscall.SIGPIPE || outputIsBroken() {
				return s
			}
		case <-done:
			return nil
		}
	}
}

// An Interrupt is why a context ended.
type Interrupt struct{ os.Signal }

func (i Interrupt) Error() string { return "stopped by a signal: " + i.String() }

func (i Interrupt) Code() int { return 128 + int(i.Signal.(syscall.Signal)) } // as a shell has it

// UntilInterrupt returns a context that the first signal ends which would end the
// process; its cause is an interrupt. The second signal ends the process.
func UntilInterrupt() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	c := notifyInterrupts()
	go func() {
		if s := awaitInterrupt(c, ctx.Done()); s != nil {
			cancel(Interrupt{s})
		}
		signal.Stop(c)
	}()
	return ctx, func() { cancel(nil) }
}

// CatchInterrupts has the signals that end the process remove the pending files, and
// the line of progress, before they do.
var CatchInterrupts = sync.OnceFunc(func() {
	c := notifyInterrupts()
	go func() {
		s := awaitInterrupt(c, nil)
		pending.RemoveAll()
		console.EndLine()
		os.Exit(Interrupt{s}.Code())
	}()
})
