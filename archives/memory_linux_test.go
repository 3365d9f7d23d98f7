package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"absolink/archives/internal/sample"
)

// A process stays below 600 MB, whatever is in an archive: very many hosts, or very long
// hosts and values, where a megabyte decompresses to hundreds.
func TestMemory(t *testing.T) {
	dir := t.TempDir()
	page := func(n int, link func(i int) string) []byte {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "<a href=%q>", link(i))
		}
		return sample.Record("response", "http://a.example/", "text/html", b.String())
	}
	var long, values []byte
	for p := range 20 {
		long = append(long, page(250, func(i int) string { return fmt.Sprintf("//%s%d.x/y", strings.Repeat("a", 60000), p*1000+i) })...)
		values = append(values, page(8, func(i int) string { return fmt.Sprint(i, strings.Repeat("x", 900000)) })...)
	}
	// What stands in a dictionary: names, relations and hosts, long and short, and the URLs of pages.
	tags := func(tag func(i int) string) (archive []byte) {
		for p := range 20 {
			var b strings.Builder
			for i := range 5000 {
				b.WriteString(tag(p*5000 + i))
				if b.Len() > 20<<20 {
					break
				}
			}
			archive = append(archive, sample.Record("response", "http://a.example/", "text/html", b.String())...)
		}
		return archive
	}
	relations := tags(func(i int) string { return fmt.Sprintf("<a href=/ rel='%d %s'>", i, strings.Repeat("r", 8000)) })
	names := tags(func(i int) string { return fmt.Sprintf("<x%d href=//h%d.d%d.net rel=r%d>", i, i, i, i) })
	var urls []byte
	for i := range 4400 {
		urls = append(urls, sample.Record("response", fmt.Sprintf("http://a.example/%d%s", i, strings.Repeat("u", 8000)), "text/html", "<a href=/>")...)
	}
	many := page(120000, func(i int) string { return fmt.Sprintf("//h%d.x", i) })
	for name, archive := range map[string][]byte{"long.warc.gz": long, "values.warc.gz": values, "many.warc.gz": many, "relations.warc.gz": relations, "names.warc.gz": names, "urls.warc.gz": urls} {
		if len(archive) > 1<<20 {
			t.Errorf("%s has %d bytes", name, len(archive))
		}
		write(t, filepath.Join(dir, name), archive)
		manifest := filepath.Join(dir, name+".txt")
		write(t, manifest, []byte(filepath.Join(dir, name)+"\n"))
		mustDo(t, asProcess(t, "plan", "--manifest", manifest, "--out", filepath.Join(dir, "out"), "--list", "parquet"))
		cmd := asProcess(t, "do", "--out", filepath.Join(dir, "out"), "--list", "parquet", filepath.Join(dir, name))
		out, err := cmd.CombinedOutput()
		if _, missing := os.Stat(filepath.Join(dir, "out", "list", name+".parquet")); err != nil || missing != nil {
			t.Errorf("%s: %v, %v, %s", name, err, missing, out)
		}
		if peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss / 1000; peak > 600 {
			t.Errorf("%s takes %d MB", name, peak)
		} else {
			t.Logf("%s takes %d MB", name, peak)
		}
	}
}
