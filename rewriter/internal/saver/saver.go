// Package saver reads the comments in which programs that save pages write where a page
// came from.
package saver

import (
	"bytes"

	"absolink/rewriter/internal/ascii"
)

// A mark is the comment of one program.
type mark struct {
	name   string
	start  string                   // what the comment begins with, in lower case
	url    func(rest []byte) []byte // the URL in what comes after that; empty if there is none
	scheme string                   // of a URL that the program writes without one
}

var marks = []mark{
	{"saved from url", "saved from url=", afterLength, ""}, // Chromium, Edge, Internet Explorer
	{"SingleFile", "page saved with singlefile", afterLabel, ""},
	{"monolith", "saved from ", beforeMonolith, ""},
	{"HTTrack", "mirrored from ", beforeHTTrack, "http://"},
}

const whiteSpace = " \t\n\f\r"

// cutWord cuts what comes before the first white space.
func cutWord(b []byte) (word, rest []byte) {
	if i := bytes.IndexAny(b, whiteSpace); i >= 0 {
		return b[:i], b[i:]
	}
	return b, nil
}

// afterLength returns the URL in "(0014)about:internet ".
func afterLength(b []byte) []byte {
	word, rest := cutWord(b)
	length, url, _ := bytes.Cut(word, []byte(")"))
	digits, ok := bytes.CutPrefix(length, []byte("("))
	if !ok || len(digits) == 0 || len(digits) > 9 || len(bytes.Trim(digits, "0123456789")) > 0 || len(bytes.Trim(rest, whiteSpace)) > 0 {
		return nil
	}
	return url
}

// afterLabel returns the URL in "\n url: http://h/ ".
func afterLabel(b []byte) []byte {
	label := bytes.TrimLeft(b, whiteSpace)
	rest, ok := bytes.CutPrefix(label, []byte("url:"))
	if !ok || len(label) == len(b) {
		return nil
	}
	url, _ := cutWord(bytes.TrimLeft(rest, " "))
	return url
}

// beforeMonolith returns the URL in "http://h/ at 2026-01-01 using monolith".
func beforeMonolith(b []byte) []byte {
	url, rest := cutWord(b)
	rest, ok := bytes.CutPrefix(rest, []byte(" at "))
	date, rest := cutWord(rest)
	if !ok || len(date) == 0 || !beginsWith(rest, " using monolith") {
		return nil
	}
	return url
}

// beforeHTTrack returns the URL in "h/x.html by HTTrack Website Copier".
func beforeHTTrack(b []byte) []byte {
	url, rest := cutWord(b)
	if !beginsWith(rest, " by HTTrack") {
		return nil
	}
	return url
}

// beginsWith reports whether b begins with words, and not in the middle of one.
func beginsWith(b []byte, words string) bool {
	rest, ok := bytes.CutPrefix(b, []byte(words))
	return ok && (len(rest) == 0 || !ascii.IsAlnum(rest[0]) && rest[0] != '_')
}

// URL returns the URL that a comment says the page came from, and what to call the
// comment. Both are "" if the comment is not a saver's.
func URL(comment []byte) (url, name string) {
	comment = bytes.TrimLeft(comment, " \t\n\f\r")
	for _, m := range marks {
		if !ascii.HasPrefixFold(comment, m.start) {
			continue
		}
		if found := m.url(comment[len(m.start):]); len(found) > 0 {
			url = string(found)
			if !bytes.Contains(found, []byte("://")) {
				url = m.scheme + url
			}
			return url, m.name
		}
	}
	return "", ""
}
