package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"absolink/internal/test/docs"
	"absolink/internal/test/testio"
)

// The proxy in docs/http.md refuses what absolink proxy refuses.
func TestDocsProxy(t *testing.T) {
	t.Parallel()
	program := ""
	for _, page := range docs.Pages(t) {
		for _, b := range page.Blocks() {
			if page.Name == "docs/http.md" && b.Language == "go" && strings.HasPrefix(b.Text, "package main") {
				program = b.Text
			}
		}
	}
	start := func(target string) string { return startProgram(t, program, target) }
	testio.ProxyTargets(t, start)
	testio.ProxyAnswers(t, start)

	upgrade := "?"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		upgrade = r.Header.Get("Connection") + r.Header.Get("Upgrade") + r.Header.Get("Http2-Settings")
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<a href=x>")
	}))
	defer server.Close()
	address := startProgram(t, program, server.URL)
	resp, got := ask(t, "GET", "http://"+address+"/docs/", "", "Connection", "Upgrade, HTTP2-Settings", "Upgrade", "h2c", "HTTP2-Settings", "AAMAAABk")
	if upgrade != "" || got != "<a href="+server.URL+"/docs/x>" {
		t.Errorf("upgrade %q, %s %s", upgrade, resp.Status, got)
	}
}

// startProgram compiles and starts a proxy from the documentation before the server at a
// URL, and returns the proxy's address.
func startProgram(t *testing.T, program, target string) (address string) {
	t.Helper()
	address = testio.FreeAddress(t)
	dir := t.TempDir()
	source := filepath.Join(dir, "main.go")
	adapted := strings.NewReplacer("https://example.org/", target+"/", "localhost:8080", address).Replace(program)
	write(t, source, adapted)
	name := filepath.Join(dir, "proxy.exe")
	build := exec.Command("go", "build", "-o", name, source)
	build.Dir = docs.Root(t)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(name)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	testio.AwaitListener(t, "tcp", address)
	return address
}
