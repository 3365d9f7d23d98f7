package main

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
	"absolink/resolver"
	"absolink/rewriter"
)

// A view is what the page of absolink serve, and --report=html, show of a file.
type view struct {
	name    string
	kind    input.Kind
	charset string // of the source, as the web names it
	profile string
	unshown int // how many more places there are

	warnings []viewWarning // the first of them
	warned   int           // how many there are

	source, rewritten []byte
	lines, csv        []byte // as absolink list prints them; nil where they are longer than maxList
	documents         []foundBase
	places            []viewPlace // those on request come last
}

// write writes the view as a line of JSON.
func (v *view) write(w io.Writer) error {
	o := newObjectWriter(w)
	o.add("name", v.name)
	o.add("kind", v.kind)
	o.add("charset", v.charset)
	o.add("profile", v.profile)
	o.add("unshown", v.unshown)
	if v.warned > 0 {
		o.add("warnings", v.warnings)
		o.add("warned", v.warned)
	}
	o.addBytes("source", v.source)
	o.addBytes("rewritten", v.rewritten)
	o.addBytes("diff", orEmpty(unifiedDiff(v.name, v.source, v.rewritten)))
	o.addBytes("jsonl", v.lines)
	o.addBytes("csv", v.csv)
	addList(o, "documents", v.documents)
	addList(o, "places", v.places)
	return o.end()
}

// orEmpty returns a text that is not null in JSON.
func orEmpty(text []byte) []byte {
	if text == nil {
		return []byte{}
	}
	return text
}

type viewWarning struct {
	Offset  int64  `json:"offset"`
	Message string `json:"message"`
}

