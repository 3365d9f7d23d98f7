package tree

import (
	"bytes"
	"net/http"
	"path"
	"strings"
)

// sniffed is how much of a file IsHTML is given.
const sniffed = 1024

// IsHTML reports whether a file that begins so, and has this name, holds an
// HTML document. With the name of one it does unless it plainly is something
// else, such as an image; with no extension where browsers take it for one
// (MIME Sniffing Standard §7.1); else where it begins with its doctype or html
// element.
func IsHTML(start []byte, name string) bool {
	ext := strings.ToLower(path.Ext(name))
	if isPageExt(ext) {
		kind, _, _ := strings.Cut(http.DetectContentType(start), ";")
		return strings.HasPrefix(kind, "text/") || kind == "application/octet-stream"
	}
	if ext == "" || ext == "." {
		if kind := http.DetectContentType(start); strings.HasPrefix(kind, "text/html") {
			return true
		}
	}
	return beginsAsHTML(start)
}

func isPageExt(ext string) bool {
	switch ext {
	case ".html", ".htm", ".xhtml", ".xht", ".shtml":
		return true
	}
	return false
}

// beginsAsHTML reports whether a doctype or a start tag of html comes first,
// after white space, an XML declaration and comments.
func beginsAsHTML(start []byte) bool {
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
			return hasTag(start, "<!doctype html") || hasTag(start, "<html")
		}
		i := bytes.Index(start, []byte(end))
		if i < 0 {
			return false
		}
		start = start[i+len(end):]
	}
}

// hasTag reports whether text begins with tag, in any case, and the tag's name
// ends there.
func hasTag(text []byte, tag string) bool {
	return len(text) > len(tag) && strings.EqualFold(string(text[:len(tag)]), tag) && bytes.IndexByte([]byte(" \t\r\n\f/>"), text[len(tag)]) >= 0
}
