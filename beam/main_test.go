package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"absolink/beam/internal/sample"
	"absolink/beam/job"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
)

// asCommand is the variable of the environment that makes the command of this test.
const asCommand = "ABSOLINK_BEAM_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	flag.Parse()
	log.SetupLogging("error", "text")
	beam.Init()
	os.Exit(m.Run())
}

// runJob runs a job in this process and returns its exit code and what it prints.
func runJob(t *testing.T, o job.Options) (code int, stderr string) {
	t.Helper()
	o.Attempts, o.Level = 3, 1
	*options = o
	var b bytes.Buffer
	code = run(context.Background(), &b)
	return code, b.String()
}

// archives writes archives and a manifest of them, whose name it returns.
func archives(t *testing.T, n int, more ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		write(t, filepath.Join(dir, fmt.Sprintf("%02d.warc.gz", i)), sample.Archive(uint64(i), 20))
	}
	name := filepath.Join(dir, "manifest")
	write(t, name, []byte(strings.Join(append([]string{filepath.Join(dir, "*.warc.gz")}, more...), "\n")))
	return name
}

func write(t *testing.T, name string, b []byte) {
	t.Helper()
	if err := os.WriteFile(name, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// tree returns the files in a directory.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			var b []byte
			b, err = os.ReadFile(name)
			files[strings.TrimPrefix(name, dir)] = string(b)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Two runs, and runs with 1, 4 and 33 parts of each archive, write the same files.
func TestSameFiles(t *testing.T) {
	o := job.Options{Manifest: archives(t, 5), Convert: true, List: "jsonl", Graph: 3}
	o.Out = t.TempDir()
	if code, stderr := runJob(t, o); code != exitDone || !strings.Contains(stderr, "5 archives in, 5 done, 0 dead; 120 records in, 120 accounted for") {
		t.Fatalf("%d, %s", code, stderr)
	}
	want := tree(t, o.Out)
	size := int64(len(sample.Archive(0, 20)))
	for _, parts := range []int64{0, 1, 4, 33} {
		o.Out, o.Split = t.TempDir(), 0
		if parts > 0 {
			o.Split = max(size/parts, 1024)
		}
		if code, stderr := runJob(t, o); code != exitDone {
			t.Fatalf("%d parts: %d, %s", parts, code, stderr)
		}
		sample.Compare(t, tree(t, o.Out), want)
	}
	if code, stderr := runJob(t, o); code != exitDone {
		t.Fatalf("again: %d, %s", code, stderr)
	}
	sample.Compare(t, tree(t, o.Out), want)
}

// The graph has what the list has, computed by sorting, counting, and the URLs of the
// standard library.
func TestGraph(t *testing.T) {
	o := job.Options{Manifest: archives(t, 4), List: "jsonl", Graph: 5, Out: t.TempDir()}
	if code, stderr := runJob(t, o); code != exitDone {
		t.Fatalf("%d, %s", code, stderr)
	}
	vertices, edges := wantedGraph(t, o.Out, hostOf)
	checkGraph(t, o, vertices, edges)

	// A larger manifest makes another graph, and fewer shards leave none of the old.
	o.Manifest, o.Graph = archives(t, 6), 1
	if code, stderr := runJob(t, o); code != exitDone {
		t.Fatalf("%d, %s", code, stderr)
	}
	vertices, edges = wantedGraph(t, o.Out, hostOf)
	checkGraph(t, o, vertices, edges)
	if files, _ := filepath.Glob(filepath.Join(o.Out, "graph", "*")); len(files) != 2 {
		t.Error(files)
	}
}

// wantedGraph computes the graph from the lists.
func wantedGraph(t *testing.T, out string, hostOf func(url string) string) (vertices []string, edges map[string]int) {
	hosts := map[string]bool{}
	edges = map[string]int{}
	for name, text := range tree(t, filepath.Join(out, "list")) {
		for line := range strings.Lines(text) {
			var place struct{ Page, URL string }
			if err := json.Unmarshal([]byte(line), &place); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			from, to := hostOf(place.Page), hostOf(place.URL)
			if from == "" {
				continue
			}
			hosts[from] = true
			if to != "" && to != from {
				hosts[to] = true
				edges[from+" "+to]++
			}
		}
	}
	for host := range hosts {
		vertices = append(vertices, host)
	}
	slices.Sort(vertices)
	return vertices, edges
}

func hostOf(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	switch host := strings.ToLower(u.Hostname()); host {
	case "0x7f.1":
		return "127.0.0.1"
	case "::1":
		return "[::1]"
	case "b\u00fccher.example":
		return "example.xn--bcher-kva"
	default:
		last := host[strings.LastIndex(host, ".")+1:]
		if last != "" && strings.Trim(last, "0123456789") == "" {
			return host // an address
		}
		labels := strings.Split(host, ".")
		slices.Reverse(labels)
		return strings.Join(labels, ".")
	}
}

// With NODE set, the graph is also compared with the hosts that npm's whatwg-url finds,
// in URLs of many kinds.
func TestGraphNode(t *testing.T) {
	node := os.Getenv("NODE")
	if node == "" {
		t.Skip("NODE does not name node")
	}
	m := archives(t, 2)
	var page strings.Builder
	for _, url := range []string{
		"http://B\u00dcCHER.example/x", "http://%62.example", "//0x7F.1/", "https://u:p@W1.Ex.org:443/", "http://fa\u00df.de/",
		"http://xn--a.example/", "http://a_b.example/", "http://1.2.3/", "http:/c.example", "http:\\\\d.example\\x", " http://e.example ",
		"http://f\t.example/", "http://[::1]/", "http://\uff47.example/", "http://a b.example/", "http://h.example.:80", "ftp://i.example/",
		"http://\u65e5\u672c.example/", "http://a..b/", "http://-x.example/", "http:///k.example", "http://u@v@l.example?x@y",
	} {
		fmt.Fprintf(&page, "<a href='%s'>x</a>", url)
	}
	write(t, filepath.Join(filepath.Dir(m), "x.warc.gz"), sample.Record("response", "http://P.example:8080/", "text/html; charset=utf-8", page.String()))
	o := job.Options{Manifest: m, List: "jsonl", Graph: 2, Out: t.TempDir()}
	if code, stderr := runJob(t, o); code != exitDone {
		t.Fatalf("%d, %s", code, stderr)
	}
	var urls []string
	wantedGraph(t, o.Out, func(url string) string { urls = append(urls, url); return "" })
	serialized := resolveInNode(t, node, urls)
	vertices, edges := wantedGraph(t, o.Out, func(url string) string { return hostOf(serialized[url]) })
	checkGraph(t, o, vertices, edges)
}

// resolveInNode returns the URLs as whatwg-url serializes them.
func resolveInNode(t *testing.T, node string, urls []string) map[string]string {
	t.Helper()
	slices.Sort(urls)
	urls = slices.Compact(urls)
	var in bytes.Buffer
	for _, url := range urls {
		line, err := json.Marshal([2]string{url, url})
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(line, '\n'))
	}
	cmd := exec.Command(node, "../compare/whatwg/resolve.js")
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v; run npm ci in compare/whatwg first", err)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")[1:]
	if len(lines) != len(urls) {
		t.Fatalf("%d answers, want %d", len(lines), len(urls))
	}
	serialized := map[string]string{}
	for i, line := range lines {
		var url string
		json.Unmarshal([]byte(line), &url) // null is "": not a URL
		serialized[urls[i]] = url
	}
	return serialized
}

