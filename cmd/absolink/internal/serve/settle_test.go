package serve

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"
)

// A slowListener accepts connections as slowly as a server that others leave no processor.
type slowListener struct{ net.Listener }

func (l slowListener) Accept() (net.Conn, error) {
	time.Sleep(5 * time.Millisecond)
	return l.Listener.Accept()
}

// Requests whose connections nobody has accepted yet when a server is to end are answered, too.
func TestRunAcceptsWhatWaits(t *testing.T) {
	const clients = 30
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	answers := make(chan error, clients)
	for range clients {
		conn := dial(t, l.Addr().String())
		io.WriteString(conn, "GET / HTTP/1.0\r\n\r\n")
		all.Go(func() {
			answer, err := io.ReadAll(conn)
			if err == nil && len(answer) == 0 {
				err = errors.New("no answer")
			}
			answers <- err
		})
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") })
	if err := Run(ctx, slowListener{l}, handler, slog.New(slog.DiscardHandler), time.Minute, Limits{Connections: 5}); err != nil {
		t.Error(err)
	}
	all.Wait()
	close(answers)
	for err := range answers {
		if err != nil {
			t.Error(err)
		}
	}
}

// A request that waits for the place of an idle connection when a server is to end is answered.
func TestRunClosesIdle(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") })
	address, stop, ended := run(t, handler, time.Minute, Limits{Connections: 1})
	var conns [2]net.Conn
	for i := range conns {
		conns[i] = dial(t, address)
		io.WriteString(conns[i], "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
		if i == 0 {
			conns[i].Read(make([]byte, 1000)) // it is idle now
		}
	}
	stop()
	if answer, err := io.ReadAll(conns[1]); err != nil || len(answer) == 0 {
		t.Errorf("%q, %v", answer, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
