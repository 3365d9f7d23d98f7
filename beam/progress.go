package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"absolink/beam/job"
)

// showProgress says how many archives are done: on a terminal in one line, elsewhere in
// a line each minute. It looks at the reports, wherever the workers run.
func showProgress(ctx context.Context, stderr io.Writer, out *job.Dir) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	start, end, every := "absolink-beam: ", "\n", time.Minute
	if isTerminal(stderr) {
		start, end, every = "\r\x1b[Kabsolink-beam: ", "", 2*time.Second
	}
	go func() {
		defer close(ended)
		for {
			select {
			case <-ctx.Done():
				if end == "" {
					fmt.Fprint(stderr, "\r\x1b[K")
				}
				return
			case <-time.After(every):
			}
			began := time.Now()
			if p, err := job.ReadProgress(ctx, out); err == nil && p.Archives > 0 {
				fmt.Fprintf(stderr, "%s%d of %d archives have a report, %d are dead%s", start, p.Done, p.Archives, p.Dead, end)
			}
			every = max(every, 20*time.Since(began)) // looking costs little
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
