// Package media tells what a file holds, by its name and by what it begins with.
package media

import (
	"bytes"
	"net/http"
	"path"
	"strings"
)

// Sniffed is how much of a file IsHTML and Type are given, if it is that long.
const Sniffed = 1024

// IsHTML reports whether a file that begins so, and has this name, holds an
// HTML document. With the name of a page it does unless it plainly is something
// else, such as an image or JSON; with no extension where browsers take it for a page
// (MIME Sniffing Standard §7.1); otherwise where it begins with the doctype or
// the html element.
func IsHTML(start []byte, name string) bool {
	ext := strings.ToLower(path.Ext(name))
	if IsPageExt(ext) {
		return !IsBinary(start) && !isJSON(start)
	}
	if ext == "" || ext == "." {
		if kind := http.DetectContentType(start); strings.HasPrefix(kind, "text/html") {
			return true
		}
	}
	return beginsAsHTML(start)
}

// IsPageExt reports whether files with this extension, in lower case and with its
// dot, are pages.
func IsPageExt(ext string) bool {
	switch ext {
	case ".html", ".htm", ".xhtml", ".xht", ".shtml":
		return true
	}
	return false
}

// IsBinary reports whether a file that begins so plainly is no text: it has the
// signature of an image, an archive or the like (MIME Sniffing Standard §6).
func IsBinary(start []byte) bool { return signature(start) != "" }

// signature returns the media type that the signature of a binary format gives,
// or "". Most signatures are letters that a text may begin with, "BM" and "ID3"
// among them, so a byte that no text has must follow.
func signature(start []byte) string {
	kind, _, _ := strings.Cut(http.DetectContentType(start), ";")
	switch {
	case strings.HasPrefix(kind, "text/"), kind == "application/octet-stream":
		return ""
	case kind == "application/pdf", kind == "application/postscript", kind == "image/gif", hasBinary(start):
		return kind
	}
	return ""
}

// hasBinary reports whether there is a binary data byte (MIME Sniffing Standard
// §3) in what a file begins with.
func hasBinary(start []byte) bool {
	return bytes.ContainsFunc(start, func(c rune) bool {
		return c < ' ' && c != '\t' && c != '\n' && c != '\f' && c != '\r' && c != 0x1b
	})
}

// beginsAsHTML reports whether a doctype or a start tag of html comes first,
// after white space, an XML declaration and comments.
func beginsAsHTML(start []byte) bool {
	start = AfterProlog(start)
	return hasTag(start, "<!doctype html") || hasTag(start, "<html")
}

// AfterProlog returns what follows a byte order mark, white space, an XML
// declaration, style sheets of XML and comments; from the one on that has no end, if
// there is one. <!--> is a whole comment (HTML Standard §13.2.5.43).
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

// hasTag reports whether text begins with tag, in any case, and the tag's name
// ends there.
func hasTag(text []byte, tag string) bool {
	return len(text) > len(tag) && strings.EqualFold(string(text[:len(tag)]), tag) && bytes.IndexByte([]byte(" \t\r\n\f/>"), text[len(tag)]) >= 0
}
