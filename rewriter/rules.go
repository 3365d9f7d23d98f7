package rewriter

import "slices"

// A Rule says that an attribute, or the text of an element, is a place: that URLs stand
// in it. If several rules fit, the rules that name the element go before the rules for
// every element, and of each kind the last one counts.
type Rule struct {
	Element string // in lower case; "" or "*" is every element, "#comment" is a conditional comment, "#anycomment" is every comment
	Attr    string // in lower case, with its prefix: "xlink:href"; "" is the text of style, script or a comment

	// When, if not empty, is a condition on an attribute of the element, whose name is
	// in lower case: "http-equiv=refresh" fits if the attribute has this value, in any
	// case, and "!codebase" fits if the element has no such attribute. White space around
	// the value of type does not count.
	When string
	SVG  bool // the rule fits only in SVG

	Syntax Syntax // where URLs are in the value
	// Keys, if not empty, says that the value has pairs, "key=value", and lists the keys
	// whose value is a URL: "action-uri icon-uri". The comment of a Syntax says whether
	// it can have Keys.
	Keys string

	Empty Empty // what an empty reference means
	Local Local // which values mean the same whatever the base is
	Outer bool  // the reference is resolved against the outer base, like the href of BASE
	Drop  bool  // this is not a place, whatever an earlier rule says
}

// An Empty says what the empty value of an attribute means.
type Empty uint8

const (
	// EmptyNothing means that an empty value is not a reference: nothing is fetched
	// or linked, and the value stays empty.
	EmptyNothing Empty = iota
	// EmptyBase means the base URL, as a same-document reference does.
	EmptyBase
	// EmptyDocument means the document's own URL, which is the outer base, even if
	// the document embeds a base.
	EmptyDocument
)

// A Local says which values mean the same whatever the base is, and so stay. In SVG a
// reference that is only a fragment, "#id", always stays: it names the element with that
// id in the document.
type Local uint8

const (
	// LocalResolve means that no value stays: a fragment is a reference like any other
	// (RFC 1808 §5.1, "#s").
	LocalResolve Local = iota
	// LocalStay means that fragments stay: they name elements of the document.
	LocalStay
	// LocalExpect means that fragments stay if the element's rel has the token "expect".
	LocalExpect
	// LocalCURIE means that compact URIs stay: "x:y" or "[x:y]" (RDFa Core 1.1 §7.4.3).
	LocalCURIE
	// LocalTemplate means that values stay if a script has yet to fill them in: they
	// contain "{{", "{%", "<%" or "${".
	LocalTemplate
)

// HTML returns the rules for every place where browsers read a URL in HTML, SVG and
// MathML. The caller may change the slice.
func HTML() []Rule {
	return slices.Concat(
		// href, src and srcset count on every element, custom ones too.
		[]Rule{
			{Attr: "href"},
			{Attr: "src"},
			{Attr: "srcset", Syntax: SyntaxSrcset},
			{Attr: "itemid", Empty: EmptyBase},
			{Attr: "xlink:href", Local: LocalStay},
		},
		attr("href", Rule{Empty: EmptyBase}, "a", "area"),
		attr("href", Rule{Local: LocalExpect}, "link"),
		attr("href", Rule{Empty: EmptyBase, Outer: true}, "base"),
		attr("action", Rule{Empty: EmptyDocument}, "form"),
		attr("formaction", Rule{Empty: EmptyDocument}, "button", "input"),
		attr("cite", Rule{Empty: EmptyBase}, "blockquote", "del", "ins", "q"),
		attr("data", Rule{}, "object"),
		attr("poster", Rule{}, "video"),
		attr("environmentmap", Rule{}, "model"),
		// Obsolete, and still rendered.
		attr("background", Rule{}, "body", "table", "thead", "tbody", "tfoot", "tr", "td", "th"),
		attr("longdesc", Rule{}, "frame", "iframe", "img"),
		attr("lowsrc", Rule{}, "img"),
		// Values with several URLs, or with other text around a URL.
		attr("imagesrcset", Rule{Syntax: SyntaxSrcset}, "link"),
		attr("ping", Rule{Syntax: SyntaxList}, "a", "area"),
		attr("content", Rule{When: "http-equiv=refresh", Syntax: SyntaxRefresh, Empty: EmptyBase}, "meta"),
		attr("srcdoc", Rule{Syntax: SyntaxDocument}, "iframe"),
		[]Rule{
			{Attr: "style", Syntax: SyntaxCSS},
			{Element: "style", Syntax: SyntaxCSS},
		},
		everyElement(Rule{SVG: true, Syntax: SyntaxCSS}, "clip-path", "color-profile", "cursor", "fill", "filter",
			"marker-end", "marker-mid", "marker-start", "mask", "stroke"),
		// References of SVG, mostly to elements of the same document. They stay also
		// where a parser finds these elements outside of svg.
		attr("href", Rule{Local: LocalStay}, "feimage", "filter", "lineargradient", "mpath", "pattern",
			"radialgradient", "textpath", "use"),
		// SMIL animates only elements of the same document.
		attr("href", Rule{Drop: true}, "animate", "animatemotion", "animatetransform", "discard", "set"),
		attr("xlink:href", Rule{Drop: true}, "animate", "animatemotion", "animatetransform", "discard", "set"),
		// A reference that SMIL gives an element is followed or fetched as one in its href.
		animated("href"),
		animated("xlink:href"),
	)
}

