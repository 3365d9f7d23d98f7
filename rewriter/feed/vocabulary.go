package feed

import "strings"

// A vocabulary is the meaning that a namespace gives to names.
type vocabulary uint8

const (
	unknown vocabulary = iota
	noNamespace
	rss
	atom
	oldAtom // Atom 0.3
	rdf
	content
	media
	itunes
	wfw // the comment API
	sitemap
	sitemapImage
	sitemapVideo
	xhtml
	foreign  // SVG and MathML
	xmlNames // xml:base
)

// vocabularies has the namespaces, in lower case. They are without their scheme and last
// "/" or "#", in which feeds differ.
var vocabularies = map[string]vocabulary{
	"purl.org/rss/1.0":                         rss,
	"my.netscape.com/rdf/simple/0.9":           rss,
	"channel.netscape.com/rdf/simple/0.9":      rss,
	"backend.userland.com/rss":                 rss,
	"backend.userland.com/rss2":                rss,
	"blogs.law.harvard.edu/tech/rss":           rss,
	"www.w3.org/2005/atom":                     atom,
	"purl.org/atom/ns":                         oldAtom,
	"www.w3.org/1999/02/22-rdf-syntax-ns":      rdf,
	"purl.org/rss/1.0/modules/content":         content,
	"search.yahoo.com/mrss":                    media,
	"www.itunes.com/dtds/podcast-1.0.dtd":      itunes,
	"wellformedweb.org/commentapi":             wfw,
	"www.sitemaps.org/schemas/sitemap/0.9":     sitemap,
	"www.google.com/schemas/sitemap/0.84":      sitemap,
	"www.google.com/schemas/sitemap-image/1.1": sitemapImage,
	"www.google.com/schemas/sitemap-video/1.1": sitemapVideo,
	"www.w3.org/1999/xhtml":                    xhtml,
	"www.w3.org/2000/svg":                      foreign,
	"www.w3.org/1998/math/mathml":              foreign,
	"www.w3.org/xml/1998/namespace":            xmlNames,
}

// usual has the prefixes that feeds use without declaring them.
var usual = map[string]vocabulary{
	"atom": atom, "rdf": rdf, "content": content, "media": media, "itunes": itunes, "wfw": wfw,
	"image": sitemapImage, "video": sitemapVideo, "xhtml": xhtml, "svg": foreign, "xml": xmlNames,
}

func vocabularyOf(namespace string) vocabulary {
	if namespace == "" {
		return noNamespace
	}
	name := strings.ToLower(strings.TrimSpace(namespace))
	name = strings.TrimPrefix(strings.TrimPrefix(name, "https://"), "http://")
	return vocabularies[strings.TrimRight(name, "/#")]
}

// A binding says what a prefix means.
type binding struct {
	prefix string // "" for the default namespace
	voc    vocabulary
}

// vocabulary returns what a prefix is bound to.
func (t *tracker) vocabulary(prefix string) vocabulary {
	for i := len(t.bindings) - 1; i >= 0; i-- {
		if b := t.bindings[i]; b.prefix == prefix {
			return b.voc
		}
	}
	if prefix == "" {
		return noNamespace
	}
	return usual[prefix]
}
