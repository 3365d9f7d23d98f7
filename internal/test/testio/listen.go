package testio

import (
	"net"
	"testing"
	"time"
)

// FreeAddress returns an address of this machine on which nothing listens.
func FreeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// AwaitListener waits until somebody listens at an address. It may be called from any goroutine
// of the test.
func AwaitListener(t testing.TB, network, address string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		conn, err := net.Dial(network, address)
		if err == nil {
			conn.Close()
			return
		}
		if time.Now().After(deadline) {
			t.Error(err)
			return
		}
	}
}