// attr returns a rule for one attribute of each element.
func attr(name string, r Rule, elements ...string) []Rule {
	r.Attr = name
	rules := make([]Rule, len(elements))
	for i, element := range elements {
		r.Element = element
		rules[i] = r
	}
	return rules
}

// everyElement returns a rule for each attribute of every element.
func everyElement(r Rule, names ...string) []Rule {
	rules := make([]Rule, len(names))
	for i, name := range names {
		r.Attr = name
		rules[i] = r
	}
	return rules
}

// Legacy returns rules for places that browsers or plugins once read, for use with
// archives. Put them after the rules of HTML.
func Legacy() []Rule {
	// If there is a codebase, the attributes that depend on it stay, because codebase
	// itself becomes absolute.
	alone := "!codebase"
	return slices.Concat(
		attr("codebase", Rule{}, "applet", "object"),
		attr("classid", Rule{When: alone}, "object"),
		attr("archive", Rule{When: alone, Syntax: SyntaxList}, "object"),
		attr("archive", Rule{When: alone, Syntax: SyntaxCommas}, "applet"),
		when("value", "param", "name", "movie", "src", "url", "filename", "data", "href", "codebase"),
		when("value", "param", "valuetype", "ref"),
		attr("value", Rule{When: "name=archive", Syntax: SyntaxCommas}, "param"),
		attr("pluginspage", Rule{}, "embed"),
		attr("pluginurl", Rule{}, "embed"),
		attr("code", Rule{}, "embed"),
		attr("qtsrc", Rule{}, "embed"),
		attr("manifest", Rule{Outer: true}, "html"),
		attr("manifest", Rule{}, "install"),
		attr("profile", Rule{Syntax: SyntaxList}, "head"),
		attr("dynsrc", Rule{}, "img", "input"),
		attr("lowsrc", Rule{}, "input"),
		attr("background", Rule{}, "col", "colgroup", "ilayer", "layer", "overlay"),
		attr("imagemap", Rule{}, "fig", "note"),
		attr("action", Rule{}, "isindex"),
		attr("icon", Rule{}, "command", "menuitem"),
		attr("attributionsrc", Rule{Syntax: SyntaxList}, "a", "area", "img", "script"),
		[]Rule{{Attr: "o:href"}},
		attr("altimg", Rule{}, "math"),
		[]Rule{
			{Attr: "style", Syntax: SyntaxCSS, Keys: "src"},
			{Element: "style", Syntax: SyntaxCSS, Keys: "src"},
		},
	)
}

