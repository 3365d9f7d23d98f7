package rewriter

import (
	"slices"
	"strings"
)

// A Rule says that an attribute, or the text of an element, is a place: that URLs stand
// in it. If several rules fit, the rules that name the element go before the rules for
// every element, and of each kind the last one counts. Where a rule with Drop for every element
// fits, no rule before it counts.
type Rule struct {
	Element string // in lower case; "" or "*" is every element, "#comment" is a conditional comment, "#anycomment" is every comment
	Attr    string // in lower case, with its prefix: "xlink:href"; "" is the text of style, script or a comment

	// When, if not empty, is a condition on an attribute of the element, whose name is
	// in lower case: "http-equiv=refresh" fits if the attribute has this value, in any
	// case, and "!codebase" fits if the element has no such attribute. White space around
	// the value of type does not count. "rel=next" fits if rel has this token among others;
	// "rel=alternate" does not fit a style sheet, of which alternate says something else.
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
		rules("", "href src", Rule{}),
		rules("", "srcset", Rule{Syntax: SyntaxSrcset}),
		rules("", "itemid", Rule{Empty: EmptyBase}),
		rules("", "xlink:href", Rule{Local: LocalStay}),
		rules("a area", "href", Rule{Empty: EmptyBase}),
		rules("link", "href", Rule{Local: LocalExpect}),
		rules("base", "href", Rule{Empty: EmptyBase, Outer: true}),
		rules("form", "action", Rule{Empty: EmptyDocument}),
		rules("button input", "formaction", Rule{Empty: EmptyDocument}),
		rules("blockquote del ins q", "cite", Rule{Empty: EmptyBase}),
		rules("object", "data", Rule{}),
		rules("video", "poster", Rule{}),
		rules("model", "environmentmap", Rule{}),
		// Obsolete, and still rendered.
		rules("body table thead tbody tfoot tr td th", "background", Rule{}),
		rules("frame iframe img", "longdesc", Rule{}),
		rules("img", "lowsrc", Rule{}),
		// Values with several URLs, or with other text around a URL.
		rules("link", "imagesrcset", Rule{Syntax: SyntaxSrcset}),
		rules("a area", "ping", Rule{Syntax: SyntaxList}),
		rules("meta", "content", Rule{When: "http-equiv=refresh", Syntax: SyntaxRefresh, Empty: EmptyBase}),
		rules("iframe", "srcdoc", Rule{Syntax: SyntaxDocument}),
		rules("", "style", Rule{Syntax: SyntaxCSS}),
		rules("style", "", Rule{Syntax: SyntaxCSS}),
		rules("", "clip-path color-profile cursor fill filter marker-end marker-mid marker-start mask stroke",
			Rule{SVG: true, Syntax: SyntaxCSS}),
		// References of SVG, mostly to elements of the same document. They stay also
		// where a parser finds these elements outside of svg.
		rules("feimage filter lineargradient mpath pattern radialgradient textpath use", "href", Rule{Local: LocalStay}),
		// SMIL animates only elements of the same document.
		rules("animate animatemotion animatetransform discard set", "href xlink:href", Rule{Drop: true}),
		// A reference that SMIL gives an element is followed or fetched as one in its href.
		rules("animate", "values", Rule{When: "attributename=href xlink:href", SVG: true, Syntax: SyntaxSemicolons}),
		rules("animate", "from to by", Rule{When: "attributename=href xlink:href", SVG: true}),
		rules("set", "to", Rule{When: "attributename=href xlink:href", SVG: true}),
	)
}

// rules returns r for each of the attributes of each of the elements, and for each of the values
// in r.When. Elements, attributes and values are separated by one space.
func rules(elements, attrs string, r Rule) (all []Rule) {
	other, values, hasValues := strings.Cut(r.When, "=")
	for _, r.Element = range strings.Split(elements, " ") {
		for _, r.Attr = range strings.Split(attrs, " ") {
			for _, value := range strings.Split(values, " ") {
				if hasValues {
					r.When = other + "=" + value
				}
				all = append(all, r)
			}
		}
	}
	return all
}

