package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// pending is the file that is being written. Only under its lock does one come
// to be, take its place or go, so an interrupt finds it whole or not there.
var pending struct {
	sync.Mutex
	pendingFile
}

// open makes what create returns the pending file.
func open(create func() (pendingFile, error)) (pendingFile, error) {
	catchInterrupts()
	pending.Lock()
	defer pending.Unlock()
	f, err := create()
	if err == nil {
		pending.pendingFile = f
	}
	return f, err
}

func commit() error {
	pending.Lock()
	defer pending.Unlock()
	return pending.CloseAtomicallyReplace()
}

// discard removes the pending file unless it is committed.
func discard() {
	pending.Lock()
	defer pending.Unlock()
	pending.Cleanup()
	pending.pendingFile = nil
}

// notifyInterrupts returns where the signals go that may end the process.
// SIGPIPE is one: warnings may go to a pipe that nobody reads. What is
// ignored, as under nohup, stays so.
func notifyInterrupts() chan os.Signal {
	c := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE} {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
	return c
}

// awaitInterrupt returns the first signal that ends the process. SIGPIPE does so only
// where standard output or error is broken: a server that hangs up brings it about,
// too.
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

// An interrupt is why a context ended.
type interrupt struct{ os.Signal }

func (i interrupt) Error() string { return "stopped by a signal: " + i.String() }

func (i interrupt) code() int { return 128 + int(i.Signal.(syscall.Signal)) } // as a shell has it

// untilInterrupt returns a context that ends with the first signal that would
// end the process, an interrupt being its cause. The second ends the process.
func untilInterrupt() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	c := notifyInterrupts()
	go func() {
		if s := awaitInterrupt(c, ctx.Done()); s != nil {
			cancel(interrupt{s})
		}
		signal.Stop(c)
	}()
	return ctx, func() { cancel(nil) }
}

// catchInterrupts has the signals that end the process remove the pending file
// first.
var catchInterrupts = sync.OnceFunc(func() {
	c := notifyInterrupts()
	go func() {
		s := awaitInterrupt(c, nil)
		pending.Lock() // and never unlocked: nothing is replaced from here on
		if pending.pendingFile != nil {
			pending.Cleanup()
		}
		os.Exit(interrupt{s}.code())
	}()
})