func checkGraph(t *testing.T, o job.Options, vertices []string, edges map[string]int) {
	t.Helper()
	var names []string
	for _, line := range shards(t, o, "vertices") {
		id, host, _ := strings.Cut(line, "\t")
		if id != strconv.Itoa(len(names)) {
			t.Errorf("%s has the number %s", host, id)
		}
		names = append(names, host)
	}
	if !slices.Equal(names, vertices) {
		t.Errorf("vertices %q, want %q", names, vertices)
	}
	lines := shards(t, o, "edges")
	last := [2]int{-1, -1}
	for _, line := range lines {
		var from, to, n int
		if _, err := fmt.Sscanf(line, "%d\t%d\t%d", &from, &to, &n); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if want := edges[names[from]+" "+names[to]]; n != want {
			t.Errorf("%s to %s: %d, want %d", names[from], names[to], n, want)
		}
		if slices.Compare([]int{from, to}, last[:]) <= 0 {
			t.Errorf("%q is out of order", line)
		}
		last = [2]int{from, to}
	}
	if len(lines) != len(edges) || len(edges) < 100 {
		t.Errorf("%d edges, want %d", len(lines), len(edges))
	}
}

// shards returns the lines of all shards.
func shards(t *testing.T, o job.Options, kind string) (lines []string) {
	t.Helper()
	for shard := range o.Graph {
		f, err := os.Open(filepath.Join(o.Out, "graph", fmt.Sprintf("%s-%05d-of-%05d.tsv.gz", kind, shard, o.Graph)))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if _, err := b.ReadFrom(z); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")...)
		if b.Len() == 0 {
			lines = lines[:len(lines)-1]
		}
	}
	return lines
}

