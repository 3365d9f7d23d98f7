package job

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"iter"
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

// A Sample is a choice of hosts that depends on all hosts, and on nothing else.
type Sample struct{ Hosts []string }

// SampleHosts returns a sample of the hosts of an archive.
func (w *Worker) SampleHosts(ctx context.Context, name string) (s Sample, err error) {
	var last string
	err = readTally(ctx, w.out, edgesKey(Task{Name: name}), func(edge string, _ int64) error {
		from, to, _ := strings.Cut(edge, "\t")
		if from != last {
			s.add(w.options.Graph, from)
		}
		last = from
		s.add(w.options.Graph, to)
		return nil
	})
	s.cut(w.options.Graph)
	return s, err
}

func sampleSize(shards int) int { return max(4096, 64*shards) }

func (s *Sample) add(shards int, hosts ...string) {
	s.Hosts = append(s.Hosts, hosts...)
	if len(s.Hosts) > 4*sampleSize(shards) {
		s.cut(shards)
	}
}

// cut leaves the hosts with the least hashes, each of them once.
func (s *Sample) cut(shards int) {
	hashed := make([]hashedHost, len(s.Hosts))
	for i, host := range s.Hosts {
		hashed[i] = hashedHost{hashOf(host), host}
	}
	slices.SortFunc(hashed, func(a, b hashedHost) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.host, b.host))
	})
	hashed = slices.Compact(hashed)
	s.Hosts = s.Hosts[:min(len(hashed), sampleSize(shards))]
	for i := range s.Hosts {
		s.Hosts[i] = hashed[i].host
	}
}

type hashedHost struct {
	hash uint64
	host string
}

func hashOf(host string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, host)
	return h.Sum64()
}

// Merge adds another sample.
func (s *Sample) Merge(shards int, other Sample) { s.add(shards, other.Hosts...) }

// Bounds returns the hosts at which the shards from the second one on begin.
func (s *Sample) Bounds(shards int) (bounds []string) {
	s.cut(shards)
	slices.Sort(s.Hosts)
	for i := 1; i < shards && len(s.Hosts) > 0; i++ {
		bounds = append(bounds, s.Hosts[i*len(s.Hosts)/shards])
	}
	return bounds
}

// shardOf returns the shard of a host.
func shardOf(bounds []string, host string) int {
	n, _ := slices.BinarySearchFunc(bounds, host, func(bound, host string) int {
		if bound <= host {
			return -1
		}
		return 1
	})
	return n
}

// Emit gives a block of lines to the shard that they belong to. Blocks go through the
// shuffle instead of lines, because an engine has a price for each element.
type Emit func(shard int, block []byte)

// blocks gathers lines of a shard until a block is full.
type blocks struct {
	emit    Emit
	size    int
	pending map[int][]byte
}

func (w *Worker) newBlocks(emit Emit) *blocks {
	size := min(64<<10, max(1<<10, (16<<20)/w.options.Graph)) // of all shards together, 16 MiB
	return &blocks{emit, size, map[int][]byte{}}
}

// add adds a line: a key, a tab and a number.
func (b *blocks) add(shard int, key string, n int64) {
	block := append(b.pending[shard], key...)
	block = append(strconv.AppendInt(append(block, '\t'), n, 10), '\n')
	if len(block) < b.size {
		b.pending[shard] = block
		return
	}
	b.emit(shard, block)
	delete(b.pending, shard)
}

func (b *blocks) flush() {
	for shard, block := range b.pending {
		b.emit(shard, block)
	}
}

// tallyBlocks adds up the lines of all blocks of a shard. The caller closes the tally.
func tallyBlocks(next func(*[]byte) bool) (*tally, error) {
	t := new(tally)
	for block := []byte(nil); next(&block); {
		for line := range strings.Lines(string(block)) {
			key, n, err := cutSum(line)
			if err == nil {
				err = t.add([]byte(key), n)
			}
			if err != nil {
				t.close()
				return nil, err
			}
		}
	}
	return t, nil
}

