// Package media tells what a thing is: a file by its name and its first bytes, and
// the body of a response or message by its Content-Type.
package media

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// Sniffed is how many bytes from the start of a file IsHTML and Type need, if the
// file is that long.
const Sniffed = 1024

// IsHTML reports whether a file that begins with start and has this name is an HTML
// document:
//
//   - with the name of a page, unless it is plainly something else, such as an image
//     or JSON;
//   - without an extension, if browsers take it for a page (MIME Sniffing Standard
//     §7.1), or as in the next case;
//   - with any other name, if it begins with the doctype or the html element.
func IsHTML(start []byte, name string) bool {
	if IsPageName(name) {
		return !IsBinary(start) && !isJSON(start)
	}
	if ext := path.Ext(name); (ext == "" || ext == ".") && beginsWithTag(start) {
		return true
	}
	return beginsAsHTML(start)
}

// IsPageName reports whether a file of this name is a page, by its extension.
func IsPageName(name string) bool {
	return HasExt(name, ".html", ".htm", ".xhtml", ".xht", ".shtml")
}

// HasExt reports whether name ends with one of the extensions, in any case. An
// extension is written in lower case, with its dot.
func HasExt(name string, extensions ...string) bool {
	return slices.ContainsFunc(extensions, func(ext string) bool {
		return len(name) >= len(ext) && strings.EqualFold(name[len(name)-len(ext):], ext)
	})
}

// IsBinary reports whether a file that begins with start is plainly not text: it has
// the signature of an image, an archive or the like (MIME Sniffing Standard §6).
func IsBinary(start []byte) bool { return signature(start) != "" }

// SurelyHTML reports whether an input that begins with start is neither a message
// nor a feed, whatever follows. False means that more of it is needed, or that it
// is one of these.
func SurelyHTML(start []byte) bool {
	start = AfterProlog(start)
	if len(start) == 0 {
		return false
	}
	switch {
	case start[0] == '{' && mayBeJSON(start):
		return false
	case start[0] != '<':
		line, _, whole := bytes.Cut(start, []byte("\n"))
		return whole && !bytes.Contains(line, []byte(":")) && !hasPrefixFold(line, "from ")
	}
	end := bytes.IndexAny(start, tagEnds)
	if end < 0 {
		return false
	}
	name := strings.ToLower(string(start[1:end]))
	switch {
	case name == "!doctype":
		return hasPrefixFold(start, "<!doctype html")
	case name == "" || name[0] < 'a' || name[0] > 'z':
		return false
	}
	local := name[strings.LastIndexByte(name, ':')+1:]
	return !slices.Contains([]string{"rss", "feed", "entry", "rdf", "urlset", "sitemapindex"}, local)
}

// mayBeJSON reports whether a text that begins with a brace may be an object of JSON.
func mayBeJSON(start []byte) bool {
	rest := bytes.TrimLeft(start[1:], " \t\r\n")
	return len(rest) == 0 || rest[0] == '"'
}

// tagEnds are the bytes that end the name of a tag.
const tagEnds = " \t\r\n\f/>"

// sniffedTags are the tags by which browsers take a document without a media type
// for HTML (MIME Sniffing Standard §7.1).
var sniffedTags = []string{
	"<!doctype html", "<html", "<head", "<script", "<iframe", "<h1", "<div", "<font", "<table", "<a",
	"<style", "<title", "<b", "<body", "<br", "<p",
}

// beginsWithTag reports whether browsers take a document that begins with start for
// HTML, where nothing names its type.
func beginsWithTag(start []byte) bool {
	start = bytes.TrimLeft(start, " \t\r\n\f")
	return bytes.HasPrefix(start, []byte("<!--")) ||
		slices.ContainsFunc(sniffedTags, func(tag string) bool { return hasTag(start, tag, " >") })
}

// beginsAsHTML reports whether a doctype or a start tag of html comes first,
// after white space, an XML declaration and comments.
func beginsAsHTML(start []byte) bool {
	start = AfterProlog(start)
	return hasTag(start, "<!doctype html", tagEnds) || hasTag(start, "<html", tagEnds)
}

// AfterProlog returns what follows a byte order mark, white space, XML
// declarations, style sheets of XML and comments. Where one of these does not end,
// the result begins with it. <!--> is a whole comment (HTML Standard §13.2.5.43).
func AfterProlog(start []byte) []byte {
	start = bytes.TrimPrefix(start, []byte("\xef\xbb\xbf"))
	for {
		start = bytes.TrimLeft(start, " \t\r\n\f")
		end := ""
		switch {
		case bytes.HasPrefix(start, []byte("<!--")):
			end = "-->"
		case bytes.HasPrefix(start, []byte("<?xml")):
			end = "?>"
		default:
			return start
		}
		_, rest, whole := bytes.Cut(start[len("<!"):], []byte(end))
		if !whole {
			return start
		}
		start = rest
	}
}

// hasTag reports whether text begins with tag, in any case, and one of the bytes in
// ends follows.
func hasTag(text []byte, tag, ends string) bool {
	return len(text) > len(tag) && hasPrefixFold(text, tag) && strings.IndexByte(ends, text[len(tag)]) >= 0
}

// hasPrefixFold reports whether text begins with prefix, in any case.
func hasPrefixFold(text []byte, prefix string) bool {
	return len(text) >= len(prefix) && strings.EqualFold(string(text[:len(prefix)]), prefix)
}
