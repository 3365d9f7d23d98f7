package rewriter

// A kind says what the HTML Standard's parsing section makes of an element
// name. One name may be several things.
type kind uint16

const (
	void       kind = 1 << iota // no end tag, no content
	special                     // "special" (§13.2.4.2): stops the search of "any other end tag"
	scope                       // ends the "has an element in scope" search
	rawText                     // content is raw text, RCDATA, script data or PLAINTEXT
	inHead                      // may stand in the HEAD without ending it
	breakout                    // leaves foreign content
	svgHTML                     // HTML integration point in SVG
	mathText                    // MathML text integration point
	endsAtP                     // its end tag breaks out of foreign content
	foreignAny                  // svg and math: begin foreign content
)

// kinds has every name that the engine treats differently from an unknown
// one, in lower case.
var kinds = func() map[string]kind {
	m := make(map[string]kind)
	for _, set := range []struct {
		kind  kind
		names []string
	}{
		{void, []string{
			"area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "image", "input",
			"keygen", "link", "meta", "param", "source", "track", "wbr",
		}},
		{special, []string{
			"address", "applet", "area", "article", "aside", "base", "basefont", "bgsound", "blockquote", "body",
			"br", "button", "caption", "center", "col", "colgroup", "dd", "details", "dir", "div", "dl", "dt",
			"embed", "fieldset", "figcaption", "figure", "footer", "form", "frame", "frameset", "h1", "h2", "h3",
			"h4", "h5", "h6", "head", "header", "hgroup", "hr", "html", "iframe", "img", "input", "keygen", "li",
			"link", "listing", "main", "marquee", "menu", "meta", "nav", "noembed", "noframes", "noscript",
			"object", "ol", "p", "param", "plaintext", "pre", "script", "search", "section", "select", "source",
			"style", "summary", "table", "tbody", "td", "template", "textarea", "tfoot", "th", "thead", "title",
			"tr", "track", "ul", "wbr", "xmp",
		}},
		{scope, []string{
			"applet", "caption", "html", "table", "td", "th", "marquee", "object", "select", "template",
		}},
		{rawText, []string{
			"title", "textarea", "style", "xmp", "iframe", "noembed", "noframes", "noscript", "script", "plaintext",
		}},
		{inHead, []string{
			"html", "head", "base", "basefont", "bgsound", "link", "meta", "title", "style", "noframes", "script",
			"template", "noscript",
		}},
		{breakout, []string{
			"b", "big", "blockquote", "body", "br", "center", "code", "dd", "div", "dl", "dt", "em", "embed", "h1",
			"h2", "h3", "h4", "h5", "h6", "head", "hr", "i", "img", "li", "listing", "menu", "meta", "nobr", "ol",
			"p", "pre", "ruby", "s", "small", "span", "strong", "strike", "sub", "sup", "table", "tt", "u", "ul",
			"var",
		}},
		{svgHTML, []string{"foreignobject", "desc", "title"}},
		{mathText, []string{"mi", "mo", "mn", "ms", "mtext"}},
		{endsAtP, []string{"br", "p"}},
		{foreignAny, []string{"svg", "math"}},
	} {
		for _, name := range set.names {
			m[name] |= set.kind
		}
	}
	return m
}()
