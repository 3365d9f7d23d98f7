package serve

import (
	"io"
	"net/http"
	"strings"
)

// linger has the server end the connection of HTTP/1 half a second after the answer. If a TCP
// connection is closed while its client still sends, the system resets it, and the client may
// never read the answer.
//
// net/http itself waits after an answer to a body that is longer than [http.MaxBytesReader] lets it
// be, and not after another Read of a body has failed. MaxBytesReader calls a method of the server's
// ResponseWriter that is not exported; linger has it called for a body of its own, of one byte.
// TestLingerOfGo fails where a version of Go does something else.
func linger(w http.ResponseWriter) {
	for {
		wrapper, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			break
		}
		w = wrapper.Unwrap()
	}
	http.MaxBytesReader(w, io.NopCloser(strings.NewReader("x")), 0).Read(make([]byte, 1))
}
