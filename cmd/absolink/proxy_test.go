package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
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

var listeningAt = regexp.MustCompile(`http://[0-9.:]+`)

// Everything that a server says is a line of its log, also what net/http says by itself.
func TestServerLog(t *testing.T) {
	for format, isLine := range map[string]func(line string) bool{
		"json": func(line string) bool { return json.Valid([]byte(line)) },
		"text": func(line string) bool { return strings.HasPrefix(line, "time=") },
	} {
		cmd := exec.Command("absolink", "proxy", "--log", format, "--listen", "127.0.0.1:0", chatty(t))
		stderr, err := cmd.StderrPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(stderr)
		said := ""
		for lines.Scan() {
			if !isLine(lines.Text()) {
				t.Errorf("--log %s: %q", format, lines.Text())
			}
			switch {
			case strings.Contains(lines.Text(), "msg=listening"), strings.Contains(lines.Text(), `"msg":"listening"`):
				resp, err := http.Get(listeningAt.FindString(lines.Text()))
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
			case strings.Contains(lines.Text(), "Unsolicited"):
				said = lines.Text()
				cmd.Process.Signal(os.Interrupt)
			}
		}
		cmd.Wait()
		if !strings.Contains(said, "WARN") || strings.Contains(said, "\x1b") {
			t.Errorf("--log %s: %q", format, said)
		}
	}
}

// With --log none, a server says nothing at all.
func TestServerLogNone(t *testing.T) {
	path := t.TempDir() + "/socket"
	var stderr strings.Builder
	cmd := exec.Command("absolink", "proxy", "--log", "none", "--listen", "unix:"+path, chatty(t))
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{Dial: func(_, _ string) (net.Conn, error) { return net.Dial("unix", path) }}}
	for answered, deadline := 0, time.Now().Add(30*time.Second); answered < 3; {
		resp, err := client.Get("http://localhost/")
		switch {
		case err == nil:
			resp.Body.Close()
			answered++
		case time.Now().After(deadline):
			t.Fatal(err)
		default:
			time.Sleep(10 * time.Millisecond) // until somebody listens
		}
	}
	cmd.Process.Signal(os.Interrupt)
	if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
		t.Errorf("%v\n%s", err, &stderr)
	}
}
