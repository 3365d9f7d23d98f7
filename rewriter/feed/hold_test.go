package feed

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"absolink/internal/test/soak"
	"absolink/internal/test/testio"
	"absolink/rewriter"
)

// Each byte of s in a form.
func each(format, s string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, format, s[i])
	}
	return b.String()
}

// A BASE counts as late as in a document that stands alone, in whichever form: Hold is
// about the document. Where the BASE comes later, Warn is told. What is held in memory is a
// small multiple of Hold.
func TestLateBase(t *testing.T) {
	const (
		head  = "<link href='x'/>\n\n"
		part  = "<meta content='aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'/>\n"
		tail  = "<base href='/d/'/><a href='y'></a>"
		rss   = `<rss><channel><item><description>`
		atom  = `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:h="http://www.w3.org/1999/xhtml"><entry><content type="application/xhtml+xml"><html xmlns="http://www.w3.org/1999/xhtml"><head>`
		json  = `{"version": "https://jsonfeed.org/version/1", "items": [{"content_html": "`
		xhtml = `</head></html></content></entry></feed>`
	)
	escaped := strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace
	quoted := strings.NewReplacer("\n", `\n`).Replace
	for name, form := range map[string]struct {
		start  string
		encode func(string) string
		end    string
	}{
		"escaped":     {rss, escaped, `</description></item></channel></rss>`},
		"references":  {rss, func(s string) string { return each("&#%d;", s) }, `</description></item></channel></rss>`},
		"hexadecimal": {rss, func(s string) string { return each("&#x%x;", s) }, `</description></item></channel></rss>`},
		"CDATA":       {rss + "<![CDATA[", func(s string) string { return s }, `]]></description></item></channel></rss>`},
		"XHTML":       {atom, func(s string) string { return s }, xhtml},
		"prefixes":    {atom, strings.NewReplacer("<", "<h:", "<h:/", "</h:").Replace, xhtml},
		"JSON":        {json, quoted, `"}]}`},
		"escapes":     {json, func(s string) string { return each(`\u%04x`, s) }, `"}]}`},
	} {
		for _, sixteenths := range []int{3, 15, 17} {
			t.Run(fmt.Sprint(name, " ", sixteenths), func(t *testing.T) {
				hold := 1 << 20
				if soak.Enabled() {
					hold = 16 << 20
				}
				n := hold / 16 * sixteenths / len(part)
				feed := repeated(form.start+form.encode(head), form.encode(part), n, form.encode(tail)+form.end)
				src := &testio.HeapReader{Every: int64(hold) / 2, Reader: feed}
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
				rw := Rewriter{HTML: rewriter.Must(rewriter.New(rewriter.Options{Hold: hold})).With(rewriter.Hooks{Warn: warn, End: func(d *rewriter.Document) { docs = append(docs, d) }}), Hold: 1 << 10}
				before := testio.Heap()
				if _, err := rw.Rewrite(&testio.TailWriter{}, src, base(t, "http://h/")); err != nil {
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
