package job

import (
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"strings"
	"sync"

	"absolink/resolver"

	"github.com/klauspost/compress/gzip"
)

// edges counts links by the hosts that they lead from and to. The counts are in shards, by
// what stands before the path in the URL of the page, so that goroutines seldom wait for
// each other.
type edges struct {
	shards [8]edgeShard
	seed   maphash.Seed
	once   sync.Mutex
	err    error // of a temporary file
}

type edgeShard struct {
	sync.Mutex
	hosts hosts
	tally tally
	key   []byte
	err   error // of the temporary file, after which nothing counts any more

	// Most links are on the page of the link before, or on one of the same host, and lead
	// where another link has led.
	page string
	from string            // the host of page
	sums map[string]*int64 // of links from that host, by what stands before the path
	runs int               // of the tally, when sums was made
}

func newEdges() *edges { return &edges{seed: maphash.MakeSeed()} }

// add counts a link from a page. Links that are not http or https do not count, but
// the host of the page does.
func (e *edges) add(page, url string) {
	origin, _ := originOf(page)
	shard := &e.shards[maphash.String(e.seed, origin)%uint64(len(e.shards))]
	shard.Lock()
	defer shard.Unlock()
	if shard.err != nil {
		return // each further try would sort all counts in vain
	}
	if shard.err = shard.add(page, url); shard.err != nil {
		e.once.Lock()
		e.err = shard.err
		e.once.Unlock()
	}
}

func (s *edgeShard) add(page, url string) error {
	if page != s.page {
		s.page = page
		if from := s.hosts.of(page); from != s.from {
			s.from = from
			clear(s.sums)
		}
	}
	if s.from == "" {
		return nil
	}
	origin, known := knownBy(url)
	if known {
		if sum := s.sums[origin]; sum != nil {
			*sum++
			return nil
		}
	}
	n, to := int64(1), s.hosts.of(url)
	if to == "" {
		n, to = 0, s.from
	}
	s.key = append(append(append(s.key[:0], s.from...), '\t'), to...)
	sum, err := s.tally.sum(s.key)
	if err != nil {
		return err
	}
	*sum += n
	if s.sums == nil || len(s.sums) == maxHosts || s.runs != len(s.tally.runs) {
		s.sums, s.runs = map[string]*int64{}, len(s.tally.runs)
	}
	if known && n > 0 {
		s.sums[strings.Clone(origin)] = sum
	}
	return nil
}

// sums returns the counts of all shards, which have to be added up: the keys of several
// shards may be the same.
func (e *edges) sums() []*tally {
	all := make([]*tally, len(e.shards))
	for i := range e.shards {
		all[i] = &e.shards[i].tally
	}
	return all
}

func (e *edges) close() {
	for _, t := range e.sums() {
		t.close()
	}
}

// writeTally writes the sums of several tallies, compressed: a key, a tab and the sum
// on each line, sorted.
func writeTally(dst io.Writer, all []*tally) error {
	sum := new(tally)
	defer sum.close()
	for _, t := range all {
		err := t.each(func(key string, n int64) error { return sum.add([]byte(key), n) })
		if err != nil {
			return err
		}
	}
	z, _ := gzip.NewWriterLevel(dst, gzip.BestSpeed)
	err := sum.each(func(key string, n int64) error {
		_, err := fmt.Fprintf(z, "%s\t%d\n", key, n)
		return err
	})
	if err != nil {
		return err
	}
	return z.Close()
}

// hosts finds the hosts of URLs. The zero value is ready to use.
type hosts struct {
	known map[string]string // by what stands before the path
}

const (
	maxHosts  = 1 << 14 // how many hosts are known at a time
	maxHost   = 254     // how long a host is, as DNS has it: 253 bytes, and a dot at the end
	maxOrigin = 1 << 9  // how long an origin is, with a user, for its host to be known
)

// of returns the host of a URL as browsers see it, reversed: com.example.www. It is ""
// for a URL that is not http or https, and for a host longer than any that can exist.
func (h *hosts) of(url string) string {
	origin, known := knownBy(url)
	if !known {
		return reversedHost(url)
	}
	host, ok := h.known[origin]
	if !ok {
		host = reversedHost(origin)
		if h.known == nil || len(h.known) == maxHosts {
			h.known = map[string]string{}
		}
		h.known[strings.Clone(origin)] = host
	}
	return host
}

// knownBy returns what stands before the path of a URL, if its host is known by that.
func knownBy(url string) (origin string, ok bool) {
	origin, plain := originOf(url)
	return origin, plain && len(origin) <= maxOrigin
}

// originOf returns what stands before the path of a URL. plain says that the rest of
// the URL does not matter for its host.
func originOf(url string) (origin string, plain bool) {
	rest, ok := strings.CutPrefix(url, "http")
	if !ok {
		return "", false
	}
	rest = strings.TrimPrefix(rest, "s")
	if rest, ok = strings.CutPrefix(rest, "://"); !ok {
		return "", false
	}
	end := strings.IndexAny(rest, "/?#\\\t\n\r")
	switch {
	case end < 0:
		return url, true
	case end == 0 || rest[end] != '/' && rest[end] != '?' && rest[end] != '#':
		return "", false
	}
	return url[:len(url)-len(rest)+end], true
}

// reversedHost finds the host of a URL with the parser of the URL Standard.
func reversedHost(url string) string {
	base, err := resolver.ParseBase(url, resolver.WHATWG)
	if err != nil {
		return ""
	}
	origin, ok := originOf(base.String())
	if !ok {
		return ""
	}
	_, host, _ := strings.Cut(origin, "://")
	host = host[strings.LastIndexByte(host, '@')+1:]
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		host = host[:i]
	}
	if len(host) > maxHost {
		return ""
	}
	return reverse(host)
}

// reverse returns the labels of a domain in reverse order. An address stays as it is.
func reverse(host string) string {
	if strings.HasPrefix(host, "[") || isIPv4(host) {
		return host
	}
	labels := strings.Split(host, ".")
	slices.Reverse(labels)
	return strings.Join(labels, ".")
}

// isIPv4 reports whether a host of the URL Standard is an IPv4 address: no domain ends
// in a number there.
func isIPv4(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	return last != "" && strings.Trim(last, "0123456789") == ""
}
