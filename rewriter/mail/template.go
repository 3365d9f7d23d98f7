package mail

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"absolink/rewriter"
	"absolink/rewriter/internal/ascii"
)

// A template has what warnings need to know of a message that may be a template.
type template struct {
	comments *comments                    // of the document that is being read; nil where they are places
	relative func(comment []byte) (n int) // how many relative references there are in a comment
	toldMSO  int64                        // the top message that Warn was told of, plus 1
}

// ErrOutlook is what Warn is told of a message in which comments for Outlook, such as
// <!--[if mso]>…<![endif]-->, hold relative references. They stay, unless the rules of the
// HTML have those of [rewriter.Comments].
var ErrOutlook = errors.New("comments for Outlook hold relative links, which stay as they are")

// hookTemplate prepares the warnings about templates.
func (w *walk) hookTemplate() {
	if o := w.html.Options(); !hasComments(o.Rules) {
		var relative int
		looking := sync.OnceValue(func() *rewriter.Rewriter {
			o.IgnoreSaved, o.Canonical = true, false
			o.KeepFragments, o.RemoveBase = true, false // a fragment leads to the same place
			return rewriter.Must(rewriter.New(o)).With(rewriter.Hooks{Unresolvable: func(p *rewriter.Place) {
				if errors.Is(p.Err, rewriter.ErrNoBase) {
					relative++
				}
			}})
		})
		w.template.comments = new(comments)
		w.template.relative = func(comment []byte) int {
			relative = 0
			looking().Rewrite(nil, bytes.NewReader(comment), nil)
			return relative
		}
	}
}

// hasComments reports whether conditional comments are places.
func hasComments(rules []rewriter.Rule) (has bool) {
	for _, r := range rules {
		if (r.Element == "#comment" || r.Element == "#anycomment") && r.Attr == "" {
			has = !r.Drop
		}
	}
	return has
}

// watch returns a reader of an HTML document that looks for comments for Outlook.
func (w *walk) watch(src io.Reader) io.Reader {
	c := w.template.comments
	if c == nil || w.template.toldMSO > w.top {
		return src
	}
	*c = comments{found: c.found[:0], relative: w.template.relative}
	return io.TeeReader(src, c)
}

// warnOfComments warns of the document that watch was given, if comments for Outlook in it hold
// relative references, once for each message.
func (w *walk) warnOfComments(h *header) {
	if c := w.template.comments; c != nil && c.has && w.template.toldMSO <= w.top {
		w.template.toldMSO = w.top + 1
		w.warn(h.offset, ErrOutlook)
	}
}

// comments looks for comments for Outlook in a document that is written to it.
type comments struct {
	relative func(comment []byte) int
	found    []byte // of a comment, or the beginning of what may be one
	has      bool   // there is a comment with a relative reference
}

// maxComment is how much of a comment is looked at.
const maxComment = 64 << 10

const commentStart = "<!--[if"

// Write takes the next piece of the document. It does not fail.
func (c *comments) Write(piece []byte) (int, error) {
	for rest := piece; len(rest) > 0 && !c.has; {
		if len(c.found) < len(commentStart) {
			rest = c.seek(rest)
			continue
		}
		// "-->" may be in two pieces.
		from := max(len(c.found)-len("--"), 0)
		n := min(len(rest), maxComment-len(c.found))
		c.found = append(c.found, rest[:n]...)
		end := bytes.Index(c.found[from:], []byte("-->"))
		switch {
		case end >= 0:
			rest = rest[from+end+len("-->")-(len(c.found)-n):]
			c.comment(c.found[:from+end])
		case len(c.found) == maxComment:
			rest = rest[n:]
			c.comment(c.found)
		default:
			rest = rest[n:]
		}
	}
	return len(piece), nil
}

// seek looks for the beginning of a comment in rest, and returns what follows.
func (c *comments) seek(rest []byte) []byte {
	if len(c.found) == 0 {
		i := bytes.IndexByte(rest, '<')
		if i < 0 {
			return nil
		}
		rest = rest[i:]
	}
	for len(rest) > 0 && len(c.found) < len(commentStart) {
		if ascii.Lower(rest[0]) != commentStart[len(c.found)] {
			c.found = c.found[:0]
			break
		}
		c.found, rest = append(c.found, rest[0]), rest[1:]
	}
	return rest
}

// comment looks at a comment, from its beginning to before its end.
func (c *comments) comment(text []byte) {
	c.found = c.found[:0]
	condition, content, ok := bytes.Cut(text, []byte("]>"))
	if ok && bytes.Contains(bytes.ToLower(condition), []byte("mso")) && bytes.IndexByte(content, '<') >= 0 {
		c.has = c.relative(content) > 0
	}
}
