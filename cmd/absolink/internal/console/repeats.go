package console

import (
	"strings"

	"absolink/internal/listing"
)

// Repeats are the warnings about one file, or about all files of a tree. The first few
// of each kind are printed and the rest are counted: a file of ten megabytes may cause
// ten million.
type Repeats struct {
	ui    *UI
	kinds map[string]*repeated // at most maxKinds, by kindOf
	order []*repeated          // the kinds, in the order of their first warnings
	other repeated             // all other kinds together
}

func NewRepeats(ui *UI) *Repeats { return &Repeats{ui: ui, kinds: map[string]*repeated{}} }

const (
	// FewOfKind is how many warnings of a kind are printed.
	FewOfKind = 10

	// maxKinds is how many kinds are told apart. absolink itself has fewer. Only text that
	// warnings quote from a document can make more, and these count as one kind.
	maxKinds = 100
)

// A repeated is a kind of warning that may come many times.
type repeated struct {
	count int
	text  string // of the first warning
}

// Takes reports whether a message is to be printed. With --debug every message is.
func (r *Repeats) Takes(text string) bool {
	if r.ui.Debug {
		return true
	}
	k := r.kind(text)
	k.count++
	return k.count <= FewOfKind
}

// kind returns the kind of a message.
func (r *Repeats) kind(text string) *repeated {
	key := kindOf(text)
	if k := r.kinds[key]; k != nil {
		return k
	}
	if len(r.kinds) == maxKinds {
		return &r.other
	}
	k := &repeated{text: strings.Clone(listing.Shortened(text, maxKindText))}
	r.kinds[strings.Clone(key)] = k
	r.order = append(r.order, k)
	return k
}

// maxKindText is how many bytes of a message decide its kind.
const maxKindText = 300

// kindOf returns a message without what differs between two messages of a kind:
// numbers, and what stands in quotes.
func kindOf(text string) string {
	text = listing.Shortened(text, maxKindText)
	if !strings.ContainsAny(text, `"0123456789`) {
		return text
	}
	var kind strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted:
			i++
		case !quoted && (c < '0' || c > '9'):
			kind.WriteByte(c)
		}
	}
	return kind.String()
}

// End says how many warnings about a file or a tree were not printed.
func (r *Repeats) End(name string) {
	for _, k := range r.order {
		if k.count > FewOfKind {
			r.ui.Print("%s: %d more of this kind: %s", name, k.count-FewOfKind, k.text)
		}
	}
	if r.other.count > FewOfKind {
		r.ui.Print("%s: %d more of other kinds", name, r.other.count-FewOfKind)
	}
}