// animated returns rules for the values that SMIL gives to an attribute that holds a URL.
func animated(name string) []Rule {
	url := Rule{When: "attributename=" + name, SVG: true}
	list := url
	list.Syntax = SyntaxSemicolons
	return slices.Concat(
		attr("values", list, "animate"),
		attr("from", url, "animate"),
		attr("to", url, "animate", "set"),
		attr("by", url, "animate"),
	)
}

// Meta returns rules for URLs in metadata that browsers do not read. Put them after
// the rules of HTML.
func Meta() []Rule {
	return slices.Concat(
		when("content", "meta", "property",
			"og:audio", "og:audio:secure_url", "og:audio:url", "og:image", "og:image:secure_url", "og:image:url",
			"og:see_also", "og:url", "og:video", "og:video:secure_url", "og:video:url",
			"al:android:url", "al:ios:url", "al:ipad:url", "al:iphone:url", "al:web:url", "al:windows:url",
			"al:windows_phone:url", "al:windows_universal:url",
			"article:author", "article:publisher", "book:author",
			"music:album", "music:creator", "music:musician", "music:song",
			"video:actor", "video:director", "video:series", "video:writer"),
		when("content", "meta", "name",
			"twitter:image", "twitter:image:src", "twitter:player", "twitter:player:stream", "twitter:url",
			"msapplication-config", "msapplication-square150x150logo", "msapplication-square310x310logo",
			"msapplication-square70x70logo", "msapplication-starturl", "msapplication-tileimage",
			"msapplication-wide310x150logo",
			"image", "thumbnail",
			"citation_abstract_html_url", "citation_fulltext_html_url", "citation_pdf_url", "citation_public_url",
			"citation_xml_url", "parsely-image-url", "parsely-link"),
		// Dublin Core says which of its values are URLs.
		when("content", "meta", "scheme", "dcterms.uri", "uri"),
		when("content", "meta", "itemprop", "contenturl", "image", "thumbnailurl", "url"),
		everyElement(Rule{Empty: EmptyBase, Local: LocalCURIE}, "about", "resource"),
		pairs("msapplication-task", SyntaxSemicolons, "action-uri icon-uri"),
		pairs("msapplication-badge", SyntaxSemicolons, "polling-uri"),
		pairs("msapplication-notification", SyntaxSemicolons, "polling-uri polling-uri2 polling-uri3 polling-uri4 polling-uri5"),
		pairs("mobile-agent", SyntaxSemicolons, "url"),
		pairs("apple-itunes-app", SyntaxCommas, "app-argument"),
	)
}

// pairs returns the rule for a meta with the name whose content is a list of pairs.
func pairs(name string, s Syntax, keys string) []Rule {
	return attr("content", Rule{When: "name=" + name, Syntax: s, Keys: keys}, "meta")
}

// Lazy returns rules for attributes in which frameworks, and scripts that load images
// late, keep URLs. Put them after the rules of HTML.
func Lazy() []Rule {
	rules := slices.Concat(
		everyElement(Rule{Syntax: SyntaxLazy},
			"data-src", "data-original", "data-lazy", "data-lazy-src", "data-src-small", "data-src-medium",
			"data-full-src", "data-iesrc", "data-lowsrc", "data-poster",
			"data-href", "data-url", "data-link", "data-redirect-url", "data-thumb", "data-full", "data-zoom-image",
			"data-image", "data-pin-media", "data-permalink", "data-orig-file", "data-large-file", "data-medium-file"),
		everyElement(Rule{},
			"hx-get", "hx-post", "hx-put", "hx-patch", "hx-delete", "sse-connect", "ws-connect",
			"data-hx-get", "data-hx-post", "data-hx-put", "data-hx-patch", "data-hx-delete", "data-sse-connect",
			"data-ws-connect", "up-href",
			"hx-push-url", "hx-replace-url", "data-hx-push-url", "data-hx-replace-url"),
		noURL("hx-push-url", "true", "false"),
		noURL("hx-replace-url", "true", "false"),
		noURL("data-hx-push-url", "true", "false"),
		noURL("data-hx-replace-url", "true", "false"),
		everyElement(Rule{Syntax: SyntaxSrcset},
			"data-srcset", "data-original-set", "data-lazy-srcset", "data-risrcset", "data-pfsrcset", "data-bgset"),
		everyElement(Rule{Syntax: SyntaxImage},
			"data-bg", "data-background", "data-background-image", "data-bg-hidpi"),
		everyElement(Rule{Syntax: SyntaxImageSet}, "data-background-image-set", "data-bg-set"),
		everyElement(Rule{Syntax: SyntaxCSS}, "data-bg-multi"),
		attr("poster", Rule{}, "amp-video"),
		attr("artwork", Rule{}, "amp-audio", "amp-video"),
		attr("data-iframe-src", Rule{}, "amp-install-serviceworker"),
		attr("action-xhr", Rule{}, "form"),
		attr("verify-xhr", Rule{}, "form"),
		everyElement(Rule{}, "poster-landscape-src", "poster-portrait-src", "poster-square-src", "publisher-logo-src"),
	)
	for i := range rules {
		rules[i].Local = LocalTemplate
	}
	return rules
}

