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
	time.Sleep(settlePause / 4)
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
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(conn, "GET / HTTP/1.0\r\n\r\n")
		all.Go(func() {
			defer conn.Close()
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
