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
// record. It is not ok where the line is not one.
func arcHead(line []byte) (header []byte, ok bool) {
	if i := bytes.IndexByte(line, ':'); i <= 0 || len(line) > maxArcHead {
		return nil, false
	}
	fields := strings.FieldsFunc(string(line), isArcSpace)
	last := len(fields) - 1
	if last < 4 {
		return nil, false
	}
	if n, err := strconv.ParseInt(fields[last], 10, 64); err != nil || n < 0 {
		return nil, false
	}
	at := 2 // of the date: some URLs have spaces
	date, err := time.Parse(arcDate, fields[at])
	for ; err != nil && at < last-2; date, err = time.Parse(arcDate, fields[at]) {
		at++
	}
	if err != nil {
		return nil, false
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
		kind, url, date.Format(time.RFC3339), fields[at-1], fields[at+1], fields[last]), true
}

// isArcSpace reports whether a character may stand between the fields of a line. A space
// beyond ASCII may be a part of a URL.
func isArcSpace(c rune) bool { return c < utf8.RuneSelf && ascii.IsSpace(byte(c)) }

// beginsARC reports whether b begins with the line of an ARC record.
func beginsARC(b []byte) bool {
	line, _, ok := bytes.Cut(b[:min(len(b), maxArcHead)], []byte("\n"))
	if ok {
		_, ok = arcHead(line)
	}
	return ok
}

// findLine returns the header of the ARC record that the window begins with, and the
// length of its line.
func (r *Reader) findLine() (header []byte, n int, err error) {
	if err := r.fillFor(inARC, 0); err != nil {
		return nil, 0, err
	}
	line, _, ok := bytes.Cut(r.window(), []byte("\n"))
	if ok {
		header, ok = arcHead(line)
	}
	if !ok {
		return nil, 0, errNoRecord
	}
	return header, len(line) + 1, nil
}
