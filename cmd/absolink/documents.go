package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	htmlcharset "golang.org/x/net/html/charset"

	"absolink/internal/size"
	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/web"
)

// documentOptions say which documents are read, and how.
type documentOptions struct {
	URL         *string `short:"u" name:"url" placeholder:"URL" group:"base" help:"The URL that the documents were retrieved from: the base of relative links if a document embeds none."`
	Type        string  `enum:"auto,${kinds}" default:"auto" placeholder:"TYPE" group:"input" help:"What the FILEs hold: ${kindHelp}. By default each FILE is recognized by its content and its name." query:""`
	NoSavedFrom bool    `group:"advanced" help:"Ignore the URL that a browser, or a program that saves pages, left in a page." query:""`
	Canonical   bool    `group:"base" help:"Take the URL of link rel=canonical or og:url as the URL that a page was retrieved from, if nothing else gives that URL." query:""`
	readOptions
	fetchOptions

	shared rewriters `kong:"-"` // for all documents of a worker, one after another
	tell   hooks     `kong:"-"` // of the document that is rewritten

	Files []string `arg:"" optional:"" name:"FILE" help:"HTML documents, messages or feeds. A FILE that begins with http:// or https:// is retrieved; - is standard input, which is also read without any FILE. A FILE that begins with -, or has the name of a command, goes after --."`
}

// readOptions say how documents are read, and which messages are printed.
type readOptions struct {
	htmlOptions
	Charset string `placeholder:"LABEL" group:"input" help:"The charset of the documents, as HTTP would give it. By default the documents declare it themselves." query:""`
	Quiet   bool   `short:"q" group:"messages" help:"Print errors only: no warnings, no summaries, and with tree --check no links."`
	Strict  bool   `group:"messages" help:"Exit with 3 if there is something to look at: a warning, a difference with --diff, a missing base URL."`
	Debug   bool   `group:"messages" help:"Print every warning, also about each link that stays as it is, and the offset of each in bytes."`
}

// htmlOptions say how HTML is rewritten.
type htmlOptions struct {
	Profile       resolver.Profile `placeholder:"PROFILE" enum:"rfc1808,rfc3986,whatwg" default:"rfc1808" env:"ABSOLINK_PROFILE" group:"base" help:"The standard to resolve by: rfc1808 (the default), rfc3986 or whatwg, which is what browsers do." query:""`
	Scope         string           `enum:"head,document" default:"head" placeholder:"SCOPE" group:"advanced" help:"Where a BASE counts: in the head, as in RFC 1808 (the default), or anywhere in the document, as in browsers. With document, a document is held in memory up to its BASE or its end." query:""`
	BaseTag       string           `name:"base-tag" enum:"keep,remove" default:"keep" placeholder:"WHAT" group:"base" help:"What becomes of BASE: keep it, absolute, for scripts (the default), or remove its URL." query:""`
	KeepFragments bool             `group:"links" help:"Leave links that are only a fragment, as in <a href=\"#top\">, as they are." query:""`
	Hold          size.Bytes       `placeholder:"SIZE" default:"16MiB" group:"advanced" help:"How much of a document may be held in memory until it is known whether its HEAD has a BASE (${default})." query:""`
	MaxTag        size.Bytes       `placeholder:"SIZE" default:"1MiB" group:"advanced" help:"How long a tag, style sheet, script or comment with places may be before it stays as it is (${default})." query:""`
	Base          *string          `hidden:""` // what it is called in other programs, see Validate
	ruleOptions
}

// ruleOptions say which places there are.
type ruleOptions struct {
	Rules []string `placeholder:"GROUPS" sep:"," default:"html" group:"links" help:"The groups of places, with commas between them: html (the default), legacy, meta, lazy, json, modules, comments, allcomments." query:""`
	Rule  []string `placeholder:"RULE" sep:"none" group:"links" help:"Add a place, such as img[data-zoom]=url, or with =srcset, =list, =css or another syntax; the element * is any element. Or remove a place, such as -a[ping]." query:""`
}

