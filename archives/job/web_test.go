package job

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"absolink/archives/internal/sample"

	_ "gocloud.dev/blob/gcsblob"
)

// serving starts a web server, and returns its host and port.
func serving(t *testing.T, handler http.HandlerFunc) (host string) {
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// Users, passwords and parameters of URLs are not written, and an archive is the same if
// they change.
func TestSecrets(t *testing.T) {
	archive := sample.Archive(1, 20)
	reads := 0
	host := serving(t, func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		if user != "me" || !strings.HasPrefix(password, "secret") || !strings.HasPrefix(r.URL.Query().Get("sig"), "secret") {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		if r.Method == http.MethodGet {
			reads++
		}
		http.ServeContent(w, r, "", time.Unix(1e9, 0), strings.NewReader(string(archive)))
	})
	o := Options{Manifest: filepath.Join(t.TempDir(), "manifest"), Out: t.TempDir(), List: "jsonl", Convert: true, Attempts: 1}
	for _, secret := range []string{"secret1", "secret2"} {
		write(t, o.Manifest, []byte("http://me:"+secret+"@"+host+"/a.warc.gz?sig="+secret+"\n"+
			"http://me:"+secret+"@127.0.0.1:1/none.warc.gz?sig="+secret+"\n"+
			"http://me:x@"+host+"/bad.warc.gz?sig="+secret))
		if totals := mustRun(t, o); totals.Done != 1 || totals.Dead != 2 {
			t.Errorf("%+v", totals)
		}
		files := tree(t, o.Out)
		for name, text := range files {
			if strings.Contains(text, "secret") || strings.Contains(text, "me:") {
				t.Errorf("%s: %.300s", name, text)
			}
		}
		if want := `"file":"http://` + host + `/a.warc.gz","page"`; !strings.Contains(files["list/a.warc.gz.jsonl"], want) {
			t.Errorf("no %s", want)
		}
	}
	for _, refused := range []string{"http://me:secret@h/a.warc?secret\nhttp://me:secret2@h/a.warc?secret2", "http://me:secret@h/a.warc?secret\nhttp://me:secret@g/a.warc?secret", "s3://h/[?secret", "http://h/?secret", "http://h/a\xff?secret", "http://h/a\x01?secret"} {
		write(t, o.Manifest, []byte(refused))
		_, err := run(o)
		if !errors.As(err, new(*Refusal)) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", refused, err)
		}
	}
	write(t, o.Manifest, []byte("s3://b/bad.warc.gz?region=r&use_path_style=true&endpoint=http://"+host+"/secret"))
	if _, err := run(o); err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "credentials") {
		t.Errorf("%v", err)
	}
	if reads != 3 { // for its beginning and for two outputs, in the first run
		t.Errorf("the archive was read %d times", reads)
	}
}

// A server that would compress an archive, or decompress it, is asked for the bytes as they
// are.
func TestIdentity(t *testing.T) {
	archive := sample.Archive(1, 20)
	host := serving(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip") // as some servers say of each file in .gz
		if r.Header.Get("Accept-Encoding") != "identity" {
			t.Errorf("asked for %q", r.Header.Get("Accept-Encoding"))
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(archive)))
		w.Header().Set("Last-Modified", "Sun, 09 Sep 2001 01:46:40 GMT")
		if r.Method == http.MethodGet {
			w.Write(archive)
		}
	})
	o := Options{Manifest: manifest(t, nil, "http://"+host+"/a.warc.gz"), Out: t.TempDir(), List: "jsonl"}
	if totals := mustRun(t, o); totals.Done != 1 || totals.Records != 24 || totals.Damages > 0 {
		t.Errorf("%+v", totals)
	}
	for name, text := range tree(t, o.Out) {
		if strings.HasPrefix(name, reportsDir) && !strings.Contains(text, `"etag":"Sun, 09 Sep 2001 01:46:40 GMT"`) {
			t.Error(text)
		}
	}
}

// An archive of a server that does not say what changes is done each time.
func TestUnknownContent(t *testing.T) {
	archive := sample.Archive(1, 20)
	var read atomic.Int32
	host := serving(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(archive)))
		if r.Method == http.MethodGet {
			read.Add(1)
			w.Write(archive)
		}
	})
	for _, split := range []int64{0, 1 << 30} {
		o := Options{Manifest: manifest(t, nil, "http://"+host+"/a.warc.gz"), Out: t.TempDir(), List: "jsonl", Split: split}
		for range 2 {
			read.Store(0)
			if totals := mustRun(t, o); totals.Done != 1 || totals.Records != 24 || read.Load() == 0 {
				t.Errorf("%+v, read %d times", totals, read.Load())
			}
		}
	}
}

