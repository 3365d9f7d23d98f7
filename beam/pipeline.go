package main

import (
	"context"
	"reflect"

	"absolink/beam/job"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// build makes the pipeline of a job:
//
//	plan ─▶ work
//
// With --split, work is cut ─▶ pieces ─▶ join. A job.Worker writes everything that is
// written. Only names go from step to step.
func build(s beam.Scope, o job.Options) {
	step := func(name string) beam.Scope { return s.Scope(name) }
	tasks := beam.Reshuffle(s, beam.ParDo(step("Plan"), &planFn{Options: o}, beam.Impulse(s)))
	var done beam.PCollection
	if o.Split == 0 {
		done = beam.ParDo(step("Work"), &workFn{worker{Options: o}}, tasks)
	} else {
		pieces := beam.ParDo(step("Cut"), &cutFn{worker{Options: o}}, tasks)
		ready := beam.ParDo(step("Piece"), &pieceFn{worker{Options: o}}, beam.Reshuffle(s, pieces))
		done = beam.ParDo(step("Join"), &joinFn{worker{Options: o}}, beam.GroupByKey(s, ready))
	}
	beam.ParDo0(s, end, beam.Reshuffle(s, done)) // Prism waits in a busy loop for a long step whose output leads nowhere
}

// end takes the name of an archive that has a report or a dead letter.
func end(string) {}

func init() {
	beam.RegisterFunction(end)
	for _, fn := range []any{&planFn{}, &workFn{}, &cutFn{}, &pieceFn{}, &joinFn{}} {
		beam.RegisterDoFn(fn)
	}
	for _, v := range []any{job.Task{}, job.Piece{}} {
		beam.RegisterType(reflect.TypeOf(v))
	}
}

// A worker is the part of a step that has a job.Worker.
type worker struct {
	Options job.Options
	w       *job.Worker
}

func (f *worker) Setup(ctx context.Context) (err error) {
	f.w, err = job.NewWorker(ctx, f.Options)
	return err
}

// planFn gives the archives that the manifest names.
type planFn struct{ Options job.Options }

func (f *planFn) ProcessElement(ctx context.Context, _ []byte, emit func(job.Task)) error {
	tasks, err := job.ReadManifest(ctx, f.Options.Manifest)
	for _, t := range tasks {
		emit(t)
	}
	return err
}

type workFn struct{ worker }

func (f *workFn) ProcessElement(ctx context.Context, t job.Task, emit func(string)) error {
	emit(t.Name)
	return f.w.Do(ctx, t)
}

type cutFn struct{ worker }

func (f *cutFn) ProcessElement(ctx context.Context, t job.Task, emit func(job.Piece)) error {
	pieces, err := f.w.Cut(ctx, t)
	for _, p := range pieces {
		emit(p)
	}
	return err
}

type pieceFn struct{ worker }

func (f *pieceFn) ProcessElement(ctx context.Context, p job.Piece, emit func(string, job.Piece)) error {
	emit(p.Name, p)
	return f.w.DoPiece(ctx, p)
}

type joinFn struct{ worker }

func (f *joinFn) ProcessElement(ctx context.Context, name string, next func(*job.Piece) bool, emit func(string)) error {
	var pieces []job.Piece
	for p := (job.Piece{}); next(&p); {
		pieces = append(pieces, p)
	}
	emit(name)
	return f.w.Join(ctx, pieces)
}
