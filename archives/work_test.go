package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"absolink/archives/internal/sample"
	"absolink/archives/job"
)

// BenchmarkWork does what the program is mostly used for, which is lists in Parquet. release/profile
// makes default.pgo from it.
func BenchmarkWork(b *testing.B) {
	files := map[string][]byte{}
	for i := range 4 {
		files[fmt.Sprintf("%d.warc.gz", i)] = sample.Archive(uint64(i), 2000)
	}
	manifest, out := sample.Manifest(b, files), filepath.Join(b.TempDir(), "out")
	for b.Loop() {
		for _, o := range []job.Options{{List: "parquet"}, {List: "parquet"}, {List: "jsonl", Hosts: true}, {Convert: true}} {
			o.Manifest, o.Out = manifest, out
			if code, stderr := runJob(b, o); code != exitDone {
				b.Fatal(code, stderr)
			}
			os.RemoveAll(out)
		}
	}
}
