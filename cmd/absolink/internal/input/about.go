package input

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/lines"
	"absolink/resolver"
	"absolink/rewriter"
)

// An About prints the warnings about one file.
type About struct {
	UI    *console.UI
	Name  string
	Lines *lines.Lines // of the file; nil where it has none, as an archive
	*console.Repeats
	Told int // how many warnings there were

	Links struct{ relative, Unresolvable Staying }
}

// NewAbout returns an About for a FILE.
func NewAbout(ui *console.UI, name string) *About {
	return &About{UI: ui, Name: console.InputName(name), Repeats: console.NewRepeats(ui)}
}

// About returns an About for a document that messages call name. It has to be called before
// the document is read.
func (d *Document) About(ui *console.UI, name string) *About {
	a := NewAbout(ui, name)
	if d.Lines == nil {
		d.Reader, d.Lines = lines.Passing(d.Reader, d.Charset)
	}
	a.Lines = d.Lines
	return a
}

// At returns what a message about an offset begins with: the file, the line and the
// column. If the line is not known, it is the file and the byte, in a form that no
// program mistakes for a line. A negative offset stands for the whole file.
func (a *About) At(offset int64) string {
	where, _ := a.find(offset)
	return where
}

// find is At. It also reports whether there is a line and a column in where.
func (a *About) find(offset int64) (where string, found bool) {
	if offset < 0 {
		return a.Name, false
	}
	if line, column, ok := a.Lines.Position(offset); ok {
		return fmt.Sprintf("%s:%d:%d", a.Name, line, column), true
	}
	return fmt.Sprintf("%s: byte %d", a.Name, offset), false
}

// Message returns a message about an offset.
func (a *About) Message(offset int64, text string) string {
	where, found := a.find(offset)
	if found && a.UI.Debug {
		text = fmt.Sprintf("%s (byte %d)", text, offset)
	}
	return where + ": " + text
}

// Warn says what is wrong at an offset, and which option raises a limit.
func (a *About) Warn(offset int64, err error) {
	a.Told++
	if text := err.Error() + Hint(err); !a.UI.Quiet && a.Takes(text) {
		a.UI.Print("%s", a.Message(offset, text))
	}
	a.UI.Warned()
}

// Say is Warn for a message whose beginning is known.
func (a *About) Say(where, text string) {
	a.Told++
	if !a.UI.Quiet && a.Takes(text) {
		a.UI.Print("%s: %s", where, text)
	}
	a.UI.Warned()
}

// A placed error is about an offset in a file.
type placed struct {
	error
	message string
}

func (p *placed) Unwrap() error { return p.error }

// Place adds to an error of reading the message with the line where reading ended. The
// line can be found as long as the file is open.
func (a *About) Place(err error) error {
	if e, ok := errors.AsType[*rewriter.Error](err); ok && e.Op == "read" {
		return &placed{err, a.Message(e.Offset, "cannot read further: "+CannotReadOn(e.Err))}
	}
	return err
}

// A Staying counts the links of a file that stay as they are, for one reason.
type Staying struct {
	Count        int64
	Where, First string // of the first link: its position; the link, and why it stays
}

// Unresolvable counts a link that stays as it is.
func (a *About) Unresolvable(p *rewriter.Place) {
	links := &a.Links.Unresolvable
	if errors.Is(p.Err, rewriter.ErrNoBase) {
		links = &a.Links.relative
	}
	links.Count++
	if a.UI.Quiet {
		return
	}
	if links.Count == 1 {
		links.Where, links.First = a.At(p.Offset), Reason(p)
	}
	if a.UI.Debug {
		a.UI.Print("%s", a.Message(p.Offset, "stays as it is: "+Reason(p)))
	}
}

// Reason says which link stays as it is, and why.
func Reason(p *rewriter.Place) string {
	err := p.Err
	if of, ok := errors.AsType[*resolver.Error](err); ok {
		err = of.Err
	}
	return fmt.Sprintf("%.200q (%s): %v", resolver.Redact(p.Ref), NameOf(p), err)
}

func NameOf(p *rewriter.Place) string { return strings.TrimSpace(p.Element + " " + p.Attr) }

// giveBase returns why links stay relative in a document, and what gives it a base.
func giveBase(k Kind) string {
	give := "no base URL is known; give one with --url"
	if k == KindHTML {
		give += ", with a BASE in the document, or with --canonical if it has a canonical link"
	}
	return give
}

// EndLinks says how many links stay as they are in a document of a kind, in one line for each
// reason.
func (a *About) EndLinks(k Kind) {
	relative, others := a.Links.relative, a.Links.Unresolvable
	a.Links.relative, a.Links.Unresolvable = Staying{}, Staying{}
	switch n := relative.Count; {
	case n == 1:
		a.Say(relative.Where, "1 link stays relative because "+giveBase(k))
	case n > 1:
		a.Say(relative.Where, fmt.Sprintf("%d links stay relative because %s", n, giveBase(k)))
	}
	switch n := others.Count; {
	case n == 1:
		a.Say(others.Where, "1 link has no absolute form: "+others.First)
	case n > 1:
		a.Say(others.Where, fmt.Sprintf("%d links have no absolute form, the first is %s; absolink list shows all", n, others.First))
	}
}

func (a *About) End() { a.Repeats.End(a.Name) }

// Describe returns the message for an error: first the name of the file that it is
// about, and the position where that is known.
func Describe(name, output string, err error) string {
	var placed *placed
	var e *rewriter.Error
	var pathError *fs.PathError
	switch {
	case errors.As(err, &placed):
		return placed.message
	case errors.As(err, &e) && e.Op == "read":
		return fmt.Sprintf("%s: byte %d: cannot read further: %s", console.InputName(name), e.Offset, CannotReadOn(e.Err))
	case errors.As(err, &e): // also of Visit, which prints a list
		return fmt.Sprintf("%s: cannot write further: %v", output, console.Cause(e.Err))
	case errors.As(err, &pathError) && pathError.Path == os.TempDir():
		return fmt.Sprintf("%s: cannot write a temporary file in %s: %v (TMPDIR names another directory)", console.InputName(name), pathError.Path, pathError.Err)
	case errors.As(err, &pathError):
		return fmt.Sprintf("%s: cannot %s: %v", pathError.Path, pathError.Op, pathError.Err)
	}
	return fmt.Sprintf("%s: %v", console.InputName(name), err)
}
