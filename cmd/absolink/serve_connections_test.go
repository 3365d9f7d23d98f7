package main

import (
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"absolink/internal/test/testio"
)

// Both versions of HTTP are spoken on one port, and a Unix socket is served.
func TestServeProtocols(t *testing.T) {
	path := t.TempDir() + "/socket"
	var stderr strings.Builder
	cmd := exec.Command("absolink", "serve", "--listen", "unix:"+path, "--grace", "1s")
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	testio.AwaitListener(t, "unix", path) // the file is there before anybody listens
	for _, http2 := range []bool{false, true} {
		var protocols http.Protocols
		protocols.SetHTTP1(!http2)
		protocols.SetUnencryptedHTTP2(http2)
		transport := &http.Transport{Protocols: &protocols, Dial: func(_, _ string) (net.Conn, error) { return net.Dial("unix", path) }}
		resp, err := (&http.Client{Transport: transport}).Post("http://localhost/rewrite?url=http://h/", "text/html", strings.NewReader("<a href=x>"))
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if want := map[bool]int{false: 1, true: 2}[http2]; resp.ProtoMajor != want || string(b) != "<a href=http://h/x>" {
			t.Errorf("%s %s", resp.Proto, b)
		}
		transport.CloseIdleConnections()
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Skip(err)
	}
	if err := cmd.Wait(); err != nil || !strings.Contains(stderr.String(), "msg=stopped") {
		t.Errorf("%v\n%s", err, &stderr)
	}
}