// noURL returns rules for the values of an attribute that are not URLs.
func noURL(name string, values ...string) []Rule {
	rules := when(name, "", name, values...)
	for i := range rules {
		rules[i].Drop = true
	}
	return rules
}

// JSON returns rules for the JSON in scripts that browsers read: import maps and
// speculation rules. Put them after the rules of HTML. In an import map, URLs are values
// that begin with "/", "./", "../" or a scheme, and the prefixes of scopes; names of
// modules stay. A URL pattern becomes absolute if it is certainly the pattern of a
// path. JSON-LD stays, because only its context says which values are URLs.
func JSON() []Rule {
	return []Rule{
		{Element: "script", When: "type=importmap", Syntax: SyntaxImportMap, Empty: EmptyBase},
		{Element: "script", When: "type=speculationrules", Syntax: SyntaxSpeculation, Empty: EmptyBase},
	}
}

// Modules returns the rule for module scripts, script type=module. The places are the
// specifiers in import and export declarations, and in calls of import with a literal,
// that begin with "/", "./", "../" or a scheme. Other specifiers are names, which an
// import map resolves, and stay. Put the rule after the rules of HTML. An import map that
// names modules by relative URLs needs the rules of JSON too.
func Modules() []Rule {
	return []Rule{{Element: "script", When: "type=module", Syntax: SyntaxModule, Empty: EmptyBase}}
}

// Comments returns the rule for conditional comments, <!--[if IE]> to <![endif]-->, which
// were markup to Internet Explorer up to version 9. Such a comment is read as a fragment
// of the body: a BASE in it does not count. Put the rule after the rules of HTML.
func Comments() []Rule {
	return []Rule{{Element: commentName, Syntax: SyntaxDocument}}
}

// AllComments returns the rule for the markup in all comments, such as links that were
// commented out. Each comment is read like the conditional ones of Comments.
func AllComments() []Rule {
	return []Rule{{Element: anyCommentName, Syntax: SyntaxDocument}}
}

// when returns rules for an attribute of an element that holds a URL if another attribute
// has one of the values.
func when(name, element, other string, values ...string) []Rule {
	rules := make([]Rule, len(values))
	for i, value := range values {
		rules[i] = Rule{Element: element, Attr: name, When: other + "=" + value}
	}
	return rules
}

// These names stand for comments among the names of elements.
const (
	commentName    = "#comment"    // conditional comments
	anyCommentName = "#anycomment" // all comments
)

// textAttr stands for the text of an element among attribute names. No document can have
// an attribute of this name.
const textAttr = "<text>"

// RuleGroup returns the rules of a group by its name: html, legacy, meta, lazy, json,
// modules, comments or allcomments. For any other name, it returns nil.
func RuleGroup(name string) []Rule {
	switch name {
	case "html":
		return HTML()
	case "legacy":
		return Legacy()
	case "meta":
		return Meta()
	case "lazy":
		return Lazy()
	case "json":
		return JSON()
	case "modules":
		return Modules()
	case "comments":
		return Comments()
	case "allcomments":
		return AllComments()
	}
	return nil
}
