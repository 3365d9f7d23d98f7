package main

import (
	"context"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"absolink/archives/internal/sample"

	"gocloud.dev/blob"
	"gocloud.dev/blob/driver"
	"gocloud.dev/gcerrors"
)

// A deadly bucket ends the process that reads from it, as a lack of memory would.
type deadly struct{ driver.Bucket }

const exitKilled = 9

func (deadly) OpenBucketURL(context.Context, *url.URL) (*blob.Bucket, error) {
	return blob.NewBucket(deadly{}), nil
}

func (deadly) Attributes(context.Context, string) (*driver.Attributes, error) {
	return &driver.Attributes{Size: 1 << 20, ETag: "x"}, nil
}

func (deadly) NewRangeReader(context.Context, string, int64, int64, *driver.ReaderOptions) (driver.Reader, error) {
	os.Exit(exitKilled)
	return nil, nil
}

func (deadly) ErrorCode(error) gcerrors.ErrorCode { return gcerrors.Unknown }

func init() { blob.DefaultURLMux().RegisterBucket("deadly", deadly{}) }

// An archive that ends its process gets a dead letter after --attempts starts, and no
// other archive does. The other files are the same as without this archive.
func TestDeadlyArchive(t *testing.T) {
	out, want := t.TempDir(), t.TempDir()
	good := archives(t, 6)
	m := filepath.Join(t.TempDir(), "manifest")
	write(t, m, []byte("deadly://x/killer.warc.gz\n"+filepath.Join(filepath.Dir(good), "*.warc.gz")))
	args := func(m, out string) []string {
		return []string{"--manifest", m, "--out", out, "--convert", "--workers", "4", "--attempts", "2", "--max-dead", "50%"}
	}
	for range 2 { // the second time, the archive is tried again
		for start := range 3 {
			cmd := asProcess(t, args(m, out)...)
			b, err := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); start < 2 && code != exitKilled || start == 2 && code != exitDone {
				t.Fatalf("start %d: %v, %s", start, err, b)
			}
		}
		b, err := os.ReadFile(filepath.Join(out, "dead.jsonl"))
		if dead := string(b); err != nil || strings.Count(dead, "\n") != 1 || !strings.Contains(dead, `"input":"deadly://x/killer.warc.gz"`) || !strings.Contains(dead, `"attempt":2`) {
			t.Fatalf("%v, %s", err, dead)
		}
	}
	mustDo(t, asProcess(t, args(good, want)...))
	sample.Compare(t, tree(t, filepath.Join(out, "converted")), tree(t, filepath.Join(want, "converted")))
	if left, err := fs.Glob(os.DirFS(out), "_job/reports/killer*"); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}
