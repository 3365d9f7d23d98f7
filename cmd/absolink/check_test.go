package main

import (
	"absolink/internal/test/soak"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A page of dead links is read twice, not once for each link.
func TestCheckOfManyLinks(t *testing.T) {
	dir := t.TempDir()
	links := soak.N(100_000)
	if err := os.WriteFile(filepath.Join(dir, "a.html"), []byte(strings.Repeat("<a href=x>\n", links)), 0o666); err != nil {
		t.Fatal(err)
	}
	var out, messages strings.Builder
	if code := run([]string{"tree", "--check", "--json", "--url", "http://h/", dir}, nil, &out, &messages); code != exitNotDone {
		t.Fatalf("exit code %d: %s", code, messages.String())
	}
	if n := strings.Count(out.String(), "\n"); n != links+2 {
		t.Errorf("%d lines", n)
	}
	if !strings.Contains(out.String(), fmt.Sprintf(`"line":%d,"column":9,`, links)) {
		t.Errorf("%.300s", out.String())
	}
}
