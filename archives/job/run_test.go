package job

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"absolink/archives/internal/sample"

	_ "gocloud.dev/blob/memblob"
)

func init() { pause = time.Millisecond }

// run is the simplest engine: one archive after another.
func run(o Options) (*Totals, error) {
	ctx := context.Background()
	if o.Attempts == 0 {
		o.Attempts = 3
	}
	o.Level = 1
	if err := o.Validate(); err != nil {
		return nil, err
	}
	archives, err := ReadManifest(ctx, &o)
	if err != nil {
		return nil, err
	}
	w, err := NewWorker(ctx, &o)
	if err != nil {
		return nil, err
	}
	if err := w.Start(ctx); err != nil {
		return nil, err
	}
	tasks, err := w.Tasks(ctx, archives)
	if err != nil {
		return nil, err
	}
	if o.Split > 0 {
		slices.Reverse(tasks) // an engine takes them in any order
	}
	for _, t := range tasks {
		if t, err = ParseTask(t.String()); err == nil {
			err = w.Do(ctx, t)
		}
		if err != nil {
			return nil, err
		}
	}
	return w.Finish(ctx, archives)
}

var (
	write    = sample.Write
	manifest = sample.Manifest
)

// read reads a file.
func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// tree returns what is below a place, by name.
func tree(t *testing.T, location string) map[string]string {
	t.Helper()
	return sample.Tree(t, OpenDir, location)
}

func samples() map[string][]byte {
	return map[string][]byte{
		"a.warc.gz": sample.Archive(1, 60),
		"b.warc.gz": sample.Archive(2, 60),
	}
}

func mustRun(t *testing.T, o Options) *Totals {
	t.Helper()
	totals, err := run(o)
	if err != nil {
		t.Fatal(err)
	}
	return totals
}

// The outputs are the same in each run, and however the archives are cut.
func TestSameBytes(t *testing.T) {
	archives := samples()
	for i := range 20 { // only a list has the links in headers
		archives["moved.warc.gz"] = append(archives["moved.warc.gz"], sample.Response(fmt.Sprintf("301 Moved\r\nLocation: /%d", i), "response", "http://h/", "text/plain", "")...)
	}
	m := manifest(t, archives)
	for _, list := range []string{"jsonl", "parquet"} {
		o := Options{Manifest: m, Convert: true, List: list}
		o.Out = t.TempDir()
		totals := mustRun(t, o)
		if totals.Done != 3 || totals.Records != 164 || totals.Rewritten != 140 || totals.Passed != 24 {
			t.Errorf("%+v", totals)
		}
		want := tree(t, o.Out)
		for _, name := range []string{"list/a.warc.gz." + list, "converted/a.warc.gz", "outputs.jsonl", "totals.json"} {
			if want[name] == "" {
				t.Errorf("no %s", name)
			}
		}
		for _, split := range []int64{0, 1024, 5000, 1 << 30} {
			o.Out, o.Split = t.TempDir(), split
			mustRun(t, o)
			sample.Compare(t, tree(t, o.Out), want)
		}
		o.Out, o.Split = "mem://same-"+list+"/some/where", 3000
		mustRun(t, o)
		sample.Compare(t, tree(t, o.Out), want)
	}
}

// A second run leaves everything as it is. What is missing, or belongs to an archive
// that has changed, is done again.
func TestRunAgain(t *testing.T) {
	m := manifest(t, samples())
	o := Options{Manifest: m, Out: t.TempDir(), List: "jsonl"}
	mustRun(t, o)
	want := tree(t, o.Out)
	list := func(name string) string { return filepath.Join(o.Out, "list", name+".jsonl") }
	stat := func(name string) time.Time {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		return info.ModTime()
	}
	a, b := stat(list("a.warc.gz")), stat(list("b.warc.gz"))
	mustRun(t, o)
	if stat(list("a.warc.gz")) != a || stat(list("b.warc.gz")) != b {
		t.Error("a list was written again")
	}
	if err := os.Remove(list("a.warc.gz")); err != nil {
		t.Fatal(err)
	}
	mustRun(t, o)
	sample.Compare(t, tree(t, o.Out), want)
	if stat(list("b.warc.gz")) != b {
		t.Error("the list of another archive was written again")
	}
	write(t, filepath.Join(filepath.Dir(m), "b.warc.gz"), sample.Archive(3, 5))
	if totals := mustRun(t, o); totals.Records != 72+6 {
		t.Errorf("%+v", totals)
	}
	o.Profile = 2
	mustRun(t, o)
	if stat(list("b.warc.gz")) == b {
		t.Error("other options have the same lists")
	}
}

// A report that was edited, or belongs to other options, does not count, and nothing is summed up
// of it.
func TestEditedReports(t *testing.T) {
	o := Options{Manifest: manifest(t, samples()), Out: t.TempDir(), List: "jsonl", Convert: true, Level: 1}
	mustRun(t, o)
	want := tree(t, o.Out)
	w, archives, _ := firstTasks(t, &o)
	name := filepath.Join(o.Out, filepath.FromSlash(reportsDir), "a.warc.gz.json")
	report := want[reportsDir+"a.warc.gz.json"]
	const content = `"etag":"0` // what the archive has to say
	for _, edit := range [][2]string{
		{`"size":`, `"size":-`}, {`"places":`, `"places":-`}, {`"places":`, `"places":99999999999`}, {`"key":"list/a.warc.gz.jsonl"`, `"key":"list/b.warc.gz.jsonl"`}, {`"key":"list/a.warc.gz.jsonl"`, `"key":"../list/a.warc.gz.jsonl"`},
		{`"outputs":[{`, `"outputs":[],"x":[{`}, {`"records":`, `"records":1`}, {`"passed":`, `"passed":-`}, {`"options":"`, `"options":"0`},
		{fmt.Sprintf(`"version":%d`, Version), `"version":1`}, {`"etag":"`, content}, {`{`, ``}, {report, "null"}, {report, ""}, {report, "[]"}, {report, strings.Repeat("[", 1<<20)},
	} {
		edited := strings.Replace(report, edit[0], edit[1], 1)
		if edited == report {
			t.Fatalf("%s is not in %s", edit[0], report)
		}
		write(t, name, []byte(edited))
		if totals, err := w.Finish(t.Context(), archives); (err == nil) != (edit[1] == content) {
			t.Errorf("%.50s: %+v, %v", edit, totals, err)
		}
		if totals := mustRun(t, o); totals.Records != 144 {
			t.Errorf("%.50s: %+v", edit, totals)
		}
		sample.Compare(t, tree(t, o.Out), want)
	}
}
