package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// A thousand connections at once, each with a page, take less than 256 MB.
func TestServeConnections(t *testing.T) {
	const connections = 1000
	server := startServe(t)
	page := strings.Repeat("<p>text <a href=x>x</a>\n", 200<<10/24)
	want := len(page) + strings.Count(page, "=x")*len("http://h/d/")
	address := strings.TrimPrefix(server, "http://")
	var conns []net.Conn
	for range connections {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Skip(err) // of file descriptors
		}
		defer conn.Close()
		conns = append(conns, conn)
	}
	peak := watchMemory()
	var all sync.WaitGroup
	for _, conn := range conns {
		all.Go(func() {
			w := bufio.NewWriterSize(conn, 4<<10)
			io.WriteString(w, "POST /rewrite?url=http://h/d/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/html\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n")
			chunk := func(s string) { fmt.Fprintf(w, "%x\r\n%s\r\n", len(s), s) }
			chunk(page[:len(page)/2])
			w.Flush()
			chunk(page[len(page)/2:])
			io.WriteString(w, "0\r\n\r\n")
			w.Flush()
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Error(err)
				return
			}
			if n, err := io.Copy(io.Discard, resp.Body); resp.StatusCode != 200 || n != int64(want) || err != nil {
				t.Errorf("%s, %d bytes, %v", resp.Status, n, err)
			}
		})
	}
	all.Wait()
	if got := peak(); got > 256<<20 {
		t.Errorf("%d MiB", got>>20)
	} else {
		t.Logf("%d MiB", got>>20)
	}
}

// wide returns a page as UTF-16.
func wide(page, base string) string {
	return "\xff\xfe" + strings.Join(strings.Split(page, ""), "\x00") + "\x00"
}

// watchMemory measures the memory that the process has of the system, until the function
// that it returns is called, which returns the most.
func watchMemory() (peak func() uint64) {
	runtime.GC() // what earlier tests have left does not count
	stop, done := make(chan struct{}), make(chan uint64)
	go func() {
		var most uint64
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapInuse+m.StackInuse)
			select {
			case <-stop:
				done <- most
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return func() uint64 { close(stop); return <-done }
}

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
	for range 500 {
		if conn, err := net.Dial("unix", path); err == nil { // the file is there before anybody listens
			conn.Close()
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
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
