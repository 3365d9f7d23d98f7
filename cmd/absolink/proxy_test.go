package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"absolink/internal/test/testio"
)

// chatty starts a server that answers each request, and then says more than it was asked for.
func chatty(t *testing.T) (url string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				if _, err := http.ReadRequest(bufio.NewReader(conn)); err != nil {
					return
				}
				io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
				io.WriteString(conn, "HTTP/1.1 200 \x1b[31mUnasked\n")
				conn.(*net.TCPConn).CloseWrite()
				io.Copy(io.Discard, conn)
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

// Everything that a server says is a line of its log, also what net/http says by itself; with
// --log none, it says nothing at all.
func TestServerLog(t *testing.T) {
	for format, isLine := range map[string]func(line string) bool{
		"json": func(line string) bool { return json.Valid([]byte(line)) && strings.Contains(line, `"level":"`) },
		"text": func(line string) bool { return strings.HasPrefix(line, "time=") },
		"none": func(string) bool { return false },
	} {
		dir := t.TempDir()
		socket, log := dir+"/s", dir+"/log"
		cmd := exec.Command("absolink", "proxy", "--log", format, "--listen", "unix:"+socket, chatty(t))
		stderr, err := os.Create(log)
		cmd.Stderr = stderr
		if err := errors.Join(err, cmd.Start()); err != nil {
			t.Fatal(err)
		}
		defer stderr.Close()
		defer cmd.Process.Kill()
		testio.AwaitListener(t, "unix", socket)
		client := &http.Client{Transport: &http.Transport{Dial: func(_, _ string) (net.Conn, error) { return net.Dial("unix", socket) }}}
		for n := 0; n < 3 || format != "none" && n < 1000 && !strings.Contains(readFile(t, log), "Unsolicited"); n++ {
			resp, err := client.Get("http://localhost/")
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			time.Sleep(10 * time.Millisecond) // in which net/http reads what is more than was asked for
		}
		cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("--log %s: %v", format, err)
		}
		warned := format == "none"
		for line := range strings.Lines(readFile(t, log)) {
			line = strings.TrimSuffix(line, "\n")
			if !isLine(line) || strings.Contains(line, "\x1b") {
				t.Errorf("--log %s: %q", format, line)
			}
			warned = warned || strings.Contains(line, "WARN") && strings.Contains(line, "Unsolicited")
		}
		if !warned {
			t.Errorf("--log %s: %s", format, readFile(t, log))
		}
	}
}
