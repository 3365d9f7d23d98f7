package rewriter

import (
	"slices"

	"golang.org/x/net/html"

	"absolink/resolver"
	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/markup"
)

// Browsers fetch or parse some places as soon as they come to them: the base of that moment
// counts, and not a BASE that follows. What is followed or fetched later, such as a link or
// an icon, uses the BASE. compare/moments_test.go asks a browser.

// fetchedAtOnce are the attributes that browsers resolve when they come to the element, besides
// those whose syntax says so.
var fetchedAtOnce = map[uint64][]string{
	markup.HashName("script"):  {"src", "href", "xlink:href"},
	markup.HashName("link"):    {"href", "imagesrcset"}, // by rel
	markup.HashName("img"):     {"src", "srcset"},       // unless lazy
	markup.HashName("source"):  {"srcset"},
	markup.HashName("iframe"):  {"src"},
	markup.HashName("image"):   {"href", "xlink:href"},
	markup.HashName("feimage"): {"href", "xlink:href"},
	markup.HashName("use"):     {"href", "xlink:href"},
}

// fetchedRels are the rels of links that browsers fetch at once.
var fetchedRels = []string{"stylesheet", "preload", "modulepreload", "prefetch"}

// isEarly reports whether the base of the moment counts for a place in the tag, which is
// known up to end. hash is of the name of the element. After a late BASE, the base of the
// moment is that BASE, for which the place waits anyway. If a frameset replaces the body, BASE
// and place both go.
func (e *engine) isEarly(r *rule, hash uint64, end int) bool {
	isBefore := !e.decided && !e.late.found || e.beforeBase
	return e.profile == resolver.WHATWG && isBefore && e.isFetchedAtOnce(r, hash, end)
}

// isFetchedAtOnce reports whether browsers resolve a place in the tag, which is known up to
// end, when they come to the tag.
func (g *tags) isFetchedAtOnce(r *rule, hash uint64, end int) bool {
	switch r.Syntax {
	case SyntaxCSS:
		return r.Attr == "" || r.Attr == "style"
	case SyntaxRefresh, SyntaxDocument, SyntaxImportMap, SyntaxModule:
		return r.Attr != "" || r.Element != commentName && r.Element != anyCommentName
	}
	if !slices.Contains(fetchedAtOnce[hash], r.Attr) {
		return false
	}
	switch hash {
	case hashLink:
		rel, _ := g.attr("rel", end)
		return slices.ContainsFunc(fetchedRels, func(token string) bool { return ascii.HasToken(rel, token) })
	case hashImg:
		loading, _ := g.attr("loading", end)
		return !ascii.EqualFold(loading, "lazy")
	}
	return true
}

// isBefore reports whether the node n, or a part of it, stands before the node base of its
// document.
func isBefore(n, base *html.Node) bool {
	top := topOf(n)
	for c := range top.Descendants() {
		if n == top || c == n || c == base {
			return c != base || n == top
		}
	}
	return false
}

var hashLink, hashImg = markup.HashName("link"), markup.HashName("img")

// topOf returns the root of the tree that n is part of.
func topOf(n *html.Node) *html.Node {
	for n.Parent != nil {
		n = n.Parent
	}
	return n
}
