// Package feed rewrites feeds: RSS 0.9 to 2.0, RSS 1.0 (RDF), Atom 0.3 and 1.0, JSON Feed
// 1.0 and 1.1, and sitemaps. The URLs of the feed itself become absolute, and those in its
// HTML documents. Everything else in a feed is copied byte for byte.
//
// # Where HTML is
//
// HTML is the text of these elements, escaped, in CDATA sections, or both:
//
//	RSS item     description, content:encoded, itunes:summary, fullitem; body
//	             without elements
//	Atom 1.0     title, summary, content, rights, subtitle with type="html";
//	             content with type="text/html"
//	Atom 0.3     title, summary, content, copyright, tagline, info with
//	             mode="escaped" and an HTML type; with mode="base64" they stay,
//	             and Warn is told
//	Media RSS    media:title, media:description, media:text with type="html"
//	JSON Feed    content_html
//
// HTML also stands as elements of XHTML in:
//
//	Atom 1.0     the same with type="xhtml"; content with
//	             type="application/xhtml+xml"
//	Atom 0.3     the same with mode="xml" and an HTML type
//	RSS item     body; any element of XHTML, such as xhtml:body
//
// The title of an RSS item and the description of a channel are plain text. Elements are
// known by their namespaces; a prefix that a feed does not declare has its usual meaning.
//
// # The URLs of the feed itself
//
// These places stand in no HTML document; their Document is the feed:
//
//	RSS channel  link, docs; link and url of image; link of textInput
//	RSS item     link, comments, url of enclosure and source
//	Atom         href of link; src of content; uri of generator; icon, logo, uri;
//	             in Atom 0.3 url, also of generator
//	Media RSS    url of media:content, media:thumbnail, media:player, media:embed,
//	             media:copyright; href of media:license, media:peerLink,
//	             media:subTitle; info of media:price; media:backLink, media:response
//	Others       href of itunes:image and xhtml:link; itunes:new-feed-url; wfw:comment,
//	             wfw:commentRss
//	Sitemaps     loc of url and sitemap; image:loc, image:license; video:thumbnail_loc,
//	             video:content_loc, video:player_loc, video:gallery_loc; info of
//	             video:uploader
//	XML          href of <?xml-stylesheet?> before the first element, unless it is a
//	             fragment
//	JSON Feed    home_page_url, feed_url, next_url, icon, favicon; url of hubs; url and
//	             avatar of authors; of items url, external_url, image, banner_image, and
//	             url of attachments
//
// Identifiers stay: guid, id, rdf:about, and the rdf:resource that repeats an rdf:about.
// So does xml:base, on which something else may depend.
//
// Each of these URLs is resolved against the xml:base in scope (RFC 4287 §2), otherwise
// against the feed's own URL, as feed readers do. The link of a channel or entry is a base
// for documents only.
//
// # The base of a document
//
// Each document is encapsulated in its entry (RFC 1808 §3.2). The first of these that
// exists gives its outer base; a BASE in the document comes before all of them:
//
//	1  xml:base in scope     of the element itself or of the nearest one around it,
//	                         resolved against the one further out (XML Base §4)
//	2  the entry's link      the first RSS link, or the first Atom link with
//	                         rel="alternate" or without rel
//	3  the item's rdf:about
//	4  the feed's link       as 2 and 3, of the RSS channel or the Atom feed
//	5  the feed's own URL    the outer base given to Rewrite
//
// With IgnoreLinks, 2 to 4 do not count.
//
// A relative xml:base or link is itself resolved against the xml:base around it, or
// against the feed's own URL if there is none. A URL that cannot be a base does not count,
// and Warn is told: mailto:, a script or data, more than 8 KiB. An xml:base or link that is
// not known is a base all the same, so that the links that need it stay, and Warn is told:
// it has an entity, is invalid, or is relative without a base. Where the document type
// declaration may give an xml:base by default, the base of every element without an xml:base
// of its own is not known. If an entry or feed has several links, the first that gives a
// base counts.
//
// A link may come after the documents that need it: each entry is read ahead to its end, and
// the beginning of a feed until its link is found or an entry begins, but no more than Hold
// bytes.
//
// In a JSON Feed, the url of the item takes the place of the entry's link, and
// home_page_url, before the items, the place of the feed's link. external_url leads to
// another page and is not a base. Of two members with the same name the last counts. If no
// outer base is given, feed_url is the feed's own URL.
//
// # What is written
//
// In text, "&", "<", ">" and the like are written as XML references; in a CDATA section
// they are written as they are; in attributes of elements they are written as in HTML. A
// feed that was well-formed stays well-formed. In JSON, all characters beyond ASCII are
// written as escapes. In a URL of the feed itself, NUL and characters that XML forbids are
// percent-encoded; in a feed that is not UTF-8, so are all characters beyond ASCII.
//
// Entities of a document type declaration are never expanded. A URL with such an entity
// or a comment within it stays as it is, and Warn is told. In XHTML, an element with
// an xml:base of its own is a document of its own. Comments of XHTML are never documents,
// even with [rewriter.Comments].
//
// A feed in UTF-16, UTF-32 or ISO-2022-JP stays as it is, and Warn is told. So does the
// rest of a JSON Feed, from the point where it is not JSON.
package feed

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"

	"absolink/internal/passage"
	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/container"
)

