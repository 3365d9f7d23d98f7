//go:build !wasip1

package main

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"absolink/rewriter/tree"
)

// sparsely is how often a line of progress is printed where the output is not a
// terminal.
const sparsely = 30 * time.Second

// startTreeProgress shows how far a tree is done: with a bar on a terminal, otherwise with
// a line now and then; with --quiet it shows nothing. end is called after the run.
func startTreeProgress(ctx context.Context, ui *ui, t *tree.Rewriter, src string) (end func()) {
	if ui.quiet {
		return func() {}
	}
	if terminal(ui.stderr) != nil {
		return startBar(ctx, ui, t, src)
	}
	files, bytes, said, start := 0, int64(0), time.Now(), time.Now()
	t.Done = func(f tree.File) {
		files++
		bytes += f.Bytes
		if files%64 == 0 && time.Since(said) >= sparsely {
			said = time.Now()
			ui.print("%d files, %.1f MB so far, %.0f files a second", files, float64(bytes)/1e6, float64(files)/time.Since(start).Seconds())
		}
	}
	return func() {}
}

// startBar shows a bar. Another walk through the tree counts the files meanwhile. Until
// that walk is done, the bar shows the number of files found so far as the total.
func startBar(ctx context.Context, ui *ui, t *tree.Rewriter, src string) (end func()) {
	var files, allFiles atomic.Int64
	line := startLine(ui, func(shown *mpb.Progress) *mpb.Bar {
		return shown.AddBar(0, mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.Any(func(decor.Statistics) string {
				return fmt.Sprintf("%d of %d files ", files.Load(), max(allFiles.Load(), files.Load()))
			}), decor.CountersKibiByte("% .1f of % .1f")),
			mpb.AppendDecorators(decor.AverageSpeed(decor.SizeB1024(0), "% .1f "), decor.AverageETA(decor.ET_STYLE_GO), decor.Name(" left")))
	})
	counting, stop := context.WithCancel(ctx)
	go func() {
		var bytes int64
		filepath.WalkDir(src, func(_ string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return counting.Err()
			}
			if info, err := e.Info(); err == nil {
				bytes += info.Size()
				if allFiles.Add(1)%256 == 0 {
					line.bar.SetTotal(bytes, false)
				}
			}
			return counting.Err()
		})
		line.bar.SetTotal(bytes, false)
	}()
	t.Done = func(f tree.File) {
		files.Add(1)
		line.bar.IncrInt64(f.Bytes)
	}
	return func() {
		stop()
		line.end()
	}
}