// ReadEdges gives the hosts of an archive, and its links between hosts, each to its
// shard: a link to the shard of the host that it leads from.
func (w *Worker) ReadEdges(ctx context.Context, name string, bounds []string, hosts, edges Emit) error {
	hostBlocks, edgeBlocks := w.newBlocks(hosts), w.newBlocks(edges)
	known := map[string]bool{}
	addHost := func(host string) {
		if !known[host] {
			hostBlocks.add(shardOf(bounds, host), host, 0)
			if len(known) == maxHosts {
				clear(known)
			}
			known[host] = true
		}
	}
	err := readTally(ctx, w.out, edgesKey(Task{Name: name}), func(edge string, n int64) error {
		from, to, _ := strings.Cut(edge, "\t")
		addHost(from)
		if from != to { // a link within a host makes a vertex, but not an edge
			addHost(to)
			edgeBlocks.add(shardOf(bounds, from), edge, n)
		}
		return nil
	})
	hostBlocks.flush()
	edgeBlocks.flush()
	return err
}

func hostsKey(shard int) string { return fmt.Sprintf("%shosts-%05d.gz", graphTemp, shard) }

// SortHosts sorts the hosts of a shard and returns how many there are.
func (w *Worker) SortHosts(ctx context.Context, shard int, next func(*[]byte) bool) (n int64, err error) {
	hosts, err := tallyBlocks(next)
	if err != nil {
		return 0, err
	}
	defer hosts.close()
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
func (w *Worker) NumberHosts(ctx context.Context, shard int, first int64) (Output, error) {
	return w.out.Write(ctx, w.shardName("vertices", shard), func(dst io.Writer) error {
		id := first
		return writeLines(dst, func(line func(...string) error) error {
			return readTally(ctx, w.out, hostsKey(shard), func(host string, _ int64) error {
				err := line(strconv.FormatInt(id, 10), host)
				id++
				return err
			})
		})
	})
}

var errNoHost = errors.New("a host of a link is not among the hosts of its shard")

// number calls each for every key of a shard, with the id of the host that the key
// begins with, and what follows the host. The hosts of the shard have ids from first on.
func (w *Worker) number(ctx context.Context, shard int, first int64, keys *tally, each func(id int64, rest string, n int64) error) error {
	hosts, stop := iter.Pull2(func(yield func(string, error) bool) {
		err := readTally(ctx, w.out, hostsKey(shard), func(host string, _ int64) error {
			if !yield(host, nil) {
				return io.EOF
			}
			return nil
		})
		if err != nil && err != io.EOF {
			yield("", err)
		}
	})
	defer stop()
	id, current := first-1, ""
	return keys.each(func(key string, n int64) error {
		host, rest, _ := strings.Cut(key, "\t")
		for current != host {
			next, err, ok := hosts()
			if err != nil {
				return err
			}
			if !ok {
				return errNoHost
			}
			id, current = id+1, next
		}
		return each(id, rest, n)
	})
}

// JoinFrom takes the links from the hosts of a shard, and gives each link to the shard
// of the host that it leads to, with the id of the host that it leads from.
func (w *Worker) JoinFrom(ctx context.Context, shard int, first int64, next func(*[]byte) bool, bounds []string, emit Emit) error {
	edges, err := tallyBlocks(next)
	if err != nil {
		return err
	}
	defer edges.close()
	out := w.newBlocks(emit)
	err = w.number(ctx, shard, first, edges, func(from int64, to string, n int64) error {
		out.add(shardOf(bounds, to), fmt.Sprintf("%s\t%d %016x", to, shard, from), n)
		return nil
	})
	out.flush()
	return err
}

// JoinTo takes the links to the hosts of a shard, and gives each link, with two ids, to
// the shard of the host that it leads from.
func (w *Worker) JoinTo(ctx context.Context, shard int, first int64, next func(*[]byte) bool, emit Emit) error {
	edges, err := tallyBlocks(next)
	if err != nil {
		return err
	}
	defer edges.close()
	out := w.newBlocks(emit)
	err = w.number(ctx, shard, first, edges, func(to int64, rest string, n int64) error {
		fromShard, from, _ := strings.Cut(rest, " ")
		target, err := strconv.Atoi(fromShard)
		if err == nil {
			out.add(target, fmt.Sprintf("%s%016x", from, to), n)
		}
		return err
	})
	out.flush()
	return err
}

// SortEdges writes the edges of a shard: the ids of two hosts, and how many links lead
// from one to the other.
func (w *Worker) SortEdges(ctx context.Context, shard int, next func(*[]byte) bool) (Output, error) {
	edges, err := tallyBlocks(next)
	if err != nil {
		return Output{}, err
	}
	defer edges.close()
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