type viewPlace struct {
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

const (
	maxPlaces     = 100_000  // how many places a view has
	maxPlaceBytes = 32 << 20 // how long their texts may be together, and the base URLs of the documents
	maxList       = 16 << 20 // how long each list of them may be
	maxWarnings   = 20       // how many warnings a view has, and one more for each limit
)

var errViewSize = errors.New("has, with its rewriting, more than the 32 MiB or the million lines that can be shown; absolink list lists its links")

var errViewBases = errors.New("has base URLs of more than the 32 MiB that can be shown; absolink base lists them")

// A viewBuilder makes the view of a file that is rewritten to after.
type viewBuilder struct {
	view
	in            *input.Document
	before, after held
	indexes       map[*rewriter.Document]int // of documents
	texts, bases  int                        // the bytes in the texts of places, and in the bases of documents
}

// newViewBuilder returns a viewBuilder of in, whose Reader it observes.
func newViewBuilder(in *input.Document) *viewBuilder {
	v := &viewBuilder{in: in, indexes: map[*rewriter.Document]int{}}
	room := newDiffRoom()
	v.before.room, v.after.room = room, room
	in.Look()
	in.Reader = io.TeeReader(in.Reader, &v.before)
	return v
}

func (v *viewBuilder) visit(p *rewriter.Place) error {
	v.add(p, stateOf(p), "")
	return nil
}

// stateOf names what becomes of a place.
func stateOf(p *rewriter.Place) string {
	switch c := becomes(p); {
	case c.Rewritten > 0:
		return "rewritten"
	case c.Absolute > 0:
		return "absolute"
	case c.Unresolvable > 0:
		return "unresolvable"
	}
	return "left"
}

func (v *viewBuilder) add(p *rewriter.Place, state, group string) {
	s := viewPlace{
		Offset: p.Offset, Element: p.Element, Attr: p.Attr, Syntax: p.Rule.Syntax.String(), Rel: p.Rel, Raw: p.Raw, Ref: p.Ref, URL: p.URL,
		State: state, Group: group, Document: v.index(p.Document), Length: len(p.Raw),
		Outer: p.Rule.Outer || p.Ref == "" && p.Rule.Empty == rewriter.EmptyDocument,
	}
	if p.Err != nil {
		s.Error = p.Err.Error()
	}
	v.texts += len(s.Element) + len(s.Attr) + len(s.Rel) + len(s.Raw) + len(s.Ref) + len(s.URL) + len(s.Error)
	if len(v.places) >= maxPlaces || v.texts > maxPlaceBytes {
		v.unshown++
		return
	}
	s.Raw, s.Ref = strings.Clone(s.Raw), strings.Clone(s.Ref) // they may be parts of a long tag
	v.places = append(v.places, s)
}

// index returns the index of a document; of a file that is one document, it is 0.
func (v *viewBuilder) index(d *rewriter.Document) int {
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

// end takes a document that is done.
func (v *viewBuilder) end(d *rewriter.Document) {
	i := 0
	if v.in.Kind.IsContainer() {
		i = v.index(d)
	}
	for _, b := range []rewriter.Base{d.Result.Base, d.Result.Overridden, d.Overridden} {
		if b.URL != nil {
			v.bases += len(b.URL.String())
		}
	}
	if v.bases > maxPlaceBytes {
		return
	}
	for len(v.documents) <= i {
		v.documents = append(v.documents, foundBase{})
	}
	v.documents[i] = baseOf(d, v.in)
}

// finish completes the view of a file that was rewritten, with err.
func (v *viewBuilder) finish(err error) (*view, error) {
	if errors.Is(err, errDiffSize) {
		err = errViewSize
	}
	if err == nil && v.bases > maxPlaceBytes {
		err = errViewBases
	}
	if err != nil {
		return nil, err
	}
	v.name, v.kind, v.profile = v.in.Name, v.in.Kind, v.in.Settings.HTML.Profile().String()
	v.source, v.rewritten = orEmpty(v.before.Bytes()), orEmpty(v.after.Bytes())
	v.charset = charsetOf(v.source, v.in.Charset)
	v.onRequest()
	v.list()
	for i := range v.places {
		if p := &v.places[i]; p.Offset < 0 || !bytes.HasPrefix(v.source[min(p.Offset, int64(len(v.source))):], []byte(p.Raw)) {
			p.Length = 0
		}
	}
	return &v.view, nil
}

// ruleOrder has all groups of rules. Those of html come first, then links, which is a part of
// html, and those that read comments last.
var ruleOrder = []string{"html", "links", "legacy", "meta", "lazy", "json", "modules", "comments", "allcomments"}

// onRequest adds the places that other groups of rules find, until there are more than can be
// shown. What stands in a comment needs a group that reads it, and often another.
func (v *viewBuilder) onRequest() {
	if v.unshown > 0 {
		return
	}
	groups := map[rewriter.Rule]string{}
	for _, name := range slices.Backward(ruleOrder) {
		for _, r := range rewriter.RuleGroup(name) {
			groups[r] = name
		}
	}
	type span struct {
		offset int64
		length int
	}
	known := make(map[span]bool, len(v.places))
	for _, p := range v.places {
		known[span{p.Offset, p.Length}] = true
	}
	chosen := v.in.Settings.Rules.Rules
	all := input.RuleOptions{Rule: v.in.Settings.Rules.Rule}
	find := func(comments ...string) {
		if v.unshown > 0 {
			return
		}
		v.indexes = map[*rewriter.Document]int{} // the same documents come again, in the same order
		v.again(v.in.Settings.With(v.in.Settings.HTML.Options(), all), rewriter.Hooks{Visit: func(p *rewriter.Place) error {
			at := span{p.Offset, len(p.Raw)}
			if !known[at] {
				if v.unshown == 0 { // otherwise nothing more is looked for
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
	reading := slices.Index(ruleOrder, "comments")
	all.Rules = slices.DeleteFunc(slices.Clone(ruleOrder[:reading]), func(name string) bool { return name == "links" })
	for _, name := range ruleOrder[reading:] {
		if slices.Contains(chosen, name) {
			all.Rules = append(all.Rules, name)
		}
	}
	find()
	for _, name := range ruleOrder[reading:] {
		if !slices.Contains(all.Rules, name) {
			all.Rules = append(all.Rules, name)
			find(name)
		}
	}
}

// A placeList is a list of places in a view.
type placeList struct {
	format format
	lines  []byte // nil where they were longer than maxList
}

func newPlaceList(format format) *placeList {
	l := &placeList{format, []byte{}}
	head := listing.AppendTo(l.lines)
	format.begin(head, false)
	l.lines = head.Bytes()
	return l
}

func (l *placeList) add(p listed) {
	if l.lines == nil {
		return
	}
	if l.lines = l.format.append(l.lines, p); len(l.lines) > maxList {
		l.lines = nil
	}
}

// list lists all places, and gathers the warnings.
func (v *viewBuilder) list() {
	lines, csv := newPlaceList(formats["jsonl"]), newPlaceList(formats["csv"])
	visit := func(p *rewriter.Place) error {
		l := listed{Place: listing.Place{Place: p, File: v.name}}
		lines.add(l)
		csv.add(l)
		return nil
	}
	limits := map[string]bool{} // that were met: each is shown once, however late it comes
	warn := func(offset int64, err error) {
		v.warned++
		limit := console.LimitName(err)
		if v.warned <= maxWarnings || limit != "" && !limits[limit] {
			limits[limit] = true
			v.warnings = append(v.warnings, viewWarning{offset, err.Error()})
		}
	}
	v.again(v.in.Settings, rewriter.Hooks{Visit: visit, Warn: warn, Text: true})
	v.lines, v.csv = lines.lines, csv.lines
}

// again rewrites the source once more, with the settings s, for the hooks alone. Nothing can
// fail: it reads from memory, and the hooks have no errors.
func (v *viewBuilder) again(s *input.Settings, h rewriter.Hooks) {
	in := *v.in
	in.Settings, in.Reader, in.Progress = s, bytes.NewReader(v.source), nil
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

// maxResolutions is how many bytes of resolutions a view brings along.
const maxResolutions = 64 << 20

// base returns the base URL of a place; "" where none is known.
func (v *view) base(p *viewPlace) string {
	if p.Document >= len(v.documents) || v.documents[p.Document].Base == nil {
		return ""
	}
	d := v.documents[p.Document]
	for _, l := range append([]layer{*d.Base}, d.Overrides...) {
		if !p.Outer || l.Source != "embedded" {
			return string(l.URL)
		}
	}
	return ""
}

// writeResolutions writes a line for each place with what its reference becomes by each
// profile, once where several have the same base and reference, up to maxResolutions.
func (v *view) writeResolutions(w io.Writer) error {
	room := countdownWriter{w, maxResolutions}
	out := listing.NewBuffer(&room)
	bases := map[string][]*resolver.Base{}
	seen := map[[2]string]bool{}
	for i := 0; i < len(v.places) && room.left > 0; i++ {
		p := &v.places[i]
		base := v.base(p)
		if key := [2]string{base, p.Ref}; base == "" || seen[key] {
			continue
		} else {
			seen[key] = true
		}
		if bases[base] == nil {
			for _, profile := range profiles {
				b, _ := resolver.ParseBase(base, profile) // nil is explained, too
				bases[base] = append(bases[base], b)
			}
		}
		out.Add(`{"base":`)
		out.AddJSON(base)
		out.Add(`,"ref":`)
		out.AddJSON(p.Ref)
		key := `,"results":{"`
		for i, profile := range profiles {
			out.Add(key + profile.String() + `":`)
			addResolution(out, bases[base][i], p.Ref, true)
			key = `,"`
		}
		out.Add("}}\n")
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// A countdownWriter counts down what is written.
type countdownWriter struct {
	io.Writer
	left int
}

func (l *countdownWriter) Write(p []byte) (int, error) {
	l.left -= len(p)
	return l.Writer.Write(p)
}

var profiles = []resolver.Profile{resolver.RFC1808, resolver.RFC3986, resolver.WHATWG}
