package mail

import (
	"fmt"
	"strings"
	"testing"

	"absolink/internal/test/doors"
	"absolink/rewriter"
)

// bounds are what docs/limits.md says of a message.
var bounds = doors.Bounds{
	New:   func(html *rewriter.Rewriter, hold int) doors.Adapter { return &Rewriter{HTML: html, Hold: hold} },
	Times: 7,
}

// Memory is bounded whatever the message, and in whatever encoding a document is that waits
// for its base. Warn is told which limit was reached.
func TestMemory(t *testing.T) {
	const (
		html      = "Content-Type: text/html\n"
		encoding  = html + "Content-Transfer-Encoding: "
		multipart = "Content-Type: multipart/mixed; boundary=b\n\n--b\n"
		after     = "\n--b\n" + html + "\n<a href=x>\n--b--"
		end       = "<a href=http://h/x>\n--b--"
		envelope  = "From a@b Mon Jan  1 00:00:00 2001\n"
	)
	var multiparts strings.Builder
	for i := range 10000 {
		fmt.Fprintf(&multiparts, "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i)
	}
	multiparts.WriteString(html + "\n<a href=x>\n")
	for i := range 10000 {
		fmt.Fprintf(&multiparts, "--b%d--\n", 9999-i)
	}
	rows := []doors.Long{
		{Name: "a header", Head: "X: ", Part: "y", Tail: "\n\n<a href=x>", End: "<a href=x>", Warning: "0: " + errMaxHeader(0).Error()},
		{Name: "a header in lines", Head: "X: ", Part: "y\n z", Tail: "\n\n<a href=x>", End: "<a href=x>", Warning: "0: " + errMaxHeader(0).Error()},
		{Name: "a header in fields", Part: "Base: http://h/\n", Tail: "\n\n<a href=x>", End: "<a href=x>", Warning: "0: " + errMaxHeader(0).Error(), More: 5 << 20},
		{Name: "a header in a part", Head: multipart, Part: "X: y\n z\n", Tail: after, End: end, Warning: "47: " + errMaxHeader(0).Error()},
		{Name: "a header of an mbox file", Head: envelope + "X: ", Part: "y", Tail: "\n\n" + envelope + html + "\n<a href=x>", End: "<a href=http://h/x>", Warning: "0: " + errMaxHeader(0).Error()},
		{Name: "10,000 multiparts", Head: multiparts.String(), End: "\n--b0--\n", Warning: "5080: " + errMaxDepth(0).Error()},
		{Name: "messages in messages", Part: "Content-Type: message/rfc822\n\n", Warning: "3000: " + errMaxDepth(0).Error()},
		{Name: "parts", Head: multipart, Part: "\n\n--b\n", Tail: "x" + after, End: end},
		{Name: "hyphens", Head: multipart, Part: "\n--", Tail: after, End: end},
		{Name: "a line", Head: multipart, Part: "--b ", Tail: after, End: end},
		{Name: "text", Head: html + "\n", Part: "<a href=x>text</a>", Tail: "<a href=x>", End: "<a href=http://h/x>"},
		{Name: "quoted-printable", Head: encoding + "quoted-printable\n\n", Part: "<a href=3Dx>=\n=\n", Tail: "<a href=3Dx>", End: "<a href=3Dhttp://h/x>"},
		{Name: "soft breaks", Head: encoding + "quoted-printable\n\n<a", Part: "=\n", Tail: "<a href=3Dx>", End: "<a href=3Dx>"},
		{Name: "base64", Head: encoding + "base64\n\n", Part: "PGEgaHJlZj14Pgpm\n"},
		{Name: "white space in base64", Head: encoding + "base64\n\nPGEg", Part: " ", Tail: "aHJlZj14Pgpm"},
		{Name: "names", Head: multipart, Part: "Content-Location: http://h/a/y\n\n\n--b\n", Tail: "\n" + after, End: end},

		{Name: "held", Head: encoding + "8bit\n\n<link href=x>", Part: "<!---->\n", Tail: "<a href=x>", End: "<a href=http://h/x>"},
		{Name: "held, quoted", Head: encoding + "quoted-printable\n\n<link href=3Dx>", Part: "=20=0A", Tail: "<a href=3Dx>", End: "<a href=3Dhttp://h/x>"},
		{Name: "held soft breaks", Head: encoding + "quoted-printable\n\n<link href=3Dx>", Part: "= \n=\n"},
		{Name: "held places", Size: 2 << 20, Head: encoding + "quoted-printable\n\n", Part: "<link href=3Dx>=\n", Tail: "<a href=3Dx>", End: "<a href=3Dhttp://h/x>"},
		{Name: "held base64", Head: encoding + "base64\n\nPGxpbmsgaHJlZj14Pgog\n", Part: "ICAg\n", Tail: "PGEgaHJlZj14Pgo=", Shorter: true},
		{Name: "held white space in base64", Head: encoding + "base64\n\nPGxpbmsgaHJlZj14Pgog\n", Part: strings.Repeat(" ", 1000) + "ICAg\n", Tail: "PGEgaHJlZj14Pgo=", Shorter: true},
		{Name: "an endless tag in base64", Head: encoding + "base64\n\nPGxpbmsgaHJlZj14Pgog\nPGEg\n", Part: strings.Repeat("\n ", 500) + "ICAg\n", Tail: "PGEgaHJlZj14Pgo=", Shorter: true},
	}
	// While the inside of an entity is read, its header takes no memory.
	url := "http://h/" + strings.Repeat("a", rewriter.MaxBase-20) + "/"
	const mixed = "Content-Type: multipart/mixed; boundary=b"
	for name, fields := range map[string]string{
		"junk after a base":      mixed + "\nContent-Base: <" + url + ">",
		"a base in a long field": mixed + "\nContent-Base: <http://h/>\n ",
		"many bases":             mixed + "\n" + strings.Repeat("Base: mailto:x\n", 5000) + "X: ",
		"relative bases":         mixed + "\nBase: " + url + "\nContent-Base: x/" + url + "\nContent-Location: y/" + url + "\nX: ",
		"many signatures":        mixed + "\n" + strings.Repeat("DKIM-Signature: v\n", 4500) + "X: ",
		"long boundaries":        mixed + "; x=",
		"malformed boundaries":   mixed + "; \xff\xff; x=",
	} {
		part := fields + strings.Repeat("y", 96<<10-len(fields)) + "\n\n--b\n"
		rows = append(rows, doors.Long{Name: name, Part: part, Size: (defaultMaxDepth - 1) * len(part), Tail: "\nthe innermost", End: "the innermost", Warnings: 200})
	}
	// A name takes as much memory as is counted for it, whatever else its field holds.
	for name, location := range map[string]string{
		"junk after a name":      "<cid:%d>" + strings.Repeat("y", maxValue-200),
		"the fragment of a name": "http://h/%d#" + strings.Repeat("y", rewriter.MaxBase-200),
		"short names":            "%d",
	} {
		var b strings.Builder
		for i := 0; b.Len() < 20<<20 && i < 100_000; i++ {
			fmt.Fprintf(&b, "Content-Location: "+location+"\n\n--b\n", i)
		}
		rows = append(rows, doors.Long{Name: name, Head: multipart + b.String(), Tail: "\n\nend", End: "end"})
	}
	bounds.Long(t, rows)
}

func TestLateBase(t *testing.T) {
	const encoding = "Content-Type: text/html\nContent-Transfer-Encoding: "
	same := func(s string) string { return s }
	quoted := strings.NewReplacer("=", "=3D").Replace
	bounds.LateBase(t, map[string]doors.Form{
		"8bit":   {Start: encoding + "8bit\n\n", Encode: same},
		"quoted": {Start: encoding + "quoted-printable\n\n", Encode: quoted},
		"all quoted": {Start: encoding + "quoted-printable\n\n", Encode: func(s string) string {
			return doors.Each("=%02X", s) + "=\r\n"
		}},
		"base64": {Start: encoding + "base64\n\n", Encode: func(s string) string { return inBase64(s, 76, "\r\n") }},
		"MHTML":  {Start: "Content-Type: multipart/related; boundary=b\n\n--b\nContent-Location: http://m/\n" + encoding + "quoted-printable\n\n", Encode: quoted, End: "\n--b--\n"},
	})
}
