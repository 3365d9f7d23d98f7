// Package view is what the command shows of a document: its base, its places as lines, what
// rewriting changes, and all of them together, as the page has them.
package view

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	htmlcharset "golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/charmap"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/input"
	"absolink/internal/listing"
	"absolink/rewriter"
)

// A View is what the page of absolink serve, and --report=html, show of a file.
type View struct {
	Name    string
	Kind    input.Kind
	Charset string // of the source, as the web names it
	Profile string
	Unshown int // how many more places there are

	Warnings []Warning // the first of them
	Warned   int       // how many there are

	Source, Rewritten []byte
	Lines, CSV        []byte // as absolink list prints them; nil where they are longer than maxList
	Documents         []Base
	Places            []Place // those on request come last
}

// Write writes the view as a line of JSON.
func (v *View) Write(w io.Writer) error {
	o := &objectWriter{listing.NewBuffer(w), "{"}
	o.add("name", v.Name)
	o.add("kind", v.Kind)
	o.add("charset", v.Charset)
	o.add("profile", v.Profile)
	o.add("unshown", v.Unshown)
	if v.Warned > 0 {
		o.add("warnings", v.Warnings)
		o.add("warned", v.Warned)
	}
	o.addBytes("source", v.Source)
	o.addBytes("rewritten", v.Rewritten)
	o.addBytes("diff", orEmpty(UnifiedDiff(v.Name, v.Source, v.Rewritten)))
	o.addBytes("jsonl", v.Lines)
	o.addBytes("csv", v.CSV)
	addList(o, "documents", v.Documents)
	addList(o, "places", v.Places)
	return o.end()
}

// orEmpty returns a text that is not null in JSON.
func orEmpty(text []byte) []byte {
	if text == nil {
		return []byte{}
	}
	return text
}

type Warning struct {
	Offset  int64  `json:"offset"`
	Message string `json:"message"`
}

type Place struct {
	Offset   int64  `json:"offset"`
	Length   int    `json:"length"` // in bytes of the source; 0 where the reference is encoded there
	Element  string `json:"element"`
	Attr     string `json:"attr"`
	Syntax   string `json:"syntax"`
	Rel      string `json:"rel,omitempty"`
	Raw      string `json:"raw"`
	Ref      string `json:"ref"`
	URL      string `json:"url,omitempty"`
	Error    string `json:"error,omitempty"`
	State    string `json:"state"`              // rewritten, absolute, left, unresolvable or request
	Group    string `json:"group,omitempty"`    // the groups of rules that a place on request needs, with commas
	Document int    `json:"document,omitempty"` // an index of Documents
	Outer    bool   `json:"outer,omitempty"`    // the base of the reference is the outer base
}

// The limits of a view.
const (
	MaxPlaces     = 100_000  // how many places a view has
	MaxPlaceBytes = 32 << 20 // how long their texts may be together, and the base URLs of the documents
	maxList       = 16 << 20 // how long each list of them may be
	MaxWarnings   = 20       // how many warnings a view has, and one more for each limit
)

// ErrSize and ErrBases say that a document is too large to be shown.
var ErrSize = errors.New("has, with its rewriting, more than the 32 MiB or the million lines that can be shown")

var ErrBases = errors.New("has base URLs of more than the 32 MiB that can be shown")

// Refusal returns the status of HTTP and the message for a document that the page cannot show; the
// status is 0 if err says something else.
func Refusal(err error) (status int, message string) {
	if refused, ok := errors.AsType[*input.Refused](err); ok {
		return 415, refused.Page()
	}
	if errors.Is(err, ErrSize) || errors.Is(err, ErrBases) {
		return 413, err.Error()
	}
	return 0, ""
}

// A Builder makes the view of a file that is rewritten to After.
type Builder struct {
	View
	After        Held // what the file becomes
	in           *input.Document
	before       Held
	indexes      map[*rewriter.Document]int // of documents
	texts, bases int                        // the bytes in the texts of places, and in the bases of documents
}

// NewBuilder returns a Builder of in, whose Reader it observes.
func NewBuilder(in *input.Document) *Builder {
	v := &Builder{in: in, indexes: map[*rewriter.Document]int{}}
	room := NewRoom()
	v.before.Room, v.After.Room = room, room
	in.Look()
	in.Reader = io.TeeReader(in.Reader, &v.before)
	return v
}

