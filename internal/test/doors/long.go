package doors

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"absolink/internal/test/soak"
	"absolink/internal/test/testio"
	"absolink/resolver"
	"absolink/rewriter"
)

// An Adapter is a door for containers: a Rewriter of package feed, or of package mail.
type Adapter interface {
	Rewrite(dst io.Writer, src io.Reader, outer *resolver.Base) (rewriter.Result, error)
}

// Bounds are what is documented of an adapter: how much memory a document takes that is held
// in it, in whatever form. That is so many times Hold, besides the windows.
type Bounds struct {
	New   func(html *rewriter.Rewriter, hold int) Adapter // hold is that of the adapter
	Times int64
}

// A Long is a container of which more is read than may be held: Part again and again, between
// Head and Tail.
type Long struct {
	Name             string
	Head, Part, Tail string
	Size             int    // of all Parts, in bytes; 0 is 6 MiB
	End              string // of what is written
	Warning          string // the first one, if it matters
	Warnings         int    // how many there may be; 0 is 4
	Shorter          bool   // less may be written than was read
	More             int64  // how many bytes may be in use besides what is held
}

// holdLong is how much may be held of a Long, and of the document in it.
const holdLong = 256 << 10

// Long checks that memory is bounded while a container is rewritten, that all of it is
// written, and that a fault that is in all of its parts is told of only a few times.
func (b Bounds) Long(t *testing.T, of []Long) {
	for _, l := range of {
		t.Run(l.Name, func(t *testing.T) {
			soak.Sample(t, 12)
			n := cmp.Or(l.Size, 6<<20) / max(1, len(l.Part))
			src := io.MultiReader(strings.NewReader(l.Head), testio.Repeat(l.Part, n*len(l.Part)), strings.NewReader(l.Tail))
			var told []string
			html := rewriter.Must(rewriter.New(rewriter.Options{Hold: holdLong, MaxTag: 64 << 10})).With(rewriter.Hooks{Warn: func(offset int64, err error) {
				told = append(told, fmt.Sprintf("%d: %v", offset, err))
			}})
			read, written := b.measured(t, b.New(html, holdLong), src, holdLong, l.More)
			if written.N < read && !l.Shorter || !strings.HasSuffix(string(written.Tail), l.End) {
				t.Errorf("%d bytes are written of %d, and the end is %q", written.N, read, written.Tail)
			}
			if len(told) > cmp.Or(l.Warnings, 4) || l.Warning != "" && (len(told) == 0 || told[0] != l.Warning) {
				t.Errorf("%d warnings: %.500q", len(told), fmt.Sprint(told))
			}
		})
	}
}

// measured rewrites a container, and fails the test if that takes too much memory.
func (b Bounds) measured(t *testing.T, a Adapter, src io.Reader, hold, more int64) (read int64, written *testio.TailWriter) {
	t.Helper()
	before := testio.Heap()
	measuring := &testio.HeapReader{Every: hold, Reader: src}
	written = new(testio.TailWriter)
	outer, err := resolver.ParseBase("http://h/", resolver.RFC1808)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Rewrite(written, measuring, outer); err != nil {
		t.Fatal(err)
	}
	if used := measuring.Most - before; used > b.Times*hold+1<<20+more {
		t.Errorf("%d KiB in use", used>>10)
	}
	return measuring.N, written
}

// A Form is how a document stands in a container.
type Form struct {
	Start  string
	Encode func(string) string
	End    string
}

// LateBase checks that a BASE counts as late as in a document that stands alone, in whichever
// form: Hold is about the document. Where the BASE comes later, Warn is told.
func (b Bounds) LateBase(t *testing.T, forms map[string]Form) {
	const (
		head = "<link href='x'/>\n\n" // this and part have a multiple of 3 bytes, for base64
		part = "<meta content='aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'/>\n"
		tail = "<base href='/d/'/><a href='y'></a>"
	)
	for name, form := range forms {
		for _, sixteenths := range []int{3, 15, 17} {
			t.Run(fmt.Sprint(name, " ", sixteenths), func(t *testing.T) {
				soak.Sample(t, 2)
				hold := 1 << 20
				if soak.Enabled() {
					hold = 16 << 20
				}
				encoded := form.Encode(part)
				src := io.MultiReader(strings.NewReader(form.Start+form.Encode(head)),
					testio.Repeat(encoded, hold/16*sixteenths/len(part)*len(encoded)), strings.NewReader(form.Encode(tail)+form.End))
				var docs []*rewriter.Document
				limits := 0
				html := rewriter.Must(rewriter.New(rewriter.Options{Hold: hold})).With(rewriter.Hooks{
					Warn: func(_ int64, err error) {
						limit, ok := errors.AsType[*rewriter.LimitError](err)
						switch {
						case ok && limit.Limit == 1<<10: // of what is read ahead
						case ok && limit.Field == "Hold" && limit.Limit == int64(hold):
							limits++
						default:
							t.Error(err)
						}
					},
					End: func(d *rewriter.Document) { docs = append(docs, d) },
				})
				b.measured(t, b.New(html, 1<<10), src, int64(hold), 0)
				late := sixteenths > 16
				if len(docs) != 1 || late == (docs[0].Result.Base.Source == rewriter.EmbeddedBase) || docs[0].Result.Rewritten != 3 || late != (limits == 1) {
					t.Errorf("%d warnings, %+v", limits, docs)
				}
			})
		}
	}
}

// Each returns each byte of s in a form: that of a reference in XML, of an escape in JSON, or
// of quoted-printable.
func Each(format, s string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, format, s[i])
	}
	return b.String()
}
