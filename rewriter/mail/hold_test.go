package mail

import (
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

// A BASE counts as late as in a document that stands alone, in whichever encoding: Hold is
// about the document. Where the BASE comes later, Warn is told. What is held in memory is a
// small multiple of Hold.
func TestLateBase(t *testing.T) {
	const (
		head = "<link href='x'>\n\n\n" // this and part have a multiple of 3 bytes, for base64
		part = "<meta content='aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'>\n"
		tail = "<base href='/d/'><a href='y'></a>"
	)
	quoted := strings.NewReplacer("=", "=3D").Replace
	for name, tt := range map[string]struct {
		header, encoding string
		encode           func(string) string
		end              string
	}{
		"8bit":   {"", "8bit", func(s string) string { return s }, ""},
		"quoted": {"", "quoted-printable", quoted, ""},
		"all quoted": {"", "quoted-printable", func(s string) string {
			var b strings.Builder
			for i := range len(s) {
				if fmt.Fprintf(&b, "=%02X", s[i]); i%25 == 24 {
					b.WriteString("=\r\n")
				}
			}
			return b.String()
		}, ""},
		"base64": {"", "base64", func(s string) string { return inBase64(s, 76, "\r\n") }, ""},
		"MHTML":  {"Content-Type: multipart/related; boundary=b\n\n--b\nContent-Location: http://m/\n", "quoted-printable", quoted, "\n--b--\n"},
	} {
		for _, sixteenths := range []int{3, 15, 17} {
			t.Run(fmt.Sprint(name, " ", sixteenths), func(t *testing.T) {
				hold := 1 << 20
				if soak.Enabled() {
					hold = 16 << 20
				}
				encoded := tt.encode(part)
				n := hold / 16 * sixteenths / len(part)
				src := &testio.HeapReader{Every: int64(hold) / 2, Reader: io.MultiReader(
					strings.NewReader(tt.header+"Content-Type: text/html\nContent-Transfer-Encoding: "+tt.encoding+"\n\n"+tt.encode(head)),
					testio.Repeat(encoded, n*len(encoded)), strings.NewReader(tt.encode(tail)+tt.end))}
				var docs []*rewriter.Document
				limits := 0
				warn := func(_ int64, err error) {
					var limit *rewriter.LimitError
					if errors.As(err, &limit) && limit.Limit == 1<<10 { // of what is read ahead
						return
					}
					if !errors.As(err, &limit) || limit.Field != "Hold" || limit.Limit != int64(hold) {
						t.Error(err)
					}
					limits++
				}
				r := Rewriter{HTML: rewriter.Must(rewriter.New(rewriter.Options{Hold: hold})).With(rewriter.Hooks{Warn: warn, End: func(d *rewriter.Document) { docs = append(docs, d) }}), Hold: 1 << 10}
				before := testio.Heap()
				if _, err := r.Rewrite(&testio.TailWriter{}, src, mustParse(t, "http://h/", resolver.RFC1808)); err != nil {
					t.Fatal(err)
				}
				late := sixteenths > 16
				if len(docs) != 1 || late == (docs[0].Result.Base.Source == rewriter.EmbeddedBase) || docs[0].Result.Rewritten != 3 || late != (limits == 1) {
					t.Errorf("%d warnings, %+v", limits, docs)
				}
				if used := src.Most - before; used > mostHeld(int64(hold)) {
					t.Errorf("%d KiB in use", used>>10)
				}
			})
		}
	}
}
