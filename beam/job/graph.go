package job

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// The host graph is made by the engine of what is in the counts of the archives, which
// stay from run to run. Hosts are in order over all shards: each shard has those from
// one bound to the next. This file has what a worker does for a shard.

// A Done is an archive that is done.
type Done struct {
	Name  string
	Stamp string // names its content
}

// A graphReport is the report of the graph, written last.
type graphReport struct {
	Stamp   string   `json:"stamp"` // names the archives and options
	Outputs []Output `json:"outputs"`
}

// BeginGraph returns the names of the archives whose counts make the graph. It returns
// none if there is a graph of the same archives.
func (w *Worker) BeginGraph(ctx context.Context, done []Done) (names []string, err error) {
	slices.SortFunc(done, func(a, b Done) int { return cmp.Compare(a.Name, b.Name) })
	b, err := json.Marshal([]any{w.hash, w.options.Graph, done})
	if err != nil {
		return nil, err
	}
	stamp := fmt.Sprintf("%x", sha256.Sum256(b))
	if valid, err := w.validGraph(ctx, stamp); valid || err != nil {
		return nil, err
	}
	for _, prefix := range []string{graphKey, graphTemp, "graph/"} {
		if err := w.out.Remove(ctx, prefix); err != nil {
			return nil, err
		}
	}
	for _, d := range done {
		names = append(names, d.Name)
	}
	return names, w.out.WriteJSON(ctx, graphTemp+"begun.json", graphReport{Stamp: stamp})
}

