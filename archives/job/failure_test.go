package job

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"absolink/archives/internal/sample"

	"gocloud.dev/blob"
	"gocloud.dev/blob/driver"
	"gocloud.dev/gcerrors"
)

// A run that cannot see the archives leaves what an earlier run has made as it was.
func TestFaultKeepsReports(t *testing.T) {
	s := new(store)
	bucket, parameters := s.start(t)
	put(t, bucket+"/"+parameters, samples())
	var archives []string
	for name := range samples() {
		archives = append(archives, bucket+"/"+name+parameters)
	}
	o := Options{Manifest: manifest(t, nil, archives...), Out: t.TempDir(), Convert: true, List: "parquet", Attempts: 3}
	mustRun(t, o)
	want := tree(t, o.Out)
	s.set(refusing(403, "", func(_ int, r *http.Request) bool {
		return r.Method == http.MethodHead || r.Method == http.MethodGet && strings.Contains(r.URL.Path, ".warc.gz")
	}))
	if _, err := run(o); err == nil || !strings.Contains(err.Error(), "look at the credentials") {
		t.Error(err)
	}
	sample.Compare(t, tree(t, o.Out), want)
	s.set(nil)
	mustRun(t, o)
	sample.Compare(t, tree(t, o.Out), want)
}

// What stands where a file has to be stays, and the job says what to do at once.
func TestTaken(t *testing.T) {
	o := Options{Manifest: manifest(t, samples()), Out: t.TempDir(), Replace: true, Attempts: 3}
	w, archives, _ := firstTasks(t, &o)
	archive := archives[0]
	defer func(before time.Duration) { pause = before }(pause)
	pause = time.Hour
	for _, key := range []string{reportKey(archive), w.products(archive)[0].key} {
		taken := filepath.Join(o.Out, key, "x")
		if err := errors.Join(os.MkdirAll(filepath.Dir(taken), 0o777), os.WriteFile(taken, nil, 0o666)); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		err := w.Do(ctx, archive)
		cancel()
		if err == nil || !strings.HasPrefix(err.Error(), "cannot write "+key+": ") || !strings.Contains(err.Error(), "; move what stands there out of the way, ") {
			t.Error(err)
		}
		if err := os.RemoveAll(filepath.Join(o.Out, key)); err != nil {
			t.Error(err)
		}
	}
}

// A request that always fails is made as often as the documentation says, whatever the client
// of the store repeats itself.
func TestRequestsAreBounded(t *testing.T) {
	for _, once := range []bool{false, true} {
		s := &store{once: once}
		bucket, parameters := s.start(t)
		s.set(refusing(503, "SlowDown", func(int, *http.Request) bool { return true }))
		_, err := OpenSource(t.Context(), bucket+"/a.warc.gz"+parameters)
		if requests, _ := s.set(nil); err == nil || requests != tries {
			t.Errorf("%d requests, want %d; %v", requests, tries, err)
		}
	}
}

