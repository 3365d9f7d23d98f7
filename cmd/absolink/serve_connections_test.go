package main

import (
	"absolink/internal/test/soak"
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

// Eight documents at a time that are held for want of a base take a bounded amount of
// memory. Documents in UTF-16 take most.
func TestServeHostile(t *testing.T) {
	soak.Only(t)
	server := startServe(t)
	for name, test := range map[string]struct{ start, many string }{
		"utf-8":                  {"<link href=s><title>", "x"},
		"utf-8, places":          {"", "<link href=s>"},
		"utf-16":                 {wide("<link href=s><title>", ""), "\x2d\x4e"},
		"utf-16, places":         {"\xff\xfe", wide("<link href=s>", "")[2:]},
		"utf-16, two code units": {wide("<link href=s><title>", ""), "\x3d\xd8\x00\xde"},
		"utf-16, tag":            {wide("<p><a href='", ""), "x\x00"},
		"feed":                   {"<rss><channel><item><description>", "&lt;a href=x&gt;"},
		"message":                {"Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<link href=3Ds>", "<link href=3Ds>"},
	} {
		peak := watchMemory()
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				piece := strings.Repeat(test.many, 64<<10/len(test.many))
				body := []io.Reader{strings.NewReader(test.start)}
				for range 8 << 4 {
					body = append(body, strings.NewReader(piece))
				}
				resp, err := http.Post(server+"/rewrite?url=http://h/", "", io.MultiReader(body...))
				if err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
				defer resp.Body.Close()
				if n, err := io.Copy(io.Discard, resp.Body); resp.StatusCode != http.StatusOK || n < 7<<20 || err != nil {
					t.Errorf("%s: %s, %d bytes, %v", name, resp.Status, n, err)
				}
			})
		}
		all.Wait()
		if got := peak() >> 20; got > 160 {
			t.Errorf("%s: %d MiB", name, got)
		} else {
			t.Logf("%s: %d MiB", name, got)
		}
	}
}

// wide returns a page as UTF-16.
func wide(page, base string) string {
	return "\xff\xfe" + strings.Join(strings.Split(page, ""), "\x00") + "\x00"
}

// watchMemory measures the memory that the process has of the system, until the function
// that it returns is called, which returns the most.
func watchMemory() (peak func() uint64) {
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