// A Rewriter rewrites feeds. The zero value is ready to use. Its fields must
// not change after the first use; its methods may be called from any number of
// goroutines.
type Rewriter struct {
	// HTML rewrites the documents; nil is new(rewriter.Rewriter). Its hooks see
	// offsets in the feed. The Document of a place in HTML is the one that Begin and End are
	// told of. It has no Name: its Offset tells it from others. The URLs of the feed itself are resolved
	// and visited as HTML says, too; the Document of each is the feed, at offset 0.
	//
	// MaxTag of HTML also limits the length of a URL of the feed itself. Hold of HTML limits
	// what is held of a document as in any other; its form in the feed, which is held
	// too, may take 8 times as much.
	HTML *rewriter.Rewriter

	// IgnoreLinks resolves the URLs in documents against the feed's own URL, unless there is
	// an xml:base: the links of entries and of the feed are no bases. Some programs write
	// the URLs in a feed relative to the feed, wherever its entries lead: Hugo with
	// relativeURLs does.
	IgnoreLinks bool

	// Hold is how many bytes of an entry, or of the beginning of a feed, are read ahead
	// for its link; 0 is 16 MiB. A link after that does not count, and Warn is told.
	Hold int

	trace func(start, end int64) // shows the tests which bytes of a feed are replaced
}

const (
	defaultHold = 16 << 20

	// heldPerByte is above the number of bytes that one byte of a document takes in the
	// feed while it is held: up to six in a reference or escape, and those of a piece.
	heldPerByte = 8
)

// errHold is for an entry, or the beginning of a feed, that is longer than Hold.
func errHold(limit int64) error {
	return &rewriter.LimitError{Field: "Hold", Limit: limit, Text: "more bytes follow than may be held to look for a link; a later link is not a base"}
}

var (
	errWide    = errors.New("the feed is in an encoding that is not rewritten and stays as it is; convert it to UTF-8")
	errChild   = errors.New("an element stands in text that is HTML; the rest of this text stays as it is")
	errEndTag  = errors.New("the end tag closes no open element; it is ignored")
	errBracket = errors.New("\"<\" begins no tag; it is taken for text, write &lt;")
	errEnd     = errors.New("the feed ends before its elements do")
	errRead    = errors.New("reading failed") // as documents see it; the scanner knows why
	errBase64  = errors.New("HTML in base64 is not rewritten and stays as it is; write mode=\"escaped\"")
	errMiddle  = errors.New("an entity, comment or other markup is within a URL, which stays as it is")
)

// Rewrite copies the feed src to dst. The URLs of the feed itself and the references in
// its HTML documents become absolute, and nothing else changes. If dst is nil, nothing
// is written. outer is the URL of the feed itself; it may be nil. The counts in the result
// are the sums over all documents and the feed itself; its Base is outer.
//
// A feed that has been decoded from another encoding comes as a [rewriter.Source] with
// Decoded: the encoding that the feed declares does not count then, and its HTML has
// queries in Charset, or in UTF-8 without one. Other fields of a Source do not count.
//
// An error that is a [*rewriter.Error] says that reading, writing or Visit failed; what
// was written is then a prefix of the whole output. Any other error is one of Validate,
// or says that outer is of another profile; nothing was read then.
func (r *Rewriter) Rewrite(dst io.Writer, src io.Reader, outer *resolver.Base) (rewriter.Result, error) {
	if err := r.Validate(); err != nil {
		return rewriter.Result{}, err
	}
	if err := r.HTML.CheckBase(outer); err != nil {
		return rewriter.Result{}, fmt.Errorf("feed: HTML: %w", err)
	}
	f := run{options: r, html: r.HTML, warnings: warnings{html: r.HTML}, source: sourceOf(src), hold: int64(min(cmp.Or(r.Hold, defaultHold), math.MaxInt/4))}
	f.maxHeld, f.errHeld = container.HoldEncoded(f.html, heldPerByte)
	if outer != nil {
		f.result.Base = rewriter.Base{URL: outer, Source: rewriter.OuterBase}
	}
	f.scan = scanner{input: passage.Input{Src: f.source.Reader}, output: passage.NewOutput(dst), hold: int(f.hold), trace: r.trace}
	f.urls, f.self.Outer = f.urlRewriter(), f.result.Base
	f.tracker = &tracker{bases: f.html, outer: outer, warn: f.warnings.add}
	f.rewrite()
	f.result.Warnings += f.warnings.count
	f.scan.output.Flush()
	switch {
	case f.scan.output.Err() != nil:
		return f.result, f.scan.output.Err()
	case f.scan.failure != nil && !errors.Is(f.scan.failure, errRead):
		return f.result, f.scan.failure
	}
	return f.result, f.scan.input.Err()
}

// Validate returns an error if a limit is negative. Rewrite returns the same error.
func (r *Rewriter) Validate() error {
	if r.Hold < 0 {
		return fmt.Errorf("feed: Rewriter.Hold is %d; it takes 0, which is 16 MiB, or more", r.Hold)
	}
	return nil
}
