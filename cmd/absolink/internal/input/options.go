package input

import (
	"errors"
	"fmt"
	"strings"

	htmlcharset "golang.org/x/net/html/charset"

	"absolink/internal/size"
	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/feed"
)

// DocumentOptions say which documents are read, and how.
type DocumentOptions struct {
	URL         *string `short:"u" name:"url" placeholder:"URL" group:"base" help:"The URL that the documents were retrieved from: the base of relative links if a document embeds none."`
	Type        string  `enum:"auto,html,message,feed,css" default:"auto" placeholder:"TYPE" group:"input" help:"What the FILEs hold: html, message (also MHTML and mbox), feed (RSS, Atom, JSON Feed, sitemaps) or css. By default each FILE is recognized by its content and its name." query:""`
	NoSavedFrom bool    `group:"advanced" help:"Ignore the URL that a browser, or a program that saves pages, left in a page." query:""`
	Canonical   bool    `group:"base" help:"Take the URL of link rel=canonical or og:url as the URL that a page was retrieved from, if nothing else gives that URL." query:""`
	containerOptions
	ReadOptions
	FetchOptions

	Files []string `arg:"" optional:"" name:"FILE" help:"HTML documents, messages or feeds; for list, also web archives. A FILE that begins with http:// or https:// is retrieved; - is standard input, which is also read without any FILE. A FILE that begins with -, or has the name of a command, goes after --."`
}

// containerOptions say how files are read that documents stand in.
type containerOptions struct {
	Attachments bool `group:"input" help:"In messages, rewrite HTML with Content-Disposition: attachment too, and that in attached messages. By default it stays." query:""`
	FeedOptions
}

// FeedOptions say how feeds are read.
type FeedOptions struct {
	ItemBase string `name:"item-base" enum:"link,feed" default:"link" placeholder:"WHAT" group:"base" help:"What the links in the HTML of a feed are relative to: the link of the item (the default), or the feed itself, as in feeds of Hugo with relativeURLs." query:""`
}

// feed returns what rewrites a feed.
func (o FeedOptions) feed(html *rewriter.Rewriter) *feed.Rewriter {
	return &feed.Rewriter{HTML: html, IgnoreLinks: o.ItemBase == "feed", Hold: html.Options().Hold}
}

// ReadOptions say how documents are read, and which messages are printed.
type ReadOptions struct {
	HTMLOptions
	Charset string `placeholder:"LABEL" group:"input" help:"The charset of the documents, as HTTP would give it. By default the documents declare it themselves." query:""`
	Quiet   bool   `short:"q" group:"messages" help:"Print errors only: no warnings, no summaries, and with tree --check no links."`
	Strict  bool   `group:"messages" help:"Exit with 3 if there is something to look at: a warning, a difference with --diff, a missing base URL."`
	Debug   bool   `group:"messages" help:"Print every warning, also about each link that stays as it is, and the offset of each in bytes."`
}

// HTMLOptions say how HTML is rewritten.
type HTMLOptions struct {
	Profile       resolver.Profile `placeholder:"PROFILE" enum:"rfc1808,rfc3986,whatwg" default:"rfc1808" env:"ABSOLINK_PROFILE" group:"base" help:"The standard to resolve by: rfc1808 (the default), rfc3986 or whatwg, which is what browsers do." query:""`
	Scope         string           `enum:"head,document" default:"head" placeholder:"SCOPE" group:"advanced" help:"Where a BASE counts: in the head, as in RFC 1808 (the default), or anywhere in the document, as in browsers. With document, a document is held in memory up to its BASE or its end." query:""`
	BaseTag       string           `name:"base-tag" enum:"keep,remove" default:"keep" placeholder:"WHAT" group:"base" help:"What becomes of BASE: keep it, absolute, for scripts (the default), or remove its URL." query:""`
	KeepFragments bool             `group:"links" help:"Leave links that are only a fragment, as in <a href=\"#top\">, as they are." query:""`
	Keep          []string         `placeholder:"PATTERN" sep:"none" group:"links" help:"Leave links that match PATTERN unchanged, such as '{{*' for the merge tags of a template. In a PATTERN, * stands for any characters, and \\* for a star. The option may be given several times." query:""`
	Hold          size.Bytes       `placeholder:"SIZE" default:"16MiB" group:"advanced" help:"How much of a document may be held in memory until it is known whether its HEAD has a BASE (${default})." query:""`
	MaxTag        size.Bytes       `placeholder:"SIZE" default:"1MiB" group:"advanced" help:"How long a tag, style sheet, script or comment with places may be before it stays as it is (${default})." query:""`
	Base          *string          `hidden:""` // what it is called in other programs, see Validate
	RuleOptions
}

// RuleOptions say which places there are.
type RuleOptions struct {
	Rules []string `placeholder:"GROUPS" sep:"," values:"html,links,legacy,meta,lazy,json,modules,comments,allcomments" default:"html" group:"links" help:"The groups of places, with commas between them: html (the default), links (what people follow, without what browsers fetch; in place of html), legacy, meta, lazy, json, modules, comments, allcomments." query:""`
	Rule  []string `placeholder:"RULE" sep:"none" group:"links" help:"Add a place, such as img[data-zoom]=url, or with =srcset, =list, =css or another syntax; the element * is any element. Or remove a place, such as -a[ping]." query:""`
}

// Table returns the rules that the options select.
func (o *RuleOptions) Table() ([]rewriter.Rule, error) {
	rules := []rewriter.Rule{}
	for _, name := range o.Rules {
		group := rewriter.RuleGroup(name)
		switch {
		case group == nil && strings.Contains(name, "["):
			return nil, fmt.Errorf("--rules: %q is not a group but a rule, which --rule takes", name)
		case group == nil:
			return nil, fmt.Errorf("--rules: unknown group %q: it is html, links, legacy, meta, lazy, json, modules, comments or allcomments", name)
		}
		rules = append(rules, group...)
	}
	for _, s := range o.Rule {
		if rewriter.RuleGroup(s) != nil {
			return nil, fmt.Errorf("--rule: %s is a group; --rules html,%[1]s adds it to html", s)
		}
		rule, err := rewriter.ParseRule(s)
		if err != nil {
			return nil, fmt.Errorf("--rule: %w", err)
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

func (o *HTMLOptions) Validate() error {
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
	rules, err := o.Table()
	if err == nil {
		_, err = rewriter.New(rewriter.Options{Keep: o.Keep, Rules: rules})
	}
	if field, text, ok := strings.Cut(strings.TrimPrefix(fmt.Sprint(err), "rewriter: "), ": "); ok && (field == "Keep" || field == "Rules") {
		return fmt.Errorf("--%s: %s", strings.ToLower(field), text)
	}
	return err
}

func (o *ReadOptions) Validate() error {
	if _, name := htmlcharset.Lookup(o.Charset); o.Charset != "" && name == "" {
		return fmt.Errorf("--charset: %q is not an encoding of the web, such as utf-8, shift_jis or windows-1252", o.Charset)
	}
	return o.HTMLOptions.Validate()
}

func (o *DocumentOptions) Validate() error {
	if err := o.FetchOptions.Check(); err != nil {
		return err
	}
	return o.ReadOptions.Validate()
}

// Names returns the documents that the command line names, where a manifest may name
// more.
func (o *DocumentOptions) Names(manifest string) []string {
	if len(o.Files) == 0 && manifest == "" {
		return []string{"-"}
	}
	return o.Files
}
