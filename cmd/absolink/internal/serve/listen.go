package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"
)

// Listen listens on host:port, or on the Unix socket of unix:PATH. A socket that nobody
// serves any more is replaced.
func Listen(address string) (net.Listener, error) {
	path, unix := strings.CutPrefix(address, "unix:")
	if !unix {
		return net.Listen("tcp", address)
	}
	l, err := net.Listen("unix", path)
	if !errors.Is(err, syscall.EADDRINUSE) {
		return l, err
	}
	info, statErr := os.Lstat(path)
	if statErr != nil || info.Mode().Type() != fs.ModeSocket {
		return nil, err
	}
	conn, dialErr := net.Dial("unix", path)
	if dialErr == nil {
		conn.Close()
	}
	if !errors.Is(dialErr, syscall.ECONNREFUSED) { // it is served, perhaps for others
		return nil, err
	}
	os.Remove(path)
	return net.Listen("unix", path)
}

// Address returns how clients reach a listener.
func Address(l net.Listener) string {
	if l.Addr().Network() == "unix" {
		return "unix:" + l.Addr().String()
	}
	return "http://" + l.Addr().String()
}

// drainTimeout is how long a body may take to arrive that nobody reads.
var drainTimeout = 10 * time.Second

// limitDrain limits how long a body may take to arrive that no handler reads: the server
// waits for it before it sends the response.
func limitDrain(w http.ResponseWriter) {
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(drainTimeout))
}

type connKey struct{}

// cutOff has the connection of an HTTP/1.0 request reset. Without chunks, the end of the
// connection would otherwise end a response as if it were whole.
func cutOff(r *http.Request) {
	if conn, ok := r.Context().Value(connKey{}).(*net.TCPConn); ok && !r.ProtoAtLeast(1, 1) {
		conn.SetLinger(0)
	}
}

const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	maxHeader     = 64 << 10
)

// Run serves requests until ctx ends, and then lets the requests in progress end, for as
// long as grace. It speaks HTTP/1.1, and HTTP/2 without TLS.
func Run(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger, grace time.Duration) error {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{
		Handler: h, Protocols: &protocols,
		ConnContext:       func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
		ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		last, cancel := context.WithTimeout(context.Background(), grace)
		defer cancel()
		err := server.Shutdown(last)
		if err != nil {
			server.Close()
			err = fmt.Errorf("requests were cut off after %v: %w", grace, err)
		}
		stopped <- err
	}()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}