// Links returns the rules of HTML for what people follow, without what browsers fetch to
// show the page: links, forms, meta refresh, quoted sources, and link elements that lead to
// another page. Take them in place of HTML, for pages whose scripts look for their own
// elements by the bytes of src or href.
func Links() []Rule {
	return slices.Concat(
		rules("a area", "href", Rule{Empty: EmptyBase}),
		rules("a", "xlink:href", Rule{Local: LocalStay}),
		rules("a area", "ping", Rule{Syntax: SyntaxList}), // goes with the link that is followed
		rules("form", "action", Rule{Empty: EmptyDocument}),
		rules("button input", "formaction", Rule{Empty: EmptyDocument}),
		rules("blockquote del ins q", "cite", Rule{Empty: EmptyBase}),
		rules("frame iframe img", "longdesc", Rule{}),
		rules("meta", "content", Rule{When: "http-equiv=refresh", Syntax: SyntaxRefresh, Empty: EmptyBase}),
		rules("iframe", "srcdoc", Rule{Syntax: SyntaxDocument}), // links stand in it
		rules("link", "href", Rule{Local: LocalExpect, When: "rel=" +
			"alternate amphtml author bookmark canonical contents copyright first glossary help index last " +
			"license me next prev privacy-policy search shortlink start terms-of-service top up"}),
	)
}

// Legacy returns rules for places that browsers or plugins once read, for use with
// archives. Put them after the rules of HTML.
func Legacy() []Rule {
	// If there is a codebase, the attributes that depend on it stay, because codebase
	// itself becomes absolute.
	alone := "!codebase"
	return slices.Concat(
		rules("applet object", "codebase", Rule{}),
		rules("object", "classid", Rule{When: alone}),
		rules("object", "archive", Rule{When: alone, Syntax: SyntaxList}),
		rules("applet", "archive", Rule{When: alone, Syntax: SyntaxCommas}),
		rules("param", "value", Rule{When: "name=movie src url filename data href codebase"}),
		rules("param", "value", Rule{When: "valuetype=ref"}),
		rules("param", "value", Rule{When: "name=archive", Syntax: SyntaxCommas}),
		rules("embed", "pluginspage pluginurl code qtsrc", Rule{}),
		rules("html", "manifest", Rule{Outer: true}),
		rules("install", "manifest", Rule{}),
		rules("head", "profile", Rule{Syntax: SyntaxList}),
		rules("img input", "dynsrc", Rule{}),
		rules("input", "lowsrc", Rule{}),
		rules("col colgroup ilayer layer overlay", "background", Rule{}),
		rules("fig note", "imagemap", Rule{}),
		rules("isindex", "action", Rule{}),
		rules("command menuitem", "icon", Rule{}),
		rules("a area img script", "attributionsrc", Rule{Syntax: SyntaxList}),
		rules("", "o:href", Rule{}),
		rules("math", "altimg", Rule{}),
		rules("", "style", Rule{Syntax: SyntaxCSS, Keys: "src"}),
		rules("style", "", Rule{Syntax: SyntaxCSS, Keys: "src"}),
	)
}

// Meta returns rules for URLs in metadata that browsers do not read. Put them after
// the rules of HTML.
func Meta() []Rule {
	return slices.Concat(
		rules("meta", "content", Rule{When: "property=" +
			"og:audio og:audio:secure_url og:audio:url og:image og:image:secure_url og:image:url " +
			"og:see_also og:url og:video og:video:secure_url og:video:url " +
			"al:android:url al:ios:url al:ipad:url al:iphone:url al:web:url al:windows:url " +
			"al:windows_phone:url al:windows_universal:url " +
			"article:author article:publisher book:author " +
			"music:album music:creator music:musician music:song " +
			"video:actor video:director video:series video:writer"}),
		rules("meta", "content", Rule{When: "name=" +
			"twitter:image twitter:image:src twitter:player twitter:player:stream twitter:url " +
			"msapplication-config msapplication-square150x150logo msapplication-square310x310logo " +
			"msapplication-square70x70logo msapplication-starturl msapplication-tileimage " +
			"msapplication-wide310x150logo " +
			"image thumbnail " +
			"citation_abstract_html_url citation_fulltext_html_url citation_pdf_url citation_public_url " +
			"citation_xml_url parsely-image-url parsely-link"}),
		// Dublin Core says which of its values are URLs.
		rules("meta", "content", Rule{When: "scheme=dcterms.uri uri"}),
		rules("meta", "content", Rule{When: "itemprop=contenturl image thumbnailurl url"}),
		rules("", "about resource", Rule{Empty: EmptyBase, Local: LocalCURIE}),
		pairs("msapplication-task", SyntaxSemicolons, "action-uri icon-uri"),
		pairs("msapplication-badge", SyntaxSemicolons, "polling-uri"),
		pairs("msapplication-notification", SyntaxSemicolons, "polling-uri polling-uri2 polling-uri3 polling-uri4 polling-uri5"),
		pairs("mobile-agent", SyntaxSemicolons, "url"),
		pairs("apple-itunes-app", SyntaxCommas, "app-argument"),
	)
}

