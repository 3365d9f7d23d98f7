package job

import (
	"os/exec"
	"path/filepath"
	"testing"

	"absolink/archives/internal/sample"
)

// The archives and lists are those that the command absolink writes.
func TestSameAsCommand(t *testing.T) {
	dir := t.TempDir()
	absolink := filepath.Join(dir, "absolink.exe")
	command := func(name string, args ...string) {
		t.Helper()
		if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v, %s", args, err, out)
		}
	}
	command("go", "build", "-C", "../..", "-o", absolink, "./cmd/absolink")
	archives := map[string][]byte{
		"a.warc.gz":  sample.Archive(1, 60),
		"b.warc":     sample.Unzip(t, sample.Archive(2, 60)),
		"c.warc.zst": sample.Archive(3, 60), // its name says how to compress the output
		"d.arc":      []byte(arc),
		"e.wacz":     wacz(t, samples()),
	}
	for _, name := range []string{"httrack.arc", "js-wacz.wacz", "archivewebpage.wacz"} {
		archives[name] = read(t, "../../testdata/archives/"+name)
	}
	m := manifest(t, archives)
	o := Options{Manifest: m, Out: t.TempDir(), Convert: true, List: "jsonl"}
	mustRun(t, o)
	got := tree(t, o.Out)
	for name := range archives {
		input := filepath.Join(filepath.Dir(m), name)
		converted, _ := compression(name)
		for key, args := range map[string][]string{
			"converted/" + converted:  {"warc", "--reproducible", input, "-o"},
			"list/" + name + ".jsonl": {"list", input, "-o"},
		} {
			output := filepath.Join(dir, filepath.Base(key))
			command(absolink, append(args, output)...)
			if want := string(read(t, output)); got[key] != want {
				t.Errorf("%s differs: %d bytes, the command writes %d", key, len(got[key]), len(want))
			}
		}
	}
}
