package mail

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"math"
	"strings"

	"absolink/resolver"
	"absolink/rewriter"
)

// A name is what a part is called in a message: its Content-Location, absolute
// where a base is known.
type name struct {
	message int64 // its offset
	url     string
}

// names are those of the parts of a message or mbox file.
type names struct {
	parts   map[name]int64 // where the part begins that has the name, or several
	size    int            // about what they take in memory
	limit   int            // for size
	horizon int64          // the parts that begin before are known
}

const several = -1

var errStop = errors.New("there are no parts")

// lookAhead finds the names of parts, and returns what to read after that: src
// again.
func (r *Rewriter) lookAhead(p resolver.Profile, src io.Reader, outer *resolver.Base) (*names, io.Reader) {
	limit := cmp.Or(r.Hold, defaultHold)
	found := &names{parts: map[name]int64{}, limit: limit, horizon: math.MaxInt64}
	if s, ok := src.(io.Seeker); ok {
		if start, err := s.Seek(0, io.SeekCurrent); err == nil {
			r.walk(p, nil, src, found).messages(outer)
			if _, err := s.Seek(start, io.SeekStart); err != nil {
				src = failed{err}
			}
			return found, src
		}
	}
	record := &recorder{r: src, limit: limit}
	w := r.walk(p, nil, record, found)
	if err := w.messages(outer); record.cut && err != errStop {
		found.horizon = min(found.horizon, w.last)
	}
	if record.err != nil {
		src = failed{record.err}
	}
	return found, io.MultiReader(bytes.NewReader(record.held), src)
}

// A recorder holds what is read, up to limit bytes; more is not read.
type recorder struct {
	r     io.Reader
	limit int
	held  []byte
	cut   bool
	err   error // of r
}

func (r *recorder) Read(p []byte) (int, error) {
	if len(r.held) == r.limit {
		r.cut = true
	}
	if r.cut || r.err != nil {
		return 0, io.EOF
	}
	n, err := r.r.Read(p[:min(len(p), r.limit-len(r.held))])
	r.held = append(r.held, p[:n]...)
	if r.err = err; err != nil {
		err = io.EOF
	}
	return n, err
}

type failed struct{ err error }

func (f failed) Read([]byte) (int, error) { return 0, f.err }

// name takes the name of a part.
func (w *walk) name(h *header, outer scope) {
	n := w.names
	url := w.location(h, outer.layer.Base)
	if url == "" {
		return
	}
	key := name{outer.message, url}
	at, ok := n.parts[key]
	switch {
	case ok && at == h.offset:
		return
	case ok:
		n.parts[key] = several
	case n.size > n.limit:
		n.horizon = min(n.horizon, h.offset)
	default:
		n.parts[key] = h.offset
		n.size += len(url) + 64
	}
	if w.html != nil && !w.toldHold {
		w.toldHold = true
		w.warn(h.offset, ErrHold)
	}
}

// location returns the Content-Location of an entity in its absolute form (RFC
// 2110 §4), as it is where it has none; "" where there is none.
func (w *walk) location(h *header, base *resolver.Base) string {
	url := urlIn(h.get("Content-Location"))
	if url == "" || len(url) > maxURL {
		return ""
	}
	for _, field := range baseFields[:2] {
		if b, _ := w.base(field, h.get(field), base); b != nil {
			base = b
			break
		}
	}
	if base == nil {
		if b, err := resolver.ParseBase(url, w.profile); err == nil {
			return withoutFragment(b.String())
		}
	} else if s, err := base.Resolve(url); err == nil {
		url = s
	}
	return withoutFragment(url)
}

func withoutFragment(url string) string {
	url, _, _ = strings.Cut(url, "#")
	return url
}

// isPart reports whether a relative reference names another part of the message as
// it is written. Without the BASE its absolute form alone does.
func (n *names) isPart(message, part int64, p *rewriter.Place, withoutBase bool) bool {
	if p.URL == "" || p.URL == p.Ref {
		return false
	}
	isName := func(url string) bool {
		at, ok := n.parts[name{message, withoutFragment(url)}]
		return ok && at != part
	}
	return isName(p.Ref) || !withoutBase && isName(p.URL)
}