// pairs returns the rule for a meta with the name whose content is a list of pairs.
func pairs(name string, s Syntax, keys string) []Rule {
	return rules("meta", "content", Rule{When: "name=" + name, Syntax: s, Keys: keys})
}

// Lazy returns rules for attributes in which frameworks, and scripts that load images
// late, keep URLs. Put them after the rules of HTML.
func Lazy() []Rule {
	lazy := slices.Concat(
		rules("", "data-src data-original data-lazy data-lazy-src data-src-small data-src-medium "+
			"data-full-src data-iesrc data-lowsrc data-poster "+
			"data-href data-url data-link data-redirect-url data-thumb data-full data-zoom-image "+
			"data-image data-pin-media data-permalink data-orig-file data-large-file data-medium-file",
			Rule{Syntax: SyntaxLazy}),
		rules("", "hx-get hx-post hx-put hx-patch hx-delete sse-connect ws-connect "+
			"data-hx-get data-hx-post data-hx-put data-hx-patch data-hx-delete data-sse-connect "+
			"data-ws-connect up-href "+
			"hx-push-url hx-replace-url data-hx-push-url data-hx-replace-url", Rule{}),
		noURL("hx-push-url"), noURL("hx-replace-url"), noURL("data-hx-push-url"), noURL("data-hx-replace-url"),
		rules("", "data-srcset data-original-set data-lazy-srcset data-risrcset data-pfsrcset data-bgset",
			Rule{Syntax: SyntaxSrcset}),
		rules("", "data-bg data-background data-background-image data-bg-hidpi", Rule{Syntax: SyntaxImage}),
		rules("", "data-background-image-set data-bg-set", Rule{Syntax: SyntaxImageSet}),
		rules("", "data-bg-multi", Rule{Syntax: SyntaxCSS}),
		rules("amp-video", "poster", Rule{}),
		rules("amp-audio amp-video", "artwork", Rule{}),
		rules("amp-install-serviceworker", "data-iframe-src", Rule{}),
		rules("form", "action-xhr verify-xhr", Rule{}),
		rules("", "poster-landscape-src poster-portrait-src poster-square-src publisher-logo-src", Rule{}),
	)
	for i := range lazy {
		lazy[i].Local = LocalTemplate
	}
	return lazy
}

// noURL returns rules for the values of an attribute that are not URLs.
func noURL(name string) []Rule { return rules("", name, Rule{When: name + "=true false", Drop: true}) }

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

// These names stand for comments among the names of elements.
const (
	commentName    = "#comment"    // conditional comments
	anyCommentName = "#anycomment" // all comments
)

// textAttr stands for the text of an element among attribute names. No document can have
// an attribute of this name.
const textAttr = "<text>"

// RuleGroup returns the rules of a group by its name: html, links, legacy, meta, lazy, json,
// modules, comments or allcomments. For any other name, it returns nil.
func RuleGroup(name string) []Rule {
	if group := groups[name]; group != nil {
		return group()
	}
	return nil
}

const groupNames = "html, links, legacy, meta, lazy, json, modules, comments or allcomments"

var groups = map[string]func() []Rule{
	"html": HTML, "links": Links, "legacy": Legacy, "meta": Meta, "lazy": Lazy, "json": JSON,
	"modules": Modules, "comments": Comments, "allcomments": AllComments,
}
