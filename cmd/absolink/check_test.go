package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

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
