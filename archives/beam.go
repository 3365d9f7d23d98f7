package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"absolink/archives/job"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
)

// validateBeam reports which options of Beam cannot be used together.
func validateBeam() error {
	if isSet("dry_run") && flag.Lookup("runner").Value.String() != "dataflow" {
		return errors.New("--dry_run is for --runner dataflow")
	}
	if strings.EqualFold(*jobopts.EnvironmentType, "process") && *jobopts.EnvironmentConfig == "" {
		return errors.New(`--environment_type PROCESS needs --environment_config '{"command": "/path/of/a/program"}', which starts a worker`)
	}
	return nil
}

// pipeline does the tasks of a job on an engine of Beam. w is nil if the job is only printed.
func pipeline(ctx context.Context, w *job.Worker) error {
	if runtime.GOOS == "linux" && *jobopts.WorkerBinary == "" {
		*jobopts.WorkerBinary, _ = os.Executable()
	}
	p, s := beam.NewPipelineWithRoot()
	build(s, *options)
	if w == nil {
		return beamx.Run(ctx, p)
	}
	last := new(lastLine)
	slog.SetDefault(slog.New(slog.NewTextHandler(last, nil))) // each layer of Beam would print the error of a step
	done, begun := make(chan error, 1), make(chan error, 1)
	go func() { done <- beamx.Run(ctx, p) }()
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin/3)
		defer cancel()
		job.Wait(ctx)
	}()
	go func() { begun <- waitForWorkers(ctx, w) }()
	for {
		select {
		case <-ctx.Done():
			select {
			case <-done:
			case <-time.After(stopWithin / 3): // elsewhere, it goes on
			}
			return ctx.Err()
		case err := <-done:
			if err != nil {
				err = cmp.Or(job.FaultOf(options), errors.New(oneLine(err.Error())))
			}
			return err
		case err := <-begun:
			if err != nil {
				return fmt.Errorf("%w; cancel the job there before the next start; the last line of the engine is: %s", err, last)
			}
		}
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// startWithin is how long an engine may take to start a worker.
var startWithin = 15 * time.Minute

// waitForWorkers returns an error if no worker begins in time.
func waitForWorkers(ctx context.Context, w *job.Worker) error {
	late := time.After(startWithin)
	var err error
	for begun := false; !begun; begun, err = w.HasBegun(ctx) {
		select {
		case <-ctx.Done():
			return nil
		case <-late:
			return cmp.Or(err, fmt.Errorf("no worker has begun after %v (--start-within)", startWithin))
		case <-time.After(min(startWithin/4, 10*time.Second)):
		}
	}
	return nil
}

// A lastLine keeps the last warning or error that is logged, and otherwise the last line.
type lastLine struct{ line, warning atomic.Pointer[string] }

func (l *lastLine) Write(b []byte) (int, error) {
	line := oneLine(string(b))
	l.line.Store(&line)
	if strings.Contains(line, "level=WARN") || strings.Contains(line, "level=ERROR") {
		l.warning.Store(&line)
	}
	return len(b), nil
}

func (l *lastLine) String() string {
	if line := cmp.Or(l.warning.Load(), l.line.Load()); line != nil {
		return *line
	}
	return "none"
}

// build makes the pipeline of a job: plan ─▶ do. Only the lines of tasks go from step to step.
func build(s beam.Scope, o job.Options) {
	tasks := beam.Reshuffle(s, beam.ParDo(s.Scope("Plan"), &planFn{worker{Options: o}}, beam.Impulse(s)))
	done := beam.ParDo(s.Scope("Do"), &doFn{worker{Options: o}}, tasks)
	beam.ParDo0(s, end, beam.Reshuffle(s, done)) // Prism waits in a busy loop for a long step whose output leads nowhere
}

// end takes a task that is done.
func end(string) {}

func init() {
	beam.RegisterFunction(end)
	beam.RegisterDoFn(&planFn{})
	beam.RegisterDoFn(&doFn{})
}

// A worker is the part of a step that has a job.Worker.
type worker struct {
	Options job.Options
	w       *job.Worker
}

func (f *worker) Setup(ctx context.Context) (err error) {
	f.w, err = job.NewWorker(ctx, &f.Options)
	return err
}

// planFn gives the tasks of the job.
type planFn struct{ worker }

func (f *planFn) ProcessElement(ctx context.Context, _ []byte, emit func(string)) error {
	if err := f.w.Begin(ctx); err != nil {
		return err
	}
	archives, err := job.ReadManifest(ctx, &f.Options)
	if err != nil {
		return err
	}
	tasks, err := f.w.Tasks(ctx, archives)
	for _, t := range tasks {
		emit(t.String())
	}
	return err
}

// doFn does a task.
type doFn struct{ worker }

func (f *doFn) ProcessElement(ctx context.Context, line string, emit func(string)) error {
	t, err := job.ParseTask(line)
	if err != nil {
		return err
	}
	emit(line)
	return f.w.Do(ctx, t)
}