// The bytes of another range are never taken for those that were asked for.
func TestOtherRange(t *testing.T) {
	archive := sample.Archive(1, 200)
	for _, contentRange := range []string{"", "bytes 0-4999/99999", "bytes 50000-99998/99999"} {
		host := serving(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(len(archive)))
			if r.Header.Get("Range") != "" {
				w.Header().Set("Content-Range", contentRange)
				w.WriteHeader(http.StatusPartialContent)
			}
			if r.Method == http.MethodGet {
				w.Write(archive[:5000]) // and then the connection ends
			}
		})
		o := Options{Manifest: manifest(t, nil, "http://"+host+"/a.warc.gz"), Out: t.TempDir(), List: "jsonl"}
		if totals, err := run(o); err == nil && totals.Done > 0 {
			t.Errorf("%q: %+v", contentRange, totals)
		}
	}
}

// An object that the store decompresses has another length than it says, and gets a letter.
func TestStoredCompressed(t *testing.T) {
	archive := sample.Archive(1, 60)
	encoding := ""
	host := serving(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/storage/") { // what Google's store says of an object
			fmt.Fprintf(w, `{"name":"a.warc.gz","bucket":"b","generation":"1","etag":"e","size":"%d","contentEncoding":"%s"}`, len(archive), encoding)
			return
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(archive))
	})
	t.Setenv("STORAGE_EMULATOR_HOST", host)
	o := Options{Manifest: manifest(t, nil, "gs://b/a.warc.gz"), Out: t.TempDir(), List: "jsonl"}
	if totals := mustRun(t, o); totals.Records != 72 || totals.Damages > 0 {
		t.Errorf("%+v, %s", totals, tree(t, o.Out)["dead.jsonl"])
	}
	encoding, o.Out = "gzip", t.TempDir()
	if totals := mustRun(t, o); totals.Dead != 1 || !strings.Contains(tree(t, o.Out)["dead.jsonl"], "take that away from the object") {
		t.Errorf("%+v, %s", totals, tree(t, o.Out)["dead.jsonl"])
	}
}

// A connection over which nothing comes is made again.
func TestStall(t *testing.T) {
	defer func(d time.Duration) { stall = d }(stall)
	stall = 400 * time.Millisecond
	archive := sample.Archive(1, 200)
	var requests atomic.Int32
	host := serving(t, func(w http.ResponseWriter, r *http.Request) {
		n := requests.Add(1)
		if n%4 == 1 { // not even an answer
			<-r.Context().Done()
			return
		}
		if n%4 == 3 && r.Method == http.MethodGet { // a beginning
			first := 0
			fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &first)
			w.Header().Set("Content-Length", fmt.Sprint(len(archive)-first))
			if first > 0 {
				w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/*", first, len(archive)-1))
				w.WriteHeader(http.StatusPartialContent)
			}
			w.Write(archive[first:min(len(archive), first+5000)])
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			return
		}
		w.Header().Set("ETag", `"x"`)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(archive)))
	})
	o := Options{Manifest: manifest(t, nil, "http://"+host+"/a.warc.gz"), Out: t.TempDir(), List: "jsonl"}
	if totals := mustRun(t, o); totals.Done != 1 || totals.Records != 240 || totals.Damages > 0 {
		t.Errorf("%+v, %s", totals, tree(t, o.Out)["dead.jsonl"])
	}
}

// An answer counts if its head says that it is the content and the part that was asked for.
func TestAnswers(t *testing.T) {
	src := &Source{Size: 100, ETag: "e"}
	for _, row := range []struct {
		offset, length     int64
		contentRange, etag string
		want               error
	}{
		{0, 100, "", "e", nil},
		{0, -1, "", "", nil},
		{0, 100, "bytes 0-99/100", "e", nil},
		{40, 60, "bytes 40-99/100", "e", nil},
		{40, 60, "bytes 40-99/*", "", nil},
		{40, 10, "bytes 40-49/100", "e", nil},
		{40, -1, "bytes 40-99/100", "e", nil},
		{0, 101, "", "e", errRange},
		{0, 10, "bytes 40-49/100", "e", errRange},
		{40, 100, "", "e", errRange},
		{40, 60, "", "e", nil},
		{40, -1, "", "e", errRange},
		{40, 100, "none", "e", errRange},
		{40, 100, "bytes 40-99/100", "e", errRange},
		{40, 100, "bytes 0-99/100", "e", errRange},
		{40, 60, "bytes 40-99/101", "e", errRange},
		{40, 60, "bytes 40-99/99999999999999999999", "e", nil}, // as if the server did not say it
		{0, 101, "", "", errChanged},
		{40, 60, "bytes 40-99/101", "", errChanged},
		{40, 60, "none", "e", errRange},
		{0, 100, "", "f", errChanged},
		{40, 60, "bytes 40-99/100", "f", errChanged},
	} {
		if _, err := src.checked(http.NoBody, row.offset, row.length, row.contentRange, row.etag); !errors.Is(err, row.want) {
			t.Errorf("%+v: %v", row, err)
		}
	}
}
