package serve

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"absolink/rewriter"
)

// metrics are what /metrics shows, in the text format of Prometheus. The client library of
// Prometheus would do the same; its initialization takes a fifth of the time in which every
// command of absolink starts, whether it serves or not.
type metrics struct {
	server  *Server
	refused atomic.Int64 // requests for which there was no room

	mu       sync.Mutex
	requests map[requestLabels]int64
	took     [len(tookBounds) + 1]int64 // requests by duration, not cumulative
	seconds  float64
	places   rewriter.Result // the sums of all documents
}

type requestLabels struct {
	path string
	code int
}

// tookBounds are the upper bounds of the durations that are told apart, in seconds.
var tookBounds = [...]float64{.001, .005, .025, .1, .5, 1, 5, 30}

func (m *metrics) request(r *http.Request, status int, took time.Duration) {
	labels := requestLabels{"other", status}
	if _, pattern := m.server.mux.Handler(r); strings.Contains(pattern, " ") { // clients make up no names
		_, labels.path, _ = strings.Cut(strings.TrimSuffix(pattern, "{$}"), " ")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests[labels]++
	m.seconds += took.Seconds()
	at, _ := slices.BinarySearch(tookBounds[:], took.Seconds())
	m.took[at]++
}

func (m *metrics) count(r *rewriter.Result) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.places.Add(*r)
}

// serve shows the metrics, where fetching is allowed, too.
func (m *metrics) serve(w http.ResponseWriter, r *http.Request) {
	if !LocalHost(r) {
		Problemf(http.StatusForbidden, "metrics are not shown for requests to %s: only to localhost or to an address", r.Host).write(w)
		return
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Write(m.text())
}

// text returns the metrics. It holds up requests, which are counted; so nobody waits here
// for a client.
func (m *metrics) text() []byte {
	var b bytes.Buffer
	family := func(name, kind, help string) {
		fmt.Fprintf(&b, "# HELP absolink_%s %s\n# TYPE absolink_%s %s\n", name, help, name, kind)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	single := func(name, kind, help string, value int64) {
		family(name, kind, help)
		fmt.Fprintf(&b, "absolink_%s %d\n", name, value)
	}
	working := m.server.jobs.documents.Load()
	single("documents_in_progress", "gauge", "Documents that are worked on.", working)
	single("documents_memory_bytes", "gauge", "Memory that the documents that are worked on may take together.", m.server.jobs.acquired.Load())
	single("documents_waiting", "gauge", "Requests whose body arrives, or that wait until a document may be worked on.", max(0, m.server.present.Load()-working))
	single("documents_refused_total", "counter", "Requests that were answered 503, because too many waited.", m.refused.Load())
	family("places_total", "counter", "Places in documents, by what became of them.")
	for i, name := range []string{"rewritten", "absolute", "left", "unresolvable"} {
		n := []int{m.places.Rewritten, m.places.Absolute, m.places.Left, m.places.Unresolvable}[i]
		fmt.Fprintf(&b, "absolink_places_total{outcome=%q} %d\n", name, n)
	}
	family("requests_total", "counter", "Requests, by path and status.")
	for _, l := range slices.SortedFunc(maps.Keys(m.requests), func(a, b requestLabels) int {
		return cmp.Or(cmp.Compare(a.path, b.path), a.code-b.code)
	}) {
		fmt.Fprintf(&b, "absolink_requests_total{path=%q,code=\"%d\"} %d\n", l.path, l.code, m.requests[l])
	}
	family("request_duration_seconds", "histogram", "How long requests took.")
	sum := int64(0)
	for i, bound := range tookBounds {
		sum += m.took[i]
		fmt.Fprintf(&b, "absolink_request_duration_seconds_bucket{le=\"%v\"} %d\n", bound, sum)
	}
	sum += m.took[len(tookBounds)]
	fmt.Fprintf(&b, "absolink_request_duration_seconds_bucket{le=\"+Inf\"} %d\nabsolink_request_duration_seconds_sum %v\nabsolink_request_duration_seconds_count %d\n", sum, m.seconds, sum)
	return b.Bytes()
}
