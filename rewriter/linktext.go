package rewriter

import (
	"absolink/rewriter/internal/charset"
	"absolink/rewriter/internal/markup"
)

// textAhead is how many bytes after the start tag of a link are looked at for its text.
// With Rewriter.Text, so much of the window is not yet followed.
const textAhead = 8 << 10

// ready returns up to where in the window tokens are followed.
func (e *engine) ready() int {
	if !e.rw.Text || e.eof || e.broken != nil {
		return len(e.buf)
	}
	return max(len(e.buf)-textAhead, e.context.Pos())
}

// linkText returns the text of the link that the tag in the window, which is known up to
// end, makes of a place with a rule: of an a the text after the tag, of an area its alt.
func (e *engine) linkText(rule *rule, hash uint64, end int) string {
	t := e.context.Tag()
	if hash != hashA && hash != hashArea || rule.Attr != "href" && rule.Attr != "xlink:href" || end < t.Pos || e.inTree {
		return ""
	}
	l := &e.link
	if l.Chars.Of != e.chars.Of {
		l.Chars = charset.Charset{Of: e.chars.Of}
	}
	b := e.buf[t.Start:]
	if hash == hashArea {
		alt, _ := t.Value(b, "alt")
		return string(l.Alt(alt))
	}
	b = b[t.Pos:]
	n := min(len(b), textAhead)
	return string(l.Of(b[:n], n < textAhead))
}

var hashA, hashArea = markup.HashName("a"), markup.HashName("area")