// The exit code says how a job ended.
func TestExitCodes(t *testing.T) {
	good := archives(t, 2)
	missing := archives(t, 2, "/none/x.warc.gz")
	twice := archives(t, 2, filepath.Join(filepath.Dir(good), "00.warc.gz"))
	empty := filepath.Join(t.TempDir(), "empty")
	write(t, empty, nil)
	defer func(p percent) { maxDead = p }(maxDead)
	for _, row := range []struct {
		manifest string
		maxDead  percent
		code     int
		says     string
	}{
		{good, 0, exitDone, "2 archives in, 2 done"},
		{missing, 1, exitDead, "more than 1% of the archives failed; see dead.jsonl"},
		{missing, 50, exitDone, "1 dead"},
		{twice, 100, exitUsage, "would both be written as 00.warc.gz"},
		{empty, 100, exitUsage, "no archive is named"},
		{"", 1, exitUsage, "--manifest"},
	} {
		maxDead = row.maxDead
		out := t.TempDir()
		code, stderr := runJob(t, job.Options{Manifest: row.manifest, Out: out, Convert: true, Graph: 1})
		if code != row.code || !strings.Contains(stderr, row.says) {
			t.Errorf("%s: %d, %s", row.manifest, code, stderr)
		}
		if _, err := os.Stat(filepath.Join(out, "converted")); code == exitUsage && err == nil {
			t.Errorf("%s: work began", row.manifest)
		}
	}
	if code, stderr := runJob(t, job.Options{Manifest: good, Out: filepath.Join(good, "x"), Convert: true}); code != exitNotDone {
		t.Errorf("%d, %s", code, stderr)
	}
}

// asProcess returns this test as the command.
func asProcess(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	return cmd
}

// A process that is killed at any moment leaves nothing half-written under a final
// name. The next run makes the same files, and removes what is left.
func TestKill(t *testing.T) {
	args := func(out string) []string {
		return []string{"--manifest", archives(t, 40), "--convert", "--list", "parquet", "--graph", "2", "--out", out}
	}
	whole := t.TempDir()
	a := args(whole)
	began := time.Now()
	if out, err := asProcess(a...).CombinedOutput(); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	took := time.Since(began)
	want := tree(t, whole)
	dir := t.TempDir()
	a[len(a)-1] = dir
	for i := range 10 {
		cmd := asProcess(a...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(took * time.Duration(i+1) / 12)
		cmd.Process.Kill()
		cmd.Wait()
		for name, text := range tree(t, dir) {
			if !strings.HasSuffix(name, ".tmp") && !strings.HasPrefix(name, "/_job/graph/") && !strings.HasPrefix(name, "/_job/attempts/") && text != want[name] {
				t.Errorf("killed at moment %d: %s is half-written", i, name)
			}
		}
		if i%3 == 2 { // otherwise the next one goes on from here
			os.RemoveAll(dir)
		}
	}
	if out, err := asProcess(a...).CombinedOutput(); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	sample.Compare(t, tree(t, dir), want)
}

// --dry_run for Dataflow prints the job, without the names of the archives, and runs
// nothing.
func TestDryRun(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	m := archives(t, 2)
	cmd := asProcess("--runner", "dataflow", "--dry_run", "--project", "p", "--region", "r", "--staging_location", "gs://b/s", "--manifest", m, "--graph", "2", "--out", out)
	b, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(b), ".workFn") || !strings.Contains(string(b), "sdkPipelineOptions") || strings.Contains(string(b), "00.warc.gz") {
		t.Errorf("%v, %.3000s", err, b)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a dry run writes")
	}
}

// --max-dead takes percentages.
func TestPercent(t *testing.T) {
	for text, ok := range map[string]bool{"1%": true, "0%": true, "100%": true, "0.5%": true, "1": false, "-1%": false, "101%": false, "nan%": false, "inf%": false, "%": false, "": false} {
		if err := new(percent).Set(text); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}
