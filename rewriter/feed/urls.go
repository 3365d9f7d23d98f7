package feed

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"absolink/rewriter"
	"absolink/rewriter/internal/ascii"
)

// urlRewriter returns what rewrites the URLs of the feed itself: html, except that Warn is told
// only once that outer cannot be a base.
func (f *run) urlRewriter() *rewriter.Rewriter {
	told, hooks := false, f.html.Hooks()
	hooks.Warn = func(offset int64, err error) {
		if offset > 0 || !told {
			told = told || offset == 0
			f.warnings.add(offset, err)
		}
	}
	return f.html.With(hooks)
}

// attributePlaces rewrites the URLs in the attributes of a start tag at an offset.
func (f *run) attributePlaces(rules elementRules, el element, tag []byte, offset int64) {
	var seen []string
	attributes(tag, func(a attribute) {
		rule := rules[string(a.name[:min(len(a.name), maxName)])]
		if rule == nil || rule.Attr == "" || slices.Contains(seen, rule.Attr) || f.scan.failed() {
			return
		}
		seen = append(seen, rule.Attr) // the first attribute of a name counts
		end := a.offset + len(a.value)
		quote := tag[max(0, a.offset-1)]
		if quote != '"' && quote != '\'' || tag[end] != quote {
			return // without quotes it is not XML, and may end in "/"
		}
		v := value{isUTF8: f.tracker.isUTF8()}
		v.add(a.value, offset+int64(a.offset), false)
		if url, ok := f.rewritten(&v, el, rule); ok {
			f.scan.replace(v.start, v.frontEnd, inText, f.writable(url), v.hasSpaces(&f.scan))
		}
	})
}

// textPlace rewrites the URL that is the text of an element, which has just been opened.
func (f *run) textPlace(el element, rule *rewriter.Rule) {
	f.scan.pass(f.scan.pos)
	f.scan.held = inWindow
	defer func() { f.scan.held = notHeld }()
	v, limit := value{isUTF8: f.tracker.isUTF8()}, int64(f.html.Options().MaxTag)
	if !f.readText(&v, limit, errLong(limit)) {
		return
	}
	url, ok := f.rewritten(&v, el, rule)
	switch {
	case !ok:
	case v.inSection:
		f.scan.replace(v.start, v.frontEnd, inSection, unquoted(f.writable(url)), true)
	default:
		f.scan.replace(v.start, v.frontEnd, inText, f.writable(url), v.hasSpaces(&f.scan))
	}
}

// unquoted returns a URL in which quotes and brackets are percent-encoded, because a CDATA
// section has no other form for them.
func unquoted(url []byte) []byte {
	return percentEncoded(string(url), func(r rune) bool { return r >= utf8.RuneSelf || !ascii.IsStructure(byte(r)) })
}

// readText reads the text of an element up to the next tag into v, and reports whether it
// could. Where the text is longer than limit, Warn is told of tooLong.
func (f *run) readText(v *value, limit int64, tooLong error) bool {
	start := f.scan.pos
	for {
		tok := f.scan.peek()
		switch tok.kind {
		case text, cdataText:
			v.add(f.scan.bytes(tok.start, tok.end), tok.start, tok.kind == cdataText)
		case markup:
			v.interrupted = len(v.text) > 0
			if tok.then.in == inDoctype || tok.then.subset { // which XML has only before the first element
				v.broken = true
			}
		case cdataOpen, cdataClose:
			v.keeps = len(v.text) > 0
		case endTag:
			return true
		case startTag:
			v.broken = true
			return true
		case stray, ending:
			if f.scan.input.Err() != nil {
				f.scan.fail(errRead) // what is written depends on what is missing
				return false
			}
			v.broken = v.broken || tok.kind == stray
			return true
		}
		if tok.end-start > limit {
			f.warnings.add(start, tooLong)
			return false
		}
		f.take(f.tracker, tok)
	}
}

// errLong is for a URL of the feed itself that is longer than MaxTag.
func errLong(limit int64) error {
	return &rewriter.LimitError{Field: "MaxTag", Limit: limit, Text: "the text is longer than may be held; it stays as it is"}
}