func (w *Worker) validGraph(ctx context.Context, stamp string) (bool, error) {
	var g graphReport
	ok, err := w.out.ReadJSON(ctx, graphKey, &g)
	if !ok || err != nil || g.Stamp != stamp {
		return false, err
	}
	for _, o := range g.Outputs {
		if ok, err := w.out.Has(ctx, o); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// ReadEdges gives the counts of an archive: two reversed hosts, apart by a tab, and how
// many links lead from one to the other.
func (w *Worker) ReadEdges(ctx context.Context, name string, emit func(edge string, n int64)) error {
	return readTally(ctx, w.out, edgesKey(Task{Name: name}), func(edge string, n int64) error {
		emit(edge, n)
		return nil
	})
}

// A Sample is a choice of hosts that depends on all hosts, and on nothing else.
type Sample struct{ Hosts []string }

func sampleSize(shards int) int { return max(4096, 64*shards) }

// Add adds hosts, each of which is added once to one of the samples that are merged.
func (s *Sample) Add(shards int, hosts ...string) {
	s.Hosts = append(s.Hosts, hosts...)
	if len(s.Hosts) > 2*sampleSize(shards) {
		s.cut(shards)
	}
}

// cut leaves the hosts with the least hashes.
func (s *Sample) cut(shards int) {
	slices.SortFunc(s.Hosts, func(a, b string) int {
		return cmp.Or(cmp.Compare(hashOf(a), hashOf(b)), cmp.Compare(a, b))
	})
	s.Hosts = s.Hosts[:min(len(s.Hosts), sampleSize(shards))]
}

func hashOf(host string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, host)
	return h.Sum64()
}

// Bounds returns the hosts at which the shards from the second one on begin.
func (s *Sample) Bounds(shards int) (bounds []string) {
	s.cut(shards)
	slices.Sort(s.Hosts)
	for i := 1; i < shards && len(s.Hosts) > 0; i++ {
		bounds = append(bounds, s.Hosts[i*len(s.Hosts)/shards])
	}
	return bounds
}

// ShardOf returns the shard of a host.
func ShardOf(bounds []string, host string) int {
	n, _ := slices.BinarySearchFunc(bounds, host, func(bound, host string) int {
		if bound <= host {
			return -1
		}
		return 1
	})
	return n
}

func hostsKey(shard int) string { return fmt.Sprintf("%shosts-%05d.gz", graphTemp, shard) }

// SortHosts sorts the hosts of a shard and returns how many there are.
func (w *Worker) SortHosts(ctx context.Context, shard int, next func(*string) bool) (n int64, err error) {
	hosts := new(tally)
	defer hosts.close()
	for host := ""; next(&host); {
		if err := hosts.add([]byte(host), 0); err != nil {
			return 0, err
		}
	}
	_, err = w.out.Write(ctx, hostsKey(shard), func(dst io.Writer) error {
		n = 0
		return writeLines(dst, func(line func(...string) error) error {
			return hosts.each(func(host string, _ int64) error {
				n++
				return line(host, "0")
			})
		})
	})
	return n, err
}

// shardName returns the name of a file of the graph.
func (w *Worker) shardName(kind string, shard int) string {
	return fmt.Sprintf("graph/%s-%05d-of-%05d.tsv.gz", kind, shard, w.options.Graph)
}

// NumberHosts writes the vertices of a shard, numbered from first on: an id and a host
// on each line.
func (w *Worker) NumberHosts(ctx context.Context, shard int, first int64, emit func(host string, id int64)) (Output, error) {
	return w.out.Write(ctx, w.shardName("vertices", shard), func(dst io.Writer) error {
		id := first
		return writeLines(dst, func(line func(...string) error) error {
			return readTally(ctx, w.out, hostsKey(shard), func(host string, _ int64) error {
				emit(host, id)
				err := line(strconv.FormatInt(id, 10), host)
				id++
				return err
			})
		})
	})
}

// A GraphEdge says how many links lead from one host to another.
type GraphEdge struct{ From, To, Count int64 }

// SortEdges writes the edges of a shard: the ids of two hosts, and how many links lead
// from one to the other.
func (w *Worker) SortEdges(ctx context.Context, shard int, next func(*GraphEdge) bool) (Output, error) {
	edges := new(tally)
	defer edges.close()
	for e := (GraphEdge{}); next(&e); {
		if err := edges.add(fmt.Appendf(nil, "%016x%016x", e.From, e.To), e.Count); err != nil {
			return Output{}, err
		}
	}
	return w.out.Write(ctx, w.shardName("edges", shard), func(dst io.Writer) error {
		return writeLines(dst, func(line func(...string) error) error {
			return edges.each(func(key string, n int64) error {
				from, err := strconv.ParseInt(key[:16], 16, 64)
				if err != nil {
					return err
				}
				to, err := strconv.ParseInt(key[16:], 16, 64)
				if err != nil {
					return err
				}
				return line(strconv.FormatInt(from, 10), strconv.FormatInt(to, 10), strconv.FormatInt(n, 10))
			})
		})
	})
}

// writeLines writes compressed lines, with tabs between the fields.
func writeLines(dst io.Writer, write func(line func(fields ...string) error) error) error {
	z, _ := gzip.NewWriterLevel(dst, gzip.BestSpeed)
	lines := bufio.NewWriter(z)
	err := write(func(fields ...string) error {
		_, err := lines.WriteString(strings.Join(fields, "\t") + "\n")
		return err
	})
	if err != nil {
		return err
	}
	if err := lines.Flush(); err != nil {
		return err
	}
	return z.Close()
}

// EndGraph writes the report of the graph, after empty files for shards that have
// nothing.
func (w *Worker) EndGraph(ctx context.Context, outputs []Output) error {
	var g graphReport
	ok, err := w.out.ReadJSON(ctx, graphTemp+"begun.json", &g)
	if !ok || err != nil {
		return err // it was ended before
	}
	byKey := map[string]Output{}
	for _, o := range outputs {
		byKey[o.Key] = o
	}
	for _, kind := range []string{"vertices", "edges"} {
		for shard := range w.options.Graph {
			key := w.shardName(kind, shard)
			o, ok := byKey[key]
			if !ok {
				o, err = w.out.Write(ctx, key, func(dst io.Writer) error {
					return writeLines(dst, func(func(...string) error) error { return nil })
				})
				if err != nil {
					return err
				}
			}
			g.Outputs = append(g.Outputs, o)
		}
	}
	if err := w.out.WriteJSON(ctx, graphKey, g); err != nil {
		return err
	}
	return w.out.Remove(ctx, graphTemp)
}
