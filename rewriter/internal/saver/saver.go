// Package saver reads the comments in which programs that save pages write where a page
// came from.
package saver

import (
	"bytes"
	"regexp"

	"absolink/rewriter/internal/ascii"
)

// A mark is the comment of one program.
type mark struct {
	name    string
	start   string         // what the comment begins with, in lower case
	pattern *regexp.Regexp // what comes after that; its submatch is the URL
	scheme  string         // of a URL that the program writes without one
}

var marks = []mark{
	{"saved from url", "saved from url=", regexp.MustCompile(`^\(\d{1,9}\)(\S+)\s*$`), ""}, // Chromium, Edge, Internet Explorer
	{"SingleFile", "page saved with singlefile", regexp.MustCompile(`^\s+url: *(\S+)`), ""},
	{"monolith", "saved from ", regexp.MustCompile(`^(\S+) at \S+ using monolith\b`), ""},
	{"HTTrack", "mirrored from ", regexp.MustCompile(`^(\S+) by HTTrack\b`), "http://"},
}

// URL returns the URL that a comment says the page came from, and what to call the
// comment. Both are "" if the comment is not a saver's.
func URL(comment []byte) (url, name string) {
	comment = bytes.TrimLeft(comment, " \t\n\f\r")
	for _, m := range marks {
		if !ascii.HasPrefixFold(comment, m.start) {
			continue
		}
		if match := m.pattern.FindSubmatch(comment[len(m.start):]); match != nil {
			url = string(match[1])
			if !bytes.Contains(match[1], []byte("://")) {
				url = m.scheme + url
			}
			return url, m.name
		}
	}
	return "", ""
}
