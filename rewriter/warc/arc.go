package warc

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"absolink/rewriter/internal/ascii"
)

// ARC is the format before WARC, in versions 1 and 2: each record has one line as its
// header, with the URL, the IP address, the date, the media type and, last of all,
// the length of the block. The first record describes the file.

const (
	arcMagic   = "filedesc://"
	maxArcHead = 16 << 10
	arcDate    = "20060102150405"
)

// ErrReadOnly is the error of Replace for an archive in a format that is only read.
var ErrReadOnly = errors.New("an ARC archive is only read: Convert makes a WARC archive of its pages")

// arcHead returns the header that a WARC record would have in place of the line of an ARC
// record, with which b begins, and the length of that line; 0 where b begins with none.
func arcHead(b []byte) (header []byte, n int) {
	line, _, whole := bytes.Cut(b, []byte("\n"))
	if !whole || len(line) > maxArcHead || bytes.IndexByte(line, ':') <= 0 {
		return nil, 0
	}
	fields := strings.FieldsFunc(string(line), isArcSpace)
	last := len(fields) - 1
	if last < 4 {
		return nil, 0
	}
	if n, err := strconv.ParseInt(fields[last], 10, 64); err != nil || n < 0 {
		return nil, 0
	}
	at := 2 // of the date: some URLs have spaces
	date, err := time.Parse(arcDate, fields[at])
	for ; err != nil && at < last-2; date, err = time.Parse(arcDate, fields[at]) {
		at++
	}
	if err != nil {
		return nil, 0
	}
	url := strings.Join(fields[:at-1], "%20")
	kind := "resource"
	switch {
	case strings.HasPrefix(url, arcMagic):
		kind = "warcinfo"
	case strings.HasPrefix(url, "http://"), strings.HasPrefix(url, "https://"):
		kind = "response"
	}
	return fmt.Appendf(nil, "ARC\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nWARC-Date: %s\r\nWARC-IP-Address: %s\r\nContent-Type: %s\r\nContent-Length: %s\r\n\r\n",
		kind, url, date.Format(time.RFC3339), fields[at-1], fields[at+1], fields[last]), len(line) + 1
}

// isArcSpace reports whether a character may stand between the fields of a line. A space
// beyond ASCII may be a part of a URL.
func isArcSpace(c rune) bool { return c < utf8.RuneSelf && ascii.IsSpace(byte(c)) }

// beginsARC reports whether b begins with the line of an ARC record.
func beginsARC(b []byte) bool {
	_, n := arcHead(b[:min(len(b), maxArcHead)])
	return n > 0
}
