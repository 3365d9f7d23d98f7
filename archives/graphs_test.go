package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"absolink/archives/internal/sample"
	"absolink/archives/job"
	"absolink/internal/test/docs"

	"golang.org/x/net/publicsuffix"
)

// With NODE set, the statements of docs/graphs.md run in DuckDB over a list of this job. What
// they find is counted here by other means, from the list in JSON.
func TestGraphsNode(t *testing.T) {
	node := os.Getenv("NODE")
	if node == "" {
		t.Skip("NODE does not name node")
	}
	m := archives(t, 3)
	write(t, m, []byte(filepath.Join(filepath.Dir(m), "*.warc.gz")))
	write(t, filepath.Join(filepath.Dir(m), "gone.warc.gz"), bytes.Join([][]byte{
		sample.Response("404 Not Found", "response", "http://gone.example.com/x", "text/html", "<a href=/>"),
		sample.Response("500 Oh", "response", "http://w1.ex.org/y", "text/html", "<a href=/>"),
		sample.Record("response", "http://a-b.example.co.uk/", "text/html", "<a href=http://gone.example.com/x#1><a href=http://gone.example.com/x><a href='http://www.example.com./'><a href=http://a.example.co.uk/>"),
		sample.Record("response", "http://a.b.example.co.uk/", "text/html", "<a href=http://w1.ex.org/y><a href=http://1.2.3.4/>"),
	}, nil))
	dir := t.TempDir()
	for format, out := range map[string]string{"jsonl": filepath.Join(dir, "json"), "parquet": filepath.Join(dir, "out")} {
		if code, stderr := runJob(t, job.Options{Manifest: m, List: format, Out: out}); code != exitDone {
			t.Fatalf("%d, %s", code, stderr)
		}
	}
	var more strings.Builder
	more.WriteString("SELECT * FROM host_edges;\nSELECT * FROM domain_edges;\n")
	more.WriteString("SELECT path_in_schema AS name, count(*) FILTER (stats_null_count IS NULL OR stats_min_value IS NULL AND stats_null_count < num_values) AS n FROM parquet_metadata('out/list/*.parquet') GROUP BY ALL;\n")
	more.WriteString("SELECT count(*) AS n FROM links WHERE fetch_time = TIMESTAMPTZ '2024-01-01 00:00:00+00';\n")
	results := duckDB(t, node, dir, strings.Join(blocksOf(t, "docs/graphs.md", "sql"), "")+more.String())
	if len(results) != 13 {
		t.Fatalf("%d results: %s", len(results), results)
	}
	results = results[1:] // of the variable
	links := readLinks(t, filepath.Join(dir, "json", "list"))
	hosts, domains := links.edges(reversedHost), links.edges(domain)
	type row struct {
		Name, Source, Target, Host string
		Links, Hosts, Pages, N     int
		Status                     int `json:"fetch_status"`
	}
	rows := make([][]row, len(results))
	for i, line := range results {
		if err := json.Unmarshal([]byte(line), &rows[i]); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	for i, want := range map[int]map[[2]string]int{8: hosts, 9: domains} {
		got := map[[2]string]int{}
		for _, r := range rows[i] {
			got[[2]string{r.Source, r.Target}] = r.Links
		}
		if !maps.Equal(got, want) || len(got) < 2 {
			t.Errorf("%v\nwant %v", got, want)
		}
	}
	if got, want := rows[11][0].N, len(links); got != want || want < 100 {
		t.Errorf("%d rows have the time, of %d", got, want)
	}
	most := map[string]int{}
	for edge := range hosts {
		most[edge[1]]++
	}
	if top := rows[3][0]; len(rows[3]) != min(100, len(most)) || top.Hosts != slices.Max(slices.Collect(maps.Values(most))) || top.Hosts != most[top.Host] {
		t.Errorf("%d hosts, first %+v", len(rows[3]), top)
	}
	if got := fmt.Sprint(rows[4]); len(rows[4]) != 2 || rows[4][0].Status != 404 || rows[4][0].Links != 2 || rows[4][0].Pages != 1 || rows[4][1].Status != 500 {
		t.Error(got)
	}
	checkWebgraph(t, dir, links, hosts)
	for _, r := range rows[10] {
		if r.N > 0 {
			t.Errorf("%d row groups have no bounds, or no number of NULLs, for %s", r.N, r.Name)
		}
	}
}

// blocksOf returns the blocks of a page of the documentation that are in a language.
func blocksOf(t *testing.T, name, language string) (texts []string) {
	for _, page := range docs.Pages(t) {
		for _, b := range page.Blocks() {
			if page.Name == name && b.Language == language {
				texts = append(texts, b.Text+"\n")
			}
		}
	}
	return texts
}

// duckDB runs statements, and returns the results of those that have some.
func duckDB(t *testing.T, node, dir, sql string) []string {
	t.Helper()
	script, err := filepath.Abs("../compare/duckdb/run.js")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, script)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(sql)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v, %s; run npm ci in compare/duckdb first", err, &stderr)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// With NODE set, the statement of docs/lists.md makes the table of this job of the list of
// absolink: with the same types, and every value the same.
func TestListsNode(t *testing.T) {
	node := os.Getenv("NODE")
	if node == "" {
		t.Skip("NODE does not name node")
	}
	m, dir := archives(t, 3), t.TempDir()
	write(t, m, []byte(filepath.Join(filepath.Dir(m), "*.warc.gz")))
	odd := filepath.Join(filepath.Dir(m), "odd.warc.gz")
	write(t, odd, sample.Record("response", "http://h/", "text/html", "<a href><a href=data:,x rel=a>t</a><img src=''><a href='http://[' rel=b><form action=2024-01-01T00:00:00Z>"))
	if code, stderr := runJob(t, job.Options{Manifest: m, List: "parquet", Out: filepath.Join(dir, "out")}); code != exitDone {
		t.Fatalf("%d, %s", code, stderr)
	}
	inputs, err := filepath.Glob(filepath.Join(filepath.Dir(m), "*.gz"))
	if err != nil {
		t.Fatal(err)
	}
	list := exec.Command("go", append([]string{"run", "-C", "..", "./cmd/absolink", "list", "--hosts", "-o", filepath.Join(dir, "links.jsonl")}, inputs...)...)
	mustDo(t, list)
	const describe = "SELECT column_name, column_type FROM (DESCRIBE FROM '%s');\n"
	const differ = "SELECT count(*)::INTEGER AS n FROM (FROM '%s' EXCEPT ALL FROM '%s');\n"
	table, made := "out/list/*.parquet", "links.parquet"
	results := duckDB(t, node, dir, strings.Join(blocksOf(t, "docs/lists.md", "sql"), "")+
		fmt.Sprintf(describe+describe+differ+differ, table, made, table, made, made, table)+"SELECT count(*)::INTEGER > 300 AS many, count(*) FILTER (url LIKE 'data:%' AND url_host_name_reversed IS NULL)::INTEGER AS data FROM 'links.parquet';")
	if len(results) < 5 || results[len(results)-5] != results[len(results)-4] {
		t.Fatalf("%q", results)
	}
	if got := fmt.Sprint(results[len(results)-3:]); got != `[[{"n":0}] [{"n":0}] [{"many":true,"data":1}]]` {
		t.Error(got)
	}
}

// allLinks are the pages and URLs of a list.
type allLinks []struct{ Page, URL string }

func readLinks(t *testing.T, dir string) (links allLinks) {
	for name, text := range tree(t, dir) {
		for line := range strings.Lines(text) {
			links = append(links, struct{ Page, URL string }{})
			if err := json.Unmarshal([]byte(line), &links[len(links)-1]); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	return links
}

// edges counts the links between two different nodes. node returns "" for a host that is
// not a node.
func (l allLinks) edges(node func(url string) string) map[[2]string]int {
	edges := map[[2]string]int{}
	for _, link := range l {
		if from, to := node(link.Page), node(link.URL); from != to && from != "" && to != "" {
			edges[[2]string{from, to}]++
		}
	}
	return edges
}

// hostOf finds a host in the URLs of the sample, with package net/url.
func hostOf(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	switch host := strings.TrimSuffix(strings.ToLower(u.Hostname()), "."); host {
	case "0x7f.1":
		return "127.0.0.1"
	case "::1":
		return "[::1]"
	case "b\u00fccher.example":
		return "xn--bcher-kva.example"
	default:
		return host
	}
}

func isAddress(host string) bool {
	return strings.HasPrefix(host, "[") || strings.Trim(host, "0123456789.") == ""
}

func reversedHost(s string) string {
	host := hostOf(s)
	if isAddress(host) {
		return host
	}
	labels := strings.Split(host, ".")
	slices.Reverse(labels)
	return strings.Join(labels, ".")
}

func domain(s string) string {
	host := hostOf(s)
	if _, icann := publicsuffix.PublicSuffix(host); !icann || isAddress(host) {
		return ""
	}
	domain, _ := publicsuffix.EffectiveTLDPlusOne(host)
	return domain
}

// checkWebgraph checks what HostToDomainGraph of cc-webgraph expects of its input: two
// columns; vertices numbered from 0 and sorted as bytes; edges sorted, each of them once.
func checkWebgraph(t *testing.T, dir string, links allLinks, edges map[[2]string]int) {
	t.Helper()
	want := map[string]bool{}
	for _, link := range links {
		want[reversedHost(link.Page)], want[reversedHost(link.URL)] = true, true
	}
	delete(want, "")
	var names []string
	for i, line := range unzippedLines(t, filepath.Join(dir, "vertices.txt.gz")) {
		id, host, _ := strings.Cut(line, "\t")
		if id != fmt.Sprint(i) || strings.Contains(host, "\t") || !want[host] {
			t.Errorf("line %d of the vertices is %q", i, line)
		}
		names = append(names, host)
	}
	if !slices.IsSorted(names) || len(names) != len(want) {
		t.Errorf("%d vertices, want %d: %q", len(names), len(want), names)
	}
	last := [2]int{-1, -1}
	lines := unzippedLines(t, filepath.Join(dir, "edges.txt.gz"))
	for _, line := range lines {
		var edge [2]int
		if _, err := fmt.Sscanf(line, "%d\t%d", &edge[0], &edge[1]); err != nil || strings.Count(line, "\t") != 1 {
			t.Fatalf("%q: %v", line, err)
		}
		if slices.Compare(edge[:], last[:]) <= 0 || edges[[2]string{names[edge[0]], names[edge[1]]}] == 0 {
			t.Errorf("%q is out of order, or no edge", line)
		}
		last = edge
	}
	if len(lines) != len(edges) {
		t.Errorf("%d edges, want %d", len(lines), len(edges))
	}
}

func unzippedLines(t *testing.T, name string) []string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(sample.Unzip(t, b)), "\n"), "\n")
}