// Visit takes a place.
func (v *Builder) Visit(p *rewriter.Place) error {
	v.add(p, StateOf(p), "")
	return nil
}

// StateOf names what becomes of a place.
func StateOf(p *rewriter.Place) string {
	switch {
	case p.URL == "" && p.Err != nil && p.Err != rewriter.ErrKept && !errors.Is(p.Err, rewriter.ErrNoBase):
		return "unresolvable"
	case p.URL == "":
		return "left"
	case p.URL == p.Ref:
		return "absolute"
	}
	return "rewritten"
}

// Of returns the view of a document.
func Of(d *input.Document) (*View, error) {
	v := NewBuilder(d)
	_, err := d.Rewrite(&v.After, rewriter.Hooks{Visit: v.Visit, End: v.End})
	return v.Finish(err)
}

func (v *Builder) add(p *rewriter.Place, state, group string) {
	s := Place{
		Offset: p.Offset, Element: p.Element, Attr: p.Attr, Syntax: p.Rule.Syntax.String(), Rel: p.Rel, Raw: p.Raw, Ref: p.Ref, URL: p.URL,
		State: state, Group: group, Document: v.index(p.Document), Length: len(p.Raw),
		Outer: p.Rule.Outer || p.Ref == "" && p.Rule.Empty == rewriter.EmptyDocument,
	}
	if p.Err != nil {
		s.Error = p.Err.Error()
	}
	v.texts += len(s.Element) + len(s.Attr) + len(s.Rel) + len(s.Raw) + len(s.Ref) + len(s.URL) + len(s.Error)
	if len(v.Places) >= MaxPlaces || v.texts > MaxPlaceBytes {
		v.Unshown++
		return
	}
	s.Raw, s.Ref = strings.Clone(s.Raw), strings.Clone(s.Ref) // they may be parts of a long tag
	v.Places = append(v.Places, s)
}

// index returns the index of a document; of a file that is one document, it is 0.
func (v *Builder) index(d *rewriter.Document) int {
	if d == nil {
		return 0
	}
	i, ok := v.indexes[d]
	if !ok {
		i = len(v.indexes)
		v.indexes[d] = i
	}
	return i
}

// End takes a document that is done.
func (v *Builder) End(d *rewriter.Document) {
	i := 0
	if v.in.Kind.IsContainer() {
		i = v.index(d)
	}
	for _, b := range []rewriter.Base{d.Result.Base, d.Result.Overridden, d.Overridden} {
		if b.URL != nil {
			v.bases += len(b.URL.String())
		}
	}
	if v.bases > MaxPlaceBytes {
		return
	}
	for len(v.Documents) <= i {
		v.Documents = append(v.Documents, Base{})
	}
	v.Documents[i] = BaseOf(d, v.in)
}

// Finish completes the view of a file that was rewritten, with err.
func (v *Builder) Finish(err error) (*View, error) {
	if errors.Is(err, ErrDiffSize) {
		err = ErrSize
	}
	if err == nil && v.bases > MaxPlaceBytes {
		err = ErrBases
	}
	if err != nil {
		return nil, err
	}
	v.Name, v.Kind, v.Profile = v.in.Name, v.in.Kind, v.in.Settings.HTML.Profile().String()
	v.Source, v.Rewritten = orEmpty(v.before.Bytes()), orEmpty(v.After.Bytes())
	v.Charset = charsetOf(v.Source, v.in.Charset)
	v.onRequest()
	v.list()
	for i := range v.Places {
		if p := &v.Places[i]; p.Offset < 0 || !bytes.HasPrefix(v.Source[min(p.Offset, int64(len(v.Source))):], []byte(p.Raw)) {
			p.Length = 0
		}
	}
	return &v.View, nil
}

// RuleOrder has all groups of rules. Those of html come first, then links, which is a part of
// html, and those that read comments last.
var RuleOrder = []string{"html", "links", "legacy", "meta", "lazy", "json", "modules", "comments", "allcomments"}