// table returns the rules that the options select.
func (o *ruleOptions) table() ([]rewriter.Rule, error) {
	rules := []rewriter.Rule{}
	for _, name := range o.Rules {
		group := rewriter.RuleGroup(name)
		if group == nil {
			return nil, fmt.Errorf("--rules: unknown group %q: it is html, legacy, meta, lazy, json, modules, comments or allcomments", name)
		}
		rules = append(rules, group...)
	}
	for _, s := range o.Rule {
		rule, err := rewriter.ParseRule(s)
		if err != nil {
			return nil, fmt.Errorf("--rule: %w", err)
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

// Validate checks the values of the options.
func (o *htmlOptions) Validate() error {
	switch {
	case o.Base != nil && (*o.Base == "keep" || *o.Base == "remove"):
		return fmt.Errorf("--base is called --base-tag: --base-tag %s", *o.Base)
	case o.Base != nil:
		return errors.New("--base is not an option; --url URL gives a base URL, and --base-tag says what becomes of the BASE element")
	case o.Hold <= 0:
		return errors.New("--hold takes a number of bytes above 0")
	case o.MaxTag <= 0:
		return errors.New("--max-tag takes a number of bytes above 0")
	}
	_, err := o.table()
	return err
}

// Validate checks the values of the options.
func (o *readOptions) Validate() error {
	if _, name := htmlcharset.Lookup(o.Charset); o.Charset != "" && name == "" {
		return fmt.Errorf("--charset: %q is not an encoding of the web, such as utf-8, shift_jis or windows-1252", o.Charset)
	}
	return o.htmlOptions.Validate()
}

// Validate checks the values of the options.
func (o *documentOptions) Validate() error {
	if err := o.fetchOptions.check(); err != nil {
		return err
	}
	return o.readOptions.Validate()
}

// outerBase returns the outer base, nil where the options give none. It is not ok
// where the options give a URL that cannot be a base, which outerBase has then said.
func (o *documentOptions) outerBase(ui *ui) (outer *resolver.Base, ok bool) {
	if o.URL == nil {
		return nil, true
	}
	return o.baseOption(ui, *o.URL)
}

// rewriter returns a Rewriter with the options.
func (o *htmlOptions) rewriter() *rewriter.Rewriter {
	rules, err := o.table()
	if err != nil {
		panic(err) // Validate saw it
	}
	return &rewriter.Rewriter{
		Profile: o.Profile, Rules: rules, Hold: o.Hold.Int(), MaxTag: o.MaxTag.Int(),
		KeepFragments: o.KeepFragments, RemoveBase: o.BaseTag == "remove", WholeDocument: o.Scope == "document",
	}
}

// newRewriter returns a Rewriter with the options.
func (o *documentOptions) newRewriter() *rewriter.Rewriter {
	rw := o.readOptions.rewriter()
	rw.IgnoreSaved, rw.Canonical = o.NoSavedFrom, o.Canonical
	return rw
}

// hooks are what a Rewriter tells of one document.
type hooks struct {
	visit        func(*rewriter.Place) error // may be nil, which is faster
	warn         func(offset int64, err error)
	unresolvable func(*rewriter.Place) // nil for all documents or for none
	text         bool                  // visit wants Place.Text; for all documents or for none
}

// rewriters are Rewriters with the same options.
type rewriters struct{ plain, visiting *rewriter.Rewriter }

// rewriter returns a Rewriter with the options, which tells h until rewriter is called
// for the next document.
func (o *documentOptions) rewriter(h hooks) *rewriter.Rewriter {
	o.tell = h
	shared := &o.shared.plain
	if h.visit != nil {
		shared = &o.shared.visiting
	}
	if *shared != nil {
		return *shared
	}
	rw := o.newRewriter()
	rw.Text = h.text
	rw.Warn = func(offset int64, err error) { o.tell.warn(offset, err) }
	if h.visit != nil {
		rw.Visit = func(p *rewriter.Place) error { return o.tell.visit(p) }
	}
	if h.unresolvable != nil {
		rw.Unresolvable = func(p *rewriter.Place) { o.tell.unresolvable(p) }
	}
	*shared = rw
	return rw
}

// An input is what a FILE holds, and what is known of it.
type input struct {
	io.Reader
	io.Closer
	url     string   // that it was retrieved from; "" where it was not
	fields  []string // Base of the response that it came in
	charset string   // that --charset or HTTP gives; "" where neither does
	name    string
	file    bool   // it is a regular file, not a pipe or the like
	start   []byte // what it begins with; set by look
	kind    kind   // set by rewriting
	lines   *lines // its lines; nil until about is called, where it is not a regular file
	origin  string // what gave the retrieval URL, if there is one: "--url" or "response"

	// What the response gives as the base of its entity, and the retrieval URL, which that
	// base overrides. Without such a base, both are zero.
	entity, retrieved rewriter.Base
}

// look returns what in begins with. Read returns that as well.
func (in *input) look() []byte {
	if in.start == nil {
		in.start, in.Reader = startOf(in.Reader)
	}
	return in.start
}

// source returns the document that in names and src has, with its charset.
func (o *documentOptions) source(in *input, src io.Reader) io.Reader {
	return rewriter.Source{Reader: src, Charset: in.charset, Sheet: in.kind == kindCSS}
}

// baseFor returns the outer base of a document. It is --url where that is given, and
// otherwise the URL that the document was retrieved from, if this URL can be a base.
func (o *documentOptions) baseFor(ui *ui, in *input, outer *resolver.Base) *resolver.Base {
	if in.origin = "--url"; o.URL != nil || in.url == "" {
		return outer
	}
	in.origin = "response"
	return o.retrieved(ui, in, in.url)
}

// retrieved returns the base of a document that was retrieved from a URL; nil where
// the URL cannot be a base.
func (o *documentOptions) retrieved(ui *ui, in *input, url string) *resolver.Base {
	base, err := o.parseBase(url)
	if err != nil {
		ui.warnf("%s: the URL that it was retrieved from: %v", inputName(in.name), err)
	}
	return base
}

// hint returns which option raises the limit that err is about, as the end of a
// message; "" where err is about something else.
func hint(err error) string {
	switch {
	case isLimit(err, "Hold"):
		return " (--hold raises the limit)"
	case isLimit(err, "MaxTag"):
		return " (--max-tag raises the limit)"
	}
	return ""
}

// names returns the documents that the command line names, where a manifest may name
// more.
func (o *documentOptions) names(manifest string) []string {
	if len(o.Files) == 0 && manifest == "" {
		return []string{"-"}
	}
	return o.Files
}

// open opens a document to be read; "-" is standard input. outer is the base that the
// options give. open returns the base for this document.
func (o *documentOptions) open(ctx context.Context, ui *ui, e entry, outer *resolver.Base) (*input, *resolver.Base, error) {
	in, err := o.openDocument(ctx, ui, e.name)
	if err != nil {
		return nil, nil, err
	}
	in, outer = o.opened(ui, in, e, outer)
	return in, outer, nil
}

// opened completes what is known of a document that is open. outer is as in open.
func (o *documentOptions) opened(ui *ui, in *input, e entry, outer *resolver.Base) (*input, *resolver.Base) {
	in.name, in.charset = e.name, cmp.Or(o.Charset, in.charset)
	if f := regularFile(in.Reader); f != nil {
		if at, err := f.Seek(0, io.SeekCurrent); err == nil {
			in.lines = linesOf(f, at, in.charset)
		}
	}
	base := outer
	if e.url != "" {
		base = o.retrieved(ui, in, e.url)
	} else {
		base = o.baseFor(ui, in, outer)
	}
	return in, o.entityBase(ui, in, base)
}

// entityBase returns the base that the response gives, in which a document came; base, the
// retrieval URL, if it gives none.
func (o *documentOptions) entityBase(ui *ui, in *input, base *resolver.Base) *resolver.Base {
	rw := rewriter.Rewriter{Profile: o.Profile}
	entity, err := rw.ResponseBase(base, in.fields)
	if err != nil {
		ui.warnf("%s: %v", inputName(in.name), err)
	}
	if entity.URL == nil {
		return base
	}
	in.entity, in.retrieved = entity, rewriter.Base{URL: base, Source: rewriter.OuterBase}
	return entity.URL
}

// openDocument opens a file, standard input, or a document on the web.
func (o *documentOptions) openDocument(ctx context.Context, ui *ui, name string) (*input, error) {
	switch {
	case name == "-":
		return &input{Reader: ui.stdin, Closer: io.NopCloser(nil)}, nil
	case isURL(name):
		return o.fetch(ctx, ui, name)
	}
	info, err := os.Stat(name)
	switch {
	case err != nil && strings.Contains(name, "://"):
		return nil, fmt.Errorf("cannot be fetched: %w", web.ErrScheme)
	case err != nil:
		return nil, cannot("open", name, err)
	case info.IsDir():
		return nil, errDirectory(name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return &input{Reader: f, Closer: f, file: info.Mode().IsRegular()}, nil
}

// errDirectory is for a directory that is named in place of a FILE.
func errDirectory(name string) error {
	return fmt.Errorf("is a directory; name the files in it, or rewrite all of it with absolink tree %s", name)
}

// isLimit reports whether an error says that the limit of a field was reached.
func isLimit(err error, field string) bool {
	var limit *rewriter.LimitError
	return errors.As(err, &limit) && limit.Field == field
}
