package serve

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"absolink/internal/coding"
)

// A response is what a function writes. It is held back up to maxHeld bytes.
type response struct {
	x      *Exchange
	held   *bytes.Buffer   // nil before open, and once the header is written
	begun  bool            // the header is written
	coding []coding.Coding // by Accept-Encoding; empty is none
	enc    *coding.Writer  // nil before the header is written, and without a coding
}

// open makes a response to the request of x.
func (o *response) open(x *Exchange) {
	o.x, o.held = x, buffers.Get().(*bytes.Buffer)
	if c, ok := coding.Accepted(x.Request.Header.Values("Accept-Encoding")...); ok {
		o.coding = []coding.Coding{c}
	}
}

// Write takes a piece of the response.
func (o *response) Write(p []byte) (int, error) {
	if !o.begun && o.held.Len()+len(p) <= maxHeld {
		return o.held.Write(p)
	}
	if err := o.begin(false); err != nil {
		return 0, err
	}
	return o.send(p)
}

func (o *response) send(p []byte) (int, error) {
	if o.enc != nil {
		return o.enc.Write(p)
	}
	return o.x.writer.Write(p)
}

// begin writes the header and what was held back, unless that is done already. whole says
// that nothing follows.
func (o *response) begin(whole bool) error {
	if o.begun {
		return nil
	}
	h := o.x.writer.Header()
	h.Set("Content-Type", o.x.Type)
	h.Add("Vary", "Accept-Encoding")
	if len(o.coding) > 0 {
		h.Set("Content-Encoding", o.coding[0].String())
		o.enc = coding.NewWriter(o.x.writer, o.coding)
	} else if whole {
		h.Set("Content-Length", strconv.Itoa(o.held.Len()))
	}
	if !whole {
		h.Set("Trailer", strings.Join(ResultNames, ", "))
	}
	held := o.held
	o.held, o.begun = nil, true
	defer recycle(held)
	o.x.writer.WriteHeader(http.StatusOK)
	_, err := o.send(held.Bytes())
	return err
}

// end ends a response that is whole.
func (o *response) end() error {
	if o.x.Result != nil {
		o.x.setResult(o.x.writer.Header(), o.begun)
	}
	if err := o.begin(true); err != nil {
		return err
	}
	if o.enc != nil {
		return o.enc.Close()
	}
	return nil
}

// release gives back what the response holds.
func (o *response) release() {
	if o.held != nil {
		recycle(o.held)
		o.held = nil
	}
	if o.enc != nil {
		o.enc.Release()
		o.enc = nil
	}
}

// ResultNames are the names of the headers or trailers that say what was done: texts first,
// and then counts.
var ResultNames = []string{
	"Absolink-Base", "Absolink-Base-Origin", "Absolink-Limits",
	"Absolink-Rewritten", "Absolink-Absolute", "Absolink-Left", "Absolink-Unresolvable", "Absolink-Removed", "Absolink-Warnings",
}

// ResultTexts is how many of ResultNames are texts.
const ResultTexts = 3

// maxTrailer is how long the value of a trailer may be. Go's client refuses an answer with
// more than 4 KiB of trailers, and curl refuses one with a trailer of more than 4 KiB: with
// two values of this length, all trailers together are shorter.
const maxTrailer = 3 << 9

// setResult sets the fields with ResultNames, except texts that are empty. As a trailer, a
// base that is too long is left out; its origin is still there.
func (x *Exchange) setResult(h http.Header, trailer bool) {
	r := x.Result
	for i, n := range []int{r.Rewritten, r.Absolute, r.Left, r.Unresolvable, r.Removed, r.Warnings} {
		h.Set(ResultNames[ResultTexts+i], strconv.Itoa(n))
	}
	base := ""
	if r.Base.URL != nil {
		base = r.Base.URL.String()
	}
	for i, s := range []string{base, x.Origin, strings.Join(x.limits, ", ")} {
		if value := fieldValue(s); value != "" && (!trailer || len(value) <= maxTrailer) {
			h.Set(ResultNames[i], value)
		}
	}
}

// fieldValue returns s with a percent-escape for each byte that is not visible ASCII or a
// space.
func fieldValue(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
