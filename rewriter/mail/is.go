package mail

import (
	"bytes"
	"slices"
	"strings"

	"absolink/internal/media"
	"absolink/internal/passage"
)

// Is reports whether a file is a message or an mbox file. start is what the file begins
// with; 4 KiB are enough. Such a file begins with fields of mail, or with the first line
// of an mbox file. A file that begins otherwise, and not with a tag, is a message or an
// mbox file if its name ends in .eml, .mht, .mhtml, .mbox or .mbx.
func Is(start []byte, name string) bool {
	in := input{buf: start, Input: passage.Input{Ended: true}}
	if line, _ := in.line(start); isFrom(line) {
		return true
	}
	start = bytes.TrimPrefix(start, []byte("\ufeff"))
	switch hasFields(start) {
	case yes:
		return true
	case no:
		return false
	}
	return media.HasExt(name, ".eml", ".mht", ".mhtml", ".mbox", ".mbx")
}

// known are the fields that tell a message: every message has at least one of them.
var known = []string{
	"mime-version", "content-type", "received", "return-path", "delivered-to", "message-id", "date", "from",
	"dkim-signature", "snapshot-content-location", "x-mozilla-status", "x-ms-exchange-organization-authsource",
}

// hasFields says whether a file begins with fields of a message. The answer is unknown
// for a file that begins neither with fields nor like an HTML, XML or binary file.
func hasFields(start []byte) answer {
	text := bytes.TrimLeft(start, " \t\r\n")
	if len(text) > 0 && text[0] == '<' || bytes.IndexByte(text, 0) >= 0 {
		return no
	}
	found := unknown
	for line := range bytes.Lines(start) {
		name, _, _ := bytes.Cut(line, []byte(":"))
		switch {
		case line[len(line)-1] != '\n', len(bytes.TrimRight(line, "\r\n")) == 0: // a line that start cuts off, or an empty one
			return found
		case line[0] == ' ', line[0] == '\t':
		case !isField(line):
			return unknown
		case slices.Contains(known, strings.ToLower(strings.TrimRight(string(name), " \t"))):
			found = yes
		}
	}
	return found
}
