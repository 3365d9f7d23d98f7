package mail

import (
	"cmp"
	"errors"
	"io"
	"math"
	"strings"

	"absolink/internal/media"
	"absolink/internal/passage"
	"absolink/internal/steady"
	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/container"
)

// A name is what a part of a message is called: its Content-Location, absolute if a base
// is known.
type name struct {
	message int64 // its offset
	url     string
}

// names has the names of all parts of a message or an mbox file.
type names struct {
	parts   map[name]int64 // the offset of the part that has the name, or several
	size    int            // roughly the memory that parts takes
	limit   int            // of size
	horizon int64          // the names of parts at smaller offsets are known

	// If reading failed, more names may follow in the messages from an offset on.
	err  error
	open int64
}

const several = -1 // more than one part has the name

// nameSize is roughly the memory that a name takes, apart from its bytes.
const nameSize = 96

var errStop = errors.New("there are no parts")

// lookAhead finds the names of parts, and returns a reader of the same input for the
// next walk.
func (r *Rewriter) lookAhead(bases *rewriter.Rewriter, src io.Reader, outer *resolver.Base) (*names, io.Reader) {
	limit := cmp.Or(r.Hold, defaultHold)
	found := &names{parts: map[name]int64{}, limit: limit, horizon: math.MaxInt64}
	if s, ok := src.(io.Seeker); ok {
		if start, err := s.Seek(0, io.SeekCurrent); err == nil {
			r.walk(bases, nil, src, found).search(outer)
			if _, err := s.Seek(start, io.SeekStart); err != nil {
				src = &steady.Reader{Err: err}
			}
			return found, src
		}
	}
	src = &steady.Reader{Src: src}
	record := &recorder{src: src, names: found}
	w := r.walk(bases, nil, record, found)
	if err := w.search(outer); record.cut && err != errStop {
		found.horizon = min(found.horizon, w.last)
	}
	return found, io.MultiReader(&replay{held: record.held}, src)
}

// search walks in search of names.
func (w *walk) search(outer *resolver.Base) error {
	err := w.messages(outer)
	if w.err != errStop && w.in.Err() != nil {
		w.names.err, w.names.open = w.in.Err(), w.top
	}
	return err
}

// A recorder keeps what is read through it. It ends when what it keeps, and the names
// found there, reach the limit.
type recorder struct {
	src   io.Reader
	names *names
	held  passage.Trail
	cut   bool // the limit was reached
}

func (r *recorder) Read(p []byte) (int, error) {
	left := r.names.limit - r.names.size - int(r.held.End())
	if left <= 0 {
		r.cut = true
		return 0, io.EOF
	}
	n, err := r.src.Read(p[:min(len(p), left)])
	r.held.Append(p[:n])
	return n, err
}

// A replay reads what a recorder has kept, and frees it on the way.
type replay struct {
	held passage.Trail
	at   int64
}

func (r *replay) Read(p []byte) (int, error) {
	n := copy(p, r.held.View(r.at, 1))
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	r.at += int64(n)
	r.held.Forget(r.at)
	return n, nil
}

// errHold is for a part whose name comes after what Hold allows to be read ahead.
func errHold(limit int) error {
	return &rewriter.LimitError{Field: "Hold", Limit: int64(limit), Text: "this part's Content-Location comes after more than may be held; references to it before are not known to be such"}
}

// name adds the name of a part, if it has one.
func (w *walk) name(h *header, outer scope) {
	n := w.names
	url := w.location(h, outer.base.URL)
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
		key.url = strings.Clone(url) // which keeps no fragment in memory
		n.parts[key] = h.offset
		n.size += len(url) + nameSize
	}
	if w.html != nil && !w.toldHold {
		w.toldHold = true
		w.warn(h.offset, errHold(n.limit))
	}
}

// location returns the Content-Location of an entity without its fragment: in its
// absolute form (RFC 2110 §4) if there is a base, otherwise as it is written. It is ""
// for an entity without a Content-Location. base is the base URL of the enclosing entity,
// and a Base beside the Content-Location goes before it.
func (w *walk) location(h *header, base *resolver.Base) string {
	value := h.get("Content-Location")
	if len(value) > maxValue {
		return ""
	}
	url, err := container.FieldURL(media.DecodeWords(value))
	if url == "" || err != nil {
		return ""
	}
	if found := w.given(h, base, func(field, error) {}); len(found) > 0 {
		switch first := found[0]; {
		case first.Name == "Base", first.Name == "Content-Base":
			base = first.URL
		case first.Name == "Content-Location" && base == nil:
			return withoutFragment(first.URL.String())
		}
	}
	if s, err := base.Resolve(url); err == nil {
		url = s
	}
	return withoutFragment(url)
}

func withoutFragment(url string) string {
	url, _, _ = strings.Cut(url, "#")
	return url
}

// isPart reports whether a relative reference leads to another part of the message. With
// withoutBase, BASE elements lose their href, so the reference has to be a name as it is
// written; its absolute form may depend on a BASE. The error is that of reading, if the
// part may be among those that were not read.
func (n *names) isPart(message, part int64, p *rewriter.Place, withoutBase bool) (bool, error) {
	if p.URL == "" || p.URL == p.Ref {
		return false, nil
	}
	isName := func(url string) bool {
		at, ok := n.parts[name{message, withoutFragment(url)}]
		return ok && at != part
	}
	is := isName(p.Ref) || !withoutBase && isName(p.URL)
	if !is && message >= n.open && message != part {
		return false, n.err
	}
	return is, nil
}