// onRequest adds the places that other groups of rules find, until there are more than can be
// shown. What stands in a comment needs a group that reads it, and often another.
func (v *Builder) onRequest() {
	if v.Unshown > 0 {
		return
	}
	groups := map[rewriter.Rule]string{}
	for _, name := range slices.Backward(RuleOrder) {
		for _, r := range rewriter.RuleGroup(name) {
			groups[r] = name
		}
	}
	type span struct {
		offset int64
		length int
	}
	known := make(map[span]bool, len(v.Places))
	for _, p := range v.Places {
		known[span{p.Offset, p.Length}] = true
	}
	chosen := v.in.Settings.Rules.Rules
	all := input.RuleOptions{Rule: v.in.Settings.Rules.Rule}
	find := func(comments ...string) {
		if v.Unshown > 0 {
			return
		}
		v.indexes = map[*rewriter.Document]int{} // the same documents come again, in the same order
		v.again(v.in.Settings.With(v.in.Settings.HTML.Options(), all), rewriter.Hooks{Visit: func(p *rewriter.Place) error {
			at := span{p.Offset, len(p.Raw)}
			if !known[at] {
				if v.Unshown == 0 { // otherwise nothing more is looked for
					known[at] = true
				}
				needed := comments
				if group := groups[*p.Rule]; !slices.Contains(chosen, group) {
					needed = append([]string{group}, comments...)
				}
				v.add(p, "request", strings.Join(needed, ","))
			}
			return nil
		}, End: func(d *rewriter.Document) { v.index(d) }})
	}
	reading := slices.Index(RuleOrder, "comments")
	all.Rules = slices.DeleteFunc(slices.Clone(RuleOrder[:reading]), func(name string) bool { return name == "links" })
	for _, name := range RuleOrder[reading:] {
		if slices.Contains(chosen, name) {
			all.Rules = append(all.Rules, name)
		}
	}
	find()
	for _, name := range RuleOrder[reading:] {
		if !slices.Contains(all.Rules, name) {
			all.Rules = append(all.Rules, name)
			find(name)
		}
	}
}

// A placeList is a list of places in a view.
type placeList struct {
	format Format
	lines  []byte // nil where they were longer than maxList
}

func newPlaceList(format Format) *placeList {
	head := listing.AppendTo([]byte{})
	format.Begin(head, false)
	return &placeList{format, head.Bytes()}
}

func (l *placeList) add(p Listed) {
	if l.lines == nil {
		return
	}
	if l.lines = l.format.Append(l.lines, p); len(l.lines) > maxList {
		l.lines = nil
	}
}

// list lists all places, and gathers the warnings.
func (v *Builder) list() {
	lines, csv := newPlaceList(Formats["jsonl"]), newPlaceList(Formats["csv"])
	visit := func(p *rewriter.Place) error {
		l := Listed{Place: listing.Place{Place: p, File: v.Name}}
		lines.add(l)
		csv.add(l)
		return nil
	}
	limits := map[string]bool{} // that were met: each is shown once, however late it comes
	warn := func(offset int64, err error) {
		v.Warned++
		limit := console.LimitName(err)
		if v.Warned <= MaxWarnings || limit != "" && !limits[limit] {
			limits[limit] = true
			v.Warnings = append(v.Warnings, Warning{offset, err.Error()})
		}
	}
	v.again(v.in.Settings, rewriter.Hooks{Visit: visit, Warn: warn, Text: true})
	v.Lines, v.CSV = lines.lines, csv.lines
}

// again rewrites the source once more, with the settings s, for the hooks alone. Nothing can
// fail: it reads from memory, and the hooks have no errors.
func (v *Builder) again(s *input.Settings, h rewriter.Hooks) {
	in := *v.in
	in.Settings, in.Reader, in.Progress = s, bytes.NewReader(v.Source), nil
	in.Rewrite(nil, h)
}

// charsetOf returns the charset of a document as browsers find it, or UTF-8 where they would
// guess and the document is UTF-8. declared is what HTTP says.
func charsetOf(source []byte, declared string) string {
	contentType := "text/html"
	if declared != "" {
		contentType += "; charset=" + declared
	}
	enc, name, _ := htmlcharset.DetermineEncoding(source[:min(len(source), 1024)], contentType)
	if enc == charmap.Windows1252 && utf8.Valid(source) { // a guess; an encoding that is named is wrapped
		return "utf-8"
	}
	return name
}
