package main

import (
	"context"
	"reflect"

	"absolink/beam/job"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// buildGraph makes the host graph from the counts of all archives. Each grouping brings
// together what belongs to a shard. A step that waits for all elements of another step
// has them as a side input.
func buildGraph(s beam.Scope, o job.Options, done beam.PCollection) {
	begin := beam.Impulse(s)
	names := beam.Reshuffle(s, beam.ParDo(s, &beginFn{worker{Options: o}}, begin, beam.SideInput{Input: done}))
	samples := beam.ParDo(s, &sampleFn{worker{Options: o}}, names)
	bounds := beam.SideInput{Input: beam.Combine(s, &boundsFn{o.Graph}, samples)}
	hosts, links := beam.ParDo2(s, &readFn{worker{Options: o}}, names, bounds)

	sorted := beam.ParDo(s, &sortHostsFn{worker{Options: o}}, beam.GroupByKey(s, hosts))
	sizes := beam.SideInput{Input: sorted}
	vertices := beam.ParDo(s, &numberFn{worker{Options: o}}, sorted, sizes)

	byTo := beam.ParDo(s, &fromFn{worker{Options: o}}, beam.GroupByKey(s, links), sizes, bounds)
	byFrom := beam.ParDo(s, &toFn{worker{Options: o}}, beam.GroupByKey(s, byTo), sizes)
	edges := beam.ParDo(s, &sortEdgesFn{worker{Options: o}}, beam.GroupByKey(s, byFrom))

	beam.ParDo0(s, &endFn{worker{Options: o}}, begin, beam.SideInput{Input: beam.Flatten(s, vertices, edges)})
}

func init() {
	for _, fn := range []any{&beginFn{}, &sampleFn{}, &readFn{}, &sortHostsFn{}, &numberFn{}, &fromFn{}, &toFn{}, &sortEdgesFn{}, &endFn{}} {
		beam.RegisterDoFn(fn)
	}
	for _, v := range []any{boundsFn{}, boundaries{}, job.Sample{}, job.Output{}} {
		beam.RegisterType(reflect.TypeOf(v))
	}
}

type beginFn struct{ worker }

func (f *beginFn) ProcessElement(ctx context.Context, _ []byte, next func(*job.Done) bool, emit func(string)) error {
	var done []job.Done
	for d := (job.Done{}); next(&d); {
		done = append(done, d)
	}
	names, err := f.w.BeginGraph(ctx, done)
	for _, name := range names {
		emit(name)
	}
	return err
}

type sampleFn struct{ worker }

func (f *sampleFn) ProcessElement(ctx context.Context, name string) (job.Sample, error) {
	return f.w.SampleHosts(ctx, name)
}

// boundsFn finds the hosts at which the shards begin.
type boundsFn struct{ Shards int }

type boundaries struct{ Hosts []string }

func (f *boundsFn) CreateAccumulator() job.Sample { return job.Sample{} }

func (f *boundsFn) AddInput(s, other job.Sample) job.Sample { return f.MergeAccumulators(s, other) }

func (f *boundsFn) MergeAccumulators(s, other job.Sample) job.Sample {
	s.Merge(f.Shards, other)
	return s
}

func (f *boundsFn) ExtractOutput(s job.Sample) boundaries { return boundaries{s.Bounds(f.Shards)} }

// readFn gives the hosts and the links of an archive to their shards.
type readFn struct{ worker }

func (f *readFn) ProcessElement(ctx context.Context, name string, next func(*boundaries) bool, hosts, links func(int, []byte)) error {
	var b boundaries
	next(&b)
	return f.w.ReadEdges(ctx, name, b.Hosts, hosts, links)
}

type sortHostsFn struct{ worker }

func (f *sortHostsFn) ProcessElement(ctx context.Context, shard int, next func(*[]byte) bool, emit func(int, int64)) error {
	n, err := f.w.SortHosts(ctx, shard, next)
	emit(shard, n)
	return err
}

// before returns how many hosts are in the shards before one.
func before(shard int, next func(*int, *int64) bool) (sum int64) {
	for other, n := 0, int64(0); next(&other, &n); {
		if other < shard {
			sum += n
		}
	}
	return sum
}

type numberFn struct{ worker }

func (f *numberFn) ProcessElement(ctx context.Context, shard int, _ int64, sizes func(*int, *int64) bool, emit func(job.Output)) error {
	o, err := f.w.NumberHosts(ctx, shard, before(shard, sizes))
	if err == nil {
		emit(o)
	}
	return err
}

// fromFn replaces the name of the host that links by its id; toFn replaces the name of
// the host that is linked to.
type fromFn struct{ worker }

func (f *fromFn) ProcessElement(ctx context.Context, shard int, next func(*[]byte) bool, sizes func(*int, *int64) bool, bounds func(*boundaries) bool, emit func(int, []byte)) error {
	var b boundaries
	bounds(&b)
	return f.w.JoinFrom(ctx, shard, before(shard, sizes), next, b.Hosts, emit)
}

type toFn struct{ worker }

func (f *toFn) ProcessElement(ctx context.Context, shard int, next func(*[]byte) bool, sizes func(*int, *int64) bool, emit func(int, []byte)) error {
	return f.w.JoinTo(ctx, shard, before(shard, sizes), next, emit)
}

type sortEdgesFn struct{ worker }

func (f *sortEdgesFn) ProcessElement(ctx context.Context, shard int, next func(*[]byte) bool, emit func(job.Output)) error {
	o, err := f.w.SortEdges(ctx, shard, next)
	if err == nil {
		emit(o)
	}
	return err
}

type endFn struct{ worker }

func (f *endFn) ProcessElement(ctx context.Context, _ []byte, next func(*job.Output) bool) error {
	var outputs []job.Output
	for o := (job.Output{}); next(&o); {
		outputs = append(outputs, o)
	}
	return f.w.EndGraph(ctx, outputs)
}
