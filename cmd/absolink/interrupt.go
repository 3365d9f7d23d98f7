package main

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// temporary is the file that an interrupt must not leave behind.
var temporary struct {
	sync.Mutex
	name string
}

func setTemporary(name string) {
	temporary.Lock()
	defer temporary.Unlock()
	temporary.name = name
}

// handleInterrupts removes the temporary file, if there is one, and exits as a
// shell expects when the process is interrupted or terminated.
func handleInterrupts() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	go func() {
		s := <-c
		temporary.Lock() // and keep it: no file is replaced from here on
		if temporary.name != "" {
			os.Remove(temporary.name)
		}
		if s == syscall.SIGTERM {
			os.Exit(128 + 15)
		}
		os.Exit(128 + 2)
	}()
}
