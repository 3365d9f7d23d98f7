package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestCursor(t *testing.T) {
	text := "ab\n\ncd\r\n" + strings.Repeat("x", 100<<10) + "\ny"
	name := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	c := openCursor(name)
	defer c.close()
	for _, offset := range []int{0, 1, 2, 3, 4, 5, 8, 9, 50 << 10, len(text) - 2, len(text) - 1, len(text), 4, 1, 60 << 10} {
		before := text[:offset]
		line, column := int64(strings.Count(before, "\n")+1), int64(offset-strings.LastIndex(before, "\n"))
		if l, c := c.position(int64(offset)); l != line || c != column {
			t.Errorf("offset %d is %d:%d, want %d:%d", offset, l, c, line, column)
		}
	}
	missing := openCursor(name + "none")
	missing.position(5)
	missing.close()
}

// A page of dead links is read twice, not once for each link.
func TestCheckOfManyLinks(t *testing.T) {
	dir := t.TempDir()
	const links = 100_000
	if err := os.WriteFile(filepath.Join(dir, "a.html"), []byte(strings.Repeat("<a href=x>\n", links)), 0o666); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	var out, messages strings.Builder
	if code := run([]string{"tree", "--check", "--json", "--url", "http://h/", dir}, nil, &out, &messages); code != exitNotDone {
		t.Fatalf("exit code %d: %s", code, messages.String())
	}
	if n := strings.Count(out.String(), "\n"); n != links+1 {
		t.Errorf("%d lines", n)
	}
	if !strings.Contains(out.String(), `"line":100000,"column":9,`) {
		t.Errorf("%.300s", out.String())
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}
