package feed

import (
	"strings"

	"absolink/rewriter"
)

// ownPlaces says where a feed or a sitemap itself has URLs, outside of the HTML in it:
// "link" is the text of an element, "enclosure@url" an attribute. in names the parents
// that count; without it every parent does. Names are in lower case.
//
// Identifiers are never places: guid, id, rdf:about, and the rdf:resource that repeats
// an rdf:about.
var ownPlaces = []struct {
	voc       vocabulary
	in, names string
}{
	{rss, "channel", "link docs"},
	{rss, "item", "link comments enclosure@url source@url"},
	{rss, "image", "link url"},
	{rss, "textinput", "link"},
	{atom, "", "link@href icon logo uri content@src generator@uri"},
	{oldAtom, "", "link@href url generator@url"},
	{itunes, "", "image@href new-feed-url"},
	{wfw, "", "comment commentrss"},
	{media, "", "content@url thumbnail@url player@url copyright@url embed@url license@href peerlink@href subtitle@href price@info backlink response"},
	{sitemap, "url sitemap", "loc"},
	{sitemapImage, "", "loc license"},
	{sitemapVideo, "", "thumbnail_loc content_loc player_loc gallery_loc uploader@info"},
	{xhtml, "", "link@href"},
}

// An ownName is the name of an element in a place, and of its parent; "" is any parent.
type ownName struct {
	voc         vocabulary
	in, element string
}

// An ownElement has the rules of an element's places, by the names of its attributes. The
// name of its text is "".
type ownElement map[string]*rewriter.Rule

var ownElements = func() map[ownName]ownElement {
	all := map[ownName]ownElement{}
	for _, row := range ownPlaces {
		for _, in := range strings.Split(row.in, " ") {
			for name := range strings.FieldsSeq(row.names) {
				element, attr, _ := strings.Cut(name, "@")
				key := ownName{row.voc, in, element}
				if all[key] == nil {
					all[key] = ownElement{}
				}
				all[key][attr] = &rewriter.Rule{Element: element, Attr: attr}
			}
		}
	}
	return all
}()

// ownElement returns the rules of the places of an element that is about to be opened; nil
// is none.
func (t *tracker) ownElement(el element) ownElement {
	if t.deeper > 0 || el.voc == unknown {
		return nil
	}
	key := ownName{voc: el.voc, element: strings.ToLower(el.local)}
	if own := ownElements[key]; own != nil {
		return own
	}
	if parent := t.top(); parent.voc == el.voc {
		key.in = strings.ToLower(parent.local)
	}
	return ownElements[key]
}
