package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"absolink/archives/internal/sample"
)

// The calls that docs/cluster.md has for schedulers write the files of a job in one process.
func TestSchedulers(t *testing.T) {
	blocks := slices.DeleteFunc(blocksOf(t, "docs/cluster.md", "sh"), func(b string) bool { return !strings.Contains(b, "absolink-archives do") })
	if len(blocks) != 2 {
		t.Fatalf("%d blocks with do: %q", len(blocks), blocks)
	}
	job, plan, _ := strings.Cut(blocks[0], "\n")
	plan, _, _ = strings.Cut(plan, "\n")
	array := fmt.Sprintf("%s\n%s\nfor INDEX in $(seq 0 63); do %s\ndone\nabsolink-archives sum $job", job, plan, strings.TrimSpace(blocks[1]))
	m := archives(t, 5, "none/*.gz", "*.warc.gz")
	const odd = "--out=a 'b\"c.warc.gz" // no option, and one argument
	var want map[string]string
	for _, script := range []string{job + "\nabsolink-archives $job", blocks[0], array} {
		dir := t.TempDir()
		script = strings.ReplaceAll(script, "--convert", "--convert --max-dead 20% --split 2048")
		cmd := exec.Command("bash", "-e", "-o", "pipefail", "-c", script)
		cmd.Dir, cmd.Env = dir, append(asProcess(t).Env, "PATH="+dir+":"+os.Getenv("PATH"))
		for name, target := range map[string]string{"absolink-archives": os.Args[0], "archives.txt": m} {
			if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		write(t, filepath.Join(dir, odd), sample.Archive(9, 20))
		if err := os.Chtimes(filepath.Join(dir, odd), time.Unix(1, 0), time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
		if said := mustDo(t, cmd); !strings.Contains(said, "7 archives in, 6 done, 1 dead") {
			t.Fatalf("%s: %s", script, said)
		}
		got := tree(t, filepath.Join(dir, "out"))
		if want == nil {
			want = got
		}
		sample.Compare(t, got, want)
	}
}