// firstTasks returns the worker of a job, its archives and the tasks of the first: three parts at
// least, or the whole.
func firstTasks(t *testing.T, o *Options) (w *Worker, archives, tasks []Task) {
	t.Helper()
	w, err := NewWorker(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	archives, err = ReadManifest(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	tasks, err = w.Tasks(t.Context(), archives[:1])
	if err != nil || o.Split > 0 && len(tasks) < 3 {
		t.Fatal(len(tasks), err)
	}
	return w, archives, tasks
}

// An archive whose parts are done, but whose data is not found, is done whole.
func TestPartsWithoutData(t *testing.T) {
	s := new(store)
	bucket, parameters := s.start(t)
	o := Options{Manifest: manifest(t, samples()), Out: bucket + "/" + parameters, Convert: true, List: "jsonl", Split: 3000}
	mustRun(t, o)
	want := tree(t, o.Out)
	again := o
	again.Out = bucket + "/again" + parameters
	s.set(refusing(404, "NoSuchKey", func(_ int, r *http.Request) bool {
		return r.Method == http.MethodGet && strings.Contains(r.URL.Path, partsDir) && !strings.HasSuffix(r.URL.Path, ".json")
	}))
	mustRun(t, again)
	if _, troubled := s.set(nil); troubled == 0 {
		t.Error("there was no trouble")
	}
	sample.Compare(t, tree(t, again.Out), want)
}

// An archive that is done needs no file deleted: a report takes the place of the mark, and stays.
func TestMarkStays(t *testing.T) {
	for _, split := range []int64{0, 3000} {
		s := new(store)
		bucket, parameters := s.start(t)
		o := Options{Manifest: manifest(t, samples()), Out: bucket + "/" + parameters, List: "jsonl", Split: split, Attempts: 1}
		w, archives, tasks := firstTasks(t, &o)
		s.set(refusing(403, "", func(_ int, r *http.Request) bool { return r.Method == http.MethodDelete }))
		if err := w.Do(t.Context(), tasks[len(tasks)/2]); err != nil {
			t.Error(err)
		}
		files := tree(t, o.Out)
		if report := files[reportKey(archives[0])]; split == 0 && !strings.Contains(report, `"records":72`) {
			t.Error(report)
		}
		if _, dead := files[deadDir+archives[0].Name+".json"]; dead {
			t.Error("there is a dead letter")
		}
		s.set(refusing(403, "", func(_ int, r *http.Request) bool { return r.Method == http.MethodGet }))
		if err := w.Do(t.Context(), tasks[len(tasks)/2]); err == nil {
			t.Error("the work goes on")
		}
		s.set(nil)
		sample.Compare(t, tree(t, o.Out), files)
	}
}

// A panicky bucket panics a number of times, and is empty afterwards.
type panicky struct {
	driver.Bucket
	left atomic.Int32
}

func (p *panicky) OpenBucketURL(context.Context, *url.URL) (*blob.Bucket, error) {
	if p.left.Add(-1) >= 0 {
		panic("out of order")
	}
	return blob.OpenBucket(context.Background(), "mem://")
}

// A panic ends an archive, and no other.
func TestPanic(t *testing.T) {
	p := new(panicky)
	blob.DefaultURLMux().RegisterBucket("panicky", p)
	o := Options{Manifest: manifest(t, samples(), "panicky://x/c.warc.gz"), Out: t.TempDir(), List: "jsonl", Attempts: 2}
	p.left.Store(2)
	if totals := mustRun(t, o); totals.Done != 2 || totals.Dead != 1 {
		t.Errorf("%+v", totals)
	}
	if dead := tree(t, o.Out)["dead.jsonl"]; !strings.Contains(dead, "panic: out of order") || !strings.Contains(dead, `"attempt":1`) {
		t.Error(dead)
	}
	p.left.Store(0)
	mustRun(t, o)
	if dead := tree(t, o.Out)["dead.jsonl"]; !strings.Contains(dead, "NotFound") || !strings.Contains(dead, `"attempt":1`) {
		t.Error(dead)
	}
}

// A slow bucket takes its time for each piece of a file; a stuck one takes nothing.
type slow struct {
	driver.Bucket
	takes time.Duration // 0 is for ever
	files int
}

func (s *slow) NewTypedWriter(ctx context.Context, _, _ string, _ *driver.WriterOptions) (driver.Writer, error) {
	s.files++
	return &slowWriter{ctx, s}, nil
}

func (s *slow) ErrorCode(error) gcerrors.ErrorCode { return gcerrors.Unknown }

type slowWriter struct {
	context.Context
	*slow
}

func (w *slowWriter) Write(p []byte) (int, error) {
	if w.takes == 0 {
		<-w.Done()
		return 0, w.Err()
	}
	return len(p), wait(w.Context, w.takes)
}

func (w *slowWriter) Close() error { return w.Err() }

// A long file may take any time, as long as the store goes on taking it.
func TestSlowStore(t *testing.T) {
	defer func(d time.Duration) { stall = d }(stall)
	lines := slices.Repeat([]any{strings.Repeat("x", 1<<20)}, 4)
	stall = 200 * time.Millisecond
	s := &slow{takes: stall}
	if err := (&Dir{bucket: blob.NewBucket(s)}).writeLines(context.Background(), "key", lines); err != nil || s.files != 1 {
		t.Errorf("%d files, %v", s.files, err)
	}
	stall = time.Millisecond
	s = new(slow)
	err := (&Dir{bucket: blob.NewBucket(s)}).writeLines(context.Background(), "key", lines)
	if !errors.Is(err, errSlow) || !strings.Contains(err.Error(), "key") || s.files != tries {
		t.Errorf("%d files, %v", s.files, err)
	}
}

// Archives that are damaged, or are not archives, do not stop the others. Every record
// is accounted for, and parts are left alone where they do not count.
func TestBadArchives(t *testing.T) {
	good := sample.Archive(1, 50)
	corrupt := bytes.Clone(good)
	corrupt[len(corrupt)/2] ^= 0x55
	inner := append(sample.Record("resource", "http://h/1", "text/html", "<a href=x>"), good...)
	nested := append(sample.Record("response", "http://h/crawl.warc.gz", "application/gzip", string(inner)), good...)
	const plain = "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://h/\r\nWARC-Date: 2024-01-01T00:00:00Z\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n"
	page := strings.Repeat("<a href=x>", 50)
	long := strings.Repeat(fmt.Sprintf(plain, 1<<40, page), 10) + strings.Repeat(fmt.Sprintf(plain, len(page), page), 10)
	packed := wacz(t, map[string][]byte{"a.warc.gz": good, "b.warc.gz": good, "c.warc.gz": good})
	packed[bytes.LastIndex(packed, []byte("archive/b.warc.gz"))-46+10] = 99 // its compression
	m := manifest(t, map[string][]byte{
		"packed.wacz":     packed,
		"long.warc":       []byte(long),
		"cut.warc.gz":     good[:len(good)*2/3],
		"corrupt.warc.gz": corrupt,
		"nested.warc.gz":  nested,
		"empty.warc.gz":   nil,
		"text.warc.gz":    []byte("not an archive"),
		"good.warc.gz":    good,
	}, "/none/missing.warc.gz")
	var want map[string]string
	for _, split := range []int64{0, 1024, 3000} {
		o := Options{Manifest: m, Out: t.TempDir(), Convert: true, List: "jsonl", Split: split}
		totals := mustRun(t, o)
		if totals.Done != 6 || totals.Dead != 3 || totals.Damages < 13 || totals.Archives != 9 {
			t.Errorf("%+v", totals)
		}
		got := tree(t, o.Out)
		if want == nil {
			want = got
		}
		sample.Compare(t, got, want)
	}
	dead := want["dead.jsonl"]
	if strings.Count(dead, `"attempt":1`) != 3 {
		t.Error(dead)
	}
	if n := strings.Count(want["list/long.warc.jsonl"], "\n"); n != 500 {
		t.Errorf("a file with records that are too long has %d places", n)
	}
	if got, whole := strings.Count(want["list/packed.wacz.jsonl"], "\n"), strings.Count(want["list/good.warc.gz.jsonl"], "\n"); got != 2*whole {
		t.Errorf("two of three archives in a WACZ are whole: %d places, not twice %d", got, whole)
	}
}

// A connection that breaks is made again; an archive that changes is not taken.
func TestWeb(t *testing.T) {
	archive := sample.Archive(1, 200)
	requests := 0
	changing := false
	host := serving(t, func(w http.ResponseWriter, r *http.Request) {
		requests++
		if r.URL.Path == "/none.warc.gz" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("ETag", `"x"`)
		if changing {
			w.Header().Set("ETag", fmt.Sprintf(`"%d"`, requests))
		}
		first := 0
		fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &first)
		rest := archive[first:]
		w.Header().Set("Content-Length", fmt.Sprint(len(rest)))
		if first > 0 {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", first, len(archive)-1, len(archive)))
			w.WriteHeader(http.StatusPartialContent)
		}
		if r.Method == http.MethodGet {
			w.Write(rest[:min(len(rest), 8000)]) // and no more
		}
	})
	o := Options{Manifest: manifest(t, nil, "http://"+host+"/a.warc.gz", "http://"+host+"/none.warc.gz"), Out: t.TempDir(), List: "jsonl", Convert: true}
	if totals := mustRun(t, o); totals.Done != 1 || totals.Dead != 1 || totals.Records != 240 || requests < 5 {
		t.Errorf("%+v", totals)
	}
	changing, o.Out = true, t.TempDir()
	totals := mustRun(t, o)
	if dead := tree(t, o.Out)["dead.jsonl"]; totals.Dead != 2 || !strings.Contains(dead, "changed while it was read") {
		t.Error(dead)
	}
}

// Archives in a WACZ file are read, and an ARC file becomes a WARC file.
func TestOtherFormats(t *testing.T) {
	m := manifest(t, map[string][]byte{"a.wacz": wacz(t, samples()), "b.arc": []byte(arc)})
	o := Options{Manifest: m, Out: t.TempDir(), List: "jsonl", Convert: true}
	totals := mustRun(t, o)
	want := tree(t, o.Out)
	if totals.Done != 2 || totals.Records != 146 || want["converted/a.wacz.warc.gz"] == "" || want["converted/b.arc.warc.gz"] == "" {
		t.Errorf("%+v, %v", totals, want["dead.jsonl"])
	}
	o.Out, o.Split = t.TempDir(), 1024
	mustRun(t, o)
	sample.Compare(t, tree(t, o.Out), want)
	o.Out, o.Split, o.Replace = t.TempDir(), 0, true
	totals = mustRun(t, o)
	if dead := tree(t, o.Out)["dead.jsonl"]; totals.Dead != 2 || strings.Count(dead, "only read") != 2 {
		t.Error(dead)
	}
}

// Attempts of processes that are gone count, for a whole archive and for a part. A mark
// that makes no sense counts as none.
func TestKilledAttempts(t *testing.T) {
	for _, split := range []int64{0, 3000} {
		for mark, dead := range map[string]bool{`{"attempts":3}`: true, `{"attempts":9}`: true, `{"attempts":2}`: false, `{"attempts":-5}`: false, `[`: false} {
			o := Options{Manifest: manifest(t, samples()), Out: t.TempDir(), Convert: true, List: "jsonl", Split: split, Attempts: 3, Level: 1}
			w, archives, tasks := firstTasks(t, &o)
			key := reportKey(archives[0])
			if split > 0 {
				key = w.partKey(tasks[1]) + "json"
			}
			write(t, filepath.Join(o.Out, key), []byte(mark))
			totals := mustRun(t, o)
			letter := tree(t, o.Out)["dead.jsonl"]
			if (totals.Dead == 1) != dead || totals.Done+totals.Dead != 2 || dead && !strings.Contains(letter, "the process ended each time") {
				t.Errorf("%s: %+v, %s", mark, totals, letter)
			}
			if b, err := os.ReadFile(filepath.Join(o.Out, key)); err == nil && len(b) <= maxBegun {
				t.Errorf("%s: stays", b)
			}
			if mustRun(t, o).Dead > 0 {
				t.Errorf("%s: the next start does not try again", mark)
			}
		}
	}
}