// rewritten returns what takes the place of the front of a value, if anything does.
func (f *run) rewritten(v *value, el element, rule *rewriter.Rule) (url string, ok bool) {
	if len(v.text) == 0 || f.scan.failed() {
		return "", false
	}
	p := rewriter.Place{
		Offset: v.start, Element: strings.ToLower(el.name), Attr: rule.Attr, Rule: rule, Rel: el.rel,
		Document: &f.self, Raw: string(f.scan.bytes(v.start, v.end)), Ref: f.decoded(v.text),
	}
	base := f.tracker.outer
	if exists(el.base) {
		base = el.base.URL
	}
	result, err := f.urls.Reference(&p, base)
	result.Warnings = 0 // add has counted them
	f.result.Add(result)
	if err != nil {
		f.scan.fail(err)
	}
	if result.Rewritten == 0 {
		return "", false
	}
	url, ok = strings.CutSuffix(p.URL, f.decoded(v.text[v.front:]))
	if !ok || v.broken {
		f.warnings.add(v.start, errMiddle)
		f.result.Rewritten--
		f.result.Left++
		return "", false
	}
	return url, true
}

// decoded returns a value in UTF-8, without NUL.
func (f *run) decoded(text []byte) string {
	text, _ = inUTF8(f.tracker.encoding, text, true)
	return withoutNUL(string(text))
}

// withoutNUL returns a URL with NUL percent-encoded. An attribute of HTML cannot have NUL, and
// would have U+FFFD instead.
func withoutNUL(url string) string { return strings.ReplaceAll(url, "\x00", "%00") }

// writable returns a URL in which characters are percent-encoded that the feed cannot
// have: those that XML forbids, and where the feed is not UTF-8 all beyond ASCII (RFC 3987
// §3.1).
func (f *run) writable(url string) []byte {
	return percentEncoded(url, func(r rune) bool { return isChar(r) && (r < utf8.RuneSelf || f.tracker.isUTF8()) })
}

// withoutControls returns a URL without the control characters at its ends, which are not part
// of it, and with others percent-encoded that XML forbids, as writable does. A base URL has none,
// so what is written decides whether there is a base.
func withoutControls(url string) string {
	url = strings.TrimFunc(url, func(r rune) bool { return r <= ' ' })
	return string(percentEncoded(url, func(r rune) bool { return r >= ' ' || isChar(r) }))
}

// percentEncoded returns a URL with the characters percent-encoded for which stays is false.
func percentEncoded(url string, stays func(rune) bool) []byte {
	b := make([]byte, 0, len(url))
	for i := 0; i < len(url); {
		r, n := utf8.DecodeRuneInString(url[i:])
		if stays(r) {
			b = append(b, url[i:i+n]...)
		} else {
			b = appendPercent(b, url[i:i+n])
		}
		i += n
	}
	return b
}

func appendPercent(dst []byte, s string) []byte {
	for _, c := range []byte(s) {
		dst = fmt.Appendf(dst, "%%%02X", c)
	}
	return dst
}

// A value is a URL of the feed itself, as it is read. Its front ends as that of any
// reference does (package rewriter), and where a CDATA section begins or ends in it. What
// follows the front stays.
type value struct {
	isUTF8 bool

	text       []byte // decoded, without the white space around it
	space      []byte // that follows text
	start, end int64  // of text in the feed
	front      int    // the length of the front, in text
	frontEnd   int64  // where it ends in the feed
	inSection  bool   // the front stands in a CDATA section
	keeps      bool   // the front has ended

	interrupted bool // something other than text follows text
	broken      bool // there is something other than text in it, or an unknown entity
}

// hasSpaces reports whether the white space in the front stands in the feed as it is.
func (v *value) hasSpaces(s *scanner) bool {
	return ascii.CountSpace(s.bytes(v.start, v.frontEnd)) == ascii.CountSpace(v.text[:v.front])
}

// add adds raw text that stands at pos.
func (v *value) add(raw []byte, pos int64, section bool) {
	var decoded [3 * utf8.UTFMax]byte
	for i, n := 0, 1; i < len(raw); i += n {
		n = 1
		b := raw[i : i+1]
		if raw[i] == '&' && !section {
			if char, length := parseReference(raw[i:]); length > 0 {
				n = length
				switch b = raw[i : i+n]; {
				case char < 0:
					v.broken = true
				case char >= utf8.RuneSelf && !v.isUTF8:
					b = appendPercent(decoded[:0], string(char))
				default:
					b = utf8.AppendRune(decoded[:0], char)
				}
			}
		}
		if len(b) == 1 && isSpace(b[0]) {
			if len(v.text) > 0 {
				v.space = append(v.space, b[0])
			}
			continue
		}
		if len(v.text) == 0 {
			v.start, v.inSection = pos+int64(i), section
			v.frontEnd = v.start
		}
		v.keeps = v.keeps || ascii.IsStructure(b[0])
		v.text = append(append(v.text, v.space...), b...)
		v.space = v.space[:0]
		v.end = pos + int64(i+n)
		if !v.keeps {
			v.front, v.frontEnd = len(v.text), v.end
		}
		v.broken = v.broken || v.interrupted
	}
}
