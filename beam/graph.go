package main

import (
	"context"
	"reflect"
	"strings"

	"absolink/beam/job"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// buildGraph makes the host graph from the counts of all archives. Whoever waits for
// all elements of a step has them as a side input.
func buildGraph(s beam.Scope, o job.Options, done beam.PCollection) {
	begin := beam.Impulse(s)
	names := beam.Reshuffle(s, beam.ParDo(s, &beginFn{worker{Options: o}}, begin, beam.SideInput{Input: done}))
	counts := beam.CombinePerKey(s, sum, beam.ParDo(s, &readFn{worker{Options: o}}, names))

	hosts := beam.CombinePerKey(s, sum, beam.ParDo(s, hostsOf, counts))
	bounds := beam.Combine(s, &sampleFn{o.Graph}, beam.DropValue(s, hosts))
	sharded := beam.ParDo(s, &shardFn{}, hosts, beam.SideInput{Input: bounds})
	sorted := beam.ParDo(s, &sortHostsFn{worker{Options: o}}, beam.GroupByKey(s, sharded))
	vertices, ids := beam.ParDo2(s, &numberFn{worker{Options: o}}, sorted, beam.SideInput{Input: sorted})

	byFrom := beam.ParDo(s, linkOf, counts)
	byTo := beam.ParDo(s, fromIDs, beam.CoGroupByKey(s, ids, byFrom))
	links := beam.ParDo(s, toIDs, beam.CoGroupByKey(s, ids, byTo))
	edges := beam.ParDo(s, &sortEdgesFn{worker{Options: o}}, beam.GroupByKey(s, links))

	beam.ParDo0(s, &endFn{worker{Options: o}}, begin, beam.SideInput{Input: beam.Flatten(s, vertices, edges)})
}

func init() {
	for _, fn := range []any{&beginFn{}, &readFn{}, &shardFn{}, &sortHostsFn{}, &numberFn{}, &sortEdgesFn{}, &endFn{}} {
		beam.RegisterDoFn(fn)
	}
	for _, fn := range []any{sum, hostsOf, linkOf, fromIDs, toIDs} {
		beam.RegisterFunction(fn)
	}
	for _, v := range []any{sampleFn{}, boundaries{}, vertex{}, halfLink{}, job.Sample{}, job.Output{}, job.GraphEdge{}} {
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

// readFn gives the counts of an archive, by two hosts with a tab between them.
type readFn struct{ worker }

func (f *readFn) ProcessElement(ctx context.Context, name string, emit func(string, int64)) error {
	return f.w.ReadEdges(ctx, name, emit)
}

func sum(a, b int64) int64 { return a + b }

func hostsOf(edge string, _ int64, emit func(string, int64)) {
	from, to, _ := strings.Cut(edge, "\t")
	emit(from, 0)
	if to != from {
		emit(to, 0)
	}
}

// sampleFn finds the hosts at which the shards begin.
type sampleFn struct{ Shards int }

type boundaries struct{ Hosts []string }

func (f *sampleFn) CreateAccumulator() job.Sample { return job.Sample{} }

func (f *sampleFn) AddInput(s job.Sample, host string) job.Sample {
	s.Add(f.Shards, host)
	return s
}

func (f *sampleFn) MergeAccumulators(a, b job.Sample) job.Sample {
	a.Add(f.Shards, b.Hosts...)
	return a
}

func (f *sampleFn) ExtractOutput(s job.Sample) boundaries { return boundaries{s.Bounds(f.Shards)} }

// shardFn gives each host its shard.
type shardFn struct{ bounds []string }

func (f *shardFn) StartBundle(func(*boundaries) bool, func(int, string)) { f.bounds = nil }

func (f *shardFn) ProcessElement(host string, _ int64, next func(*boundaries) bool, emit func(int, string)) {
	if f.bounds == nil {
		var b boundaries
		next(&b)
		f.bounds = append([]string{}, b.Hosts...)
	}
	emit(job.ShardOf(f.bounds, host), host)
}

type sortHostsFn struct{ worker }

func (f *sortHostsFn) ProcessElement(ctx context.Context, shard int, next func(*string) bool, emit func(int, int64)) error {
	n, err := f.w.SortHosts(ctx, shard, next)
	emit(shard, n)
	return err
}

// numberFn numbers the hosts of a shard after those of the shards before it.
type numberFn struct{ worker }

// A vertex is the number of a host, and its shard.
type vertex struct {
	ID    int64
	Shard int
}

func (f *numberFn) ProcessElement(ctx context.Context, shard int, _ int64, next func(*int, *int64) bool, written func(job.Output), emit func(string, vertex)) error {
	first, other, n := int64(0), 0, int64(0)
	for next(&other, &n) {
		if other < shard {
			first += n
		}
	}
	o, err := f.w.NumberHosts(ctx, shard, first, func(host string, id int64) { emit(host, vertex{id, shard}) })
	if err == nil {
		written(o)
	}
	return err
}

// A halfLink is a link with one host known by its number.
type halfLink struct {
	Host  string // the other one, where it is not yet known
	From  vertex
	Count int64
}

// linkOf gives the links between two hosts by the first one. A link within a host makes
// a vertex, but not an edge.
func linkOf(edge string, n int64, emit func(string, halfLink)) {
	if from, to, _ := strings.Cut(edge, "\t"); from != to {
		emit(from, halfLink{Host: to, Count: n})
	}
}

func fromIDs(_ string, ids func(*vertex) bool, links func(*halfLink) bool, emit func(string, halfLink)) {
	var from vertex
	ids(&from)
	for l := (halfLink{}); links(&l); {
		emit(l.Host, halfLink{From: from, Count: l.Count})
	}
}

func toIDs(_ string, ids func(*vertex) bool, links func(*halfLink) bool, emit func(int, job.GraphEdge)) {
	var to vertex
	ids(&to)
	for l := (halfLink{}); links(&l); {
		emit(l.From.Shard, job.GraphEdge{From: l.From.ID, To: to.ID, Count: l.Count})
	}
}

type sortEdgesFn struct{ worker }

func (f *sortEdgesFn) ProcessElement(ctx context.Context, shard int, next func(*job.GraphEdge) bool, emit func(job.Output)) error {
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
