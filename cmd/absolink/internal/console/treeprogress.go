package console

import (
	"fmt"
	"sync/atomic"
	"time"

	"absolink/rewriter/tree"
)

// sparsely is how often a line of progress is printed where the output is not a
// terminal.
const sparsely = 30 * time.Second

// StartTreeProgress shows how much of a tree is done: in a line on a terminal, otherwise with
// a line now and then; with --quiet it shows nothing. end is called after the run.
func StartTreeProgress(ui *UI, t *tree.Rewriter) (end func()) {
	if ui.Quiet {
		return func() {}
	}
	var files, bytes atomic.Int64
	start := time.Now()
	text := func() string {
		n := files.Load()
		return fmt.Sprintf("%d files, %.1f MB so far, %.0f files a second", n, float64(bytes.Load())/1e6, float64(n)/time.Since(start).Seconds())
	}
	said, onTerminal := start, Terminal(ui.Stderr) != nil
	t.Done = func(f tree.File) {
		bytes.Add(f.Bytes)
		if n := files.Add(1); !onTerminal && n%64 == 0 && time.Since(said) >= sparsely {
			said = time.Now()
			ui.Print("%s", text())
		}
	}
	if onTerminal {
		return startLine(ui, text).end
	}
	return func() {}
}
