package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Listen listens on host:port, or on the Unix socket of unix:PATH. A host that is an address of
// IPv4, also 0.0.0.0, is listened on by IPv4 alone. A socket that nobody serves any more is
// replaced.
func Listen(address string) (net.Listener, error) {
	path, unix := strings.CutPrefix(address, "unix:")
	if !unix {
		network := "tcp"
		host, _, _ := net.SplitHostPort(address)
		if ip, _ := netip.ParseAddr(host); ip.Is4() {
			network = "tcp4"
		}
		return net.Listen(network, address)
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

// drainTimeout is how long a body may take to arrive that nobody reads, and a response to leave
// that no job makes. It is shorter in tests.
var drainTimeout = 10 * time.Second

// drainDeadline returns when drainTimeout will have passed.
func drainDeadline() time.Time { return time.Now().Add(drainTimeout) }

// limitDrain limits how long a body may take to arrive that no handler reads: the server
// waits for it before it sends the response.
func limitDrain(w http.ResponseWriter) {
	http.NewResponseController(w).SetReadDeadline(drainDeadline())
}

// limitWrite limits how long a client may take to read a response that no job makes. Where the
// request has a body, the time begins when the server has waited for that.
func limitWrite(w http.ResponseWriter, r *http.Request) {
	deadline := drainDeadline()
	if r.Body != http.NoBody {
		deadline = deadline.Add(drainTimeout)
	}
	http.NewResponseController(w).SetWriteDeadline(deadline)
}

// maxFields is how many fields the header of a request may have, with the names of its
// trailers: each takes some hundred bytes, however short it is.
const maxFields = 100

// tooManyFields answers a request with more than maxFields. Its body does not arrive any more, and
// the connection does not linger, because the header would be held until then.
var tooManyFields = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	limitWrite(w, r)
	http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0))
	if r.ProtoMajor == 1 {
		w.Header().Set("Connection", "close")
	}
	Problemf(http.StatusRequestHeaderFieldsTooLarge, "the header has more than %d fields", maxFields).write(w)
})

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
	maxWindow     = 64 << 10 // how much arrives of a body with HTTP/2 that nobody reads
)

// Limits are of what reaches a server.
type Limits struct {
	Header      int // how many bytes the header of a request may have; net/http reads 4 KiB more
	Connections int // how many may be open at a time, while more wait; 0 is any number
}

const (
	settlePause   = 20 * time.Millisecond
	settleTimeout = 5 * time.Second
)

// A listener accepts a connection when there is a place for it in open. It knows how many
// Accept has returned, and which of them have sent no request yet. Unlike
// netutil.LimitListener, it leaves the connections what they are, for cutOff.
type listener struct {
	net.Listener
	open     chan struct{}
	closed   context.Context
	close    context.CancelFunc
	accepted atomic.Int64
	silent   sync.Map // net.Conn → struct{}
}

// newListener returns a listener that has so many connections open at a time; 0 is any number.
func newListener(l net.Listener, connections int) *listener {
	places := cmp.Or(connections, math.MaxInt) // which take no memory
	closed, close := context.WithCancel(context.Background())
	return &listener{Listener: l, open: make(chan struct{}, places), closed: closed, close: close}
}

// Accept implements [net.Listener].
func (l *listener) Accept() (net.Conn, error) {
	select {
	case l.open <- struct{}{}:
	case <-l.closed.Done():
		return nil, net.ErrClosed
	}
	conn, err := l.Listener.Accept()
	l.accepted.Add(1)
	if err != nil {
		<-l.open
		return nil, err
	}
	l.silent.Store(conn, nil)
	return conn, nil
}

// heard is told of each state of a connection.
func (l *listener) heard(conn net.Conn, state http.ConnState) {
	if state != http.StateNew {
		l.silent.Delete(conn)
	}
	if state == http.StateClosed || state == http.StateHijacked {
		<-l.open
	}
}

// Close implements [net.Listener].
func (l *listener) Close() error {
	l.close()
	return l.Listener.Close()
}

// settle closes the listener, and waits until each connection has sent a request or ended,
// but not longer than ctx. First it waits until those are accepted that have arrived, but not
// longer than settleTimeout: the system resets the others when a listener closes. A request may
// wait although it is there, where the machine is busy; Shutdown would close its connection
// after 5 s, and an idle one at once. makeRoom is called where connections of TCP wait for
// others.
func (l *listener) settle(ctx context.Context, makeRoom func()) {
	waiting, cancel := context.WithTimeout(ctx, settleTimeout)
	l.awaitAccepted(waiting, makeRoom)
	cancel()
	l.Close()
	for ctx.Err() == nil && l.anySilent() {
		time.Sleep(settlePause)
	}
}

// awaitAccepted waits until the connections are accepted that have arrived, but not longer than
// ctx. TCP has connections accepted in the order in which they arrived, so that one that is made
// here is the last. On a Unix socket, a connection has no address to know it by: there, none may
// arrive for settlePause.
func (l *listener) awaitAccepted(ctx context.Context, makeRoom func()) {
	if l.Addr().Network() == "tcp" {
		last, err := new(net.Dialer).DialContext(ctx, "tcp", l.Addr().String())
		if err == nil {
			defer last.Close()
			makeRoom := sync.OnceFunc(makeRoom)
			for time.Sleep(settlePause); ctx.Err() == nil && !l.isSilent(last.LocalAddr().String()); time.Sleep(settlePause) {
				makeRoom()
			}
			return
		}
	}
	for accepted := int64(-1); ctx.Err() == nil && l.accepted.Load() != accepted; {
		accepted = l.accepted.Load()
		time.Sleep(settlePause)
	}
}

// isSilent reports whether the connection from an address is accepted, and has sent no request.
func (l *listener) isSilent(address string) bool {
	for conn := range l.silent.Range {
		if conn.(net.Conn).RemoteAddr().String() == address {
			return true
		}
	}
	return false
}

func (l *listener) anySilent() (found bool) {
	l.silent.Range(func(_, _ any) bool { found = true; return false })
	return found
}

// Run serves requests until ctx ends, accepts the connections that wait then, and lets the
// requests in progress end, for as long as grace. It speaks HTTP/1.1, and HTTP/2 without TLS.
func Run(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger, grace time.Duration, limits Limits) error {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	accepting := newListener(l, limits.Connections)
	server := &http.Server{
		Handler: h, Protocols: &protocols, ConnState: accepting.heard,
		DisableGeneralOptionsHandler: true, // OPTIONS * is a request like any other
		ConnContext:                  func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
		ReadHeaderTimeout:            headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: limits.Header,
		HTTP2:    &http.HTTP2Config{MaxReceiveBufferPerStream: maxWindow, WriteByteTimeout: idleTimeout},
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		last, cancel := context.WithTimeout(context.Background(), grace)
		defer cancel()
		accepting.settle(last, func() { server.SetKeepAlivesEnabled(false) }) // idle ones of HTTP/1 end
		err := server.Shutdown(last)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			server.Close()
			err = fmt.Errorf("requests were cut off after %v", grace)
		case errors.Is(err, net.ErrClosed):
			err = nil // settle has closed the listener
		}
		stopped <- err
	}()
	if err := server.Serve(accepting); ctx.Err() == nil {
		return err
	}
	return <-stopped
}
