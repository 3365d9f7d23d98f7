package doors

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"

	"absolink/internal/coding"
)

// Coded returns a document in a content coding.
func Coded(doc []byte, c coding.Coding) []byte {
	var out bytes.Buffer
	w := coding.NewWriter(&out, []coding.Coding{c})
	w.Write(doc)
	w.Close()
	return out.Bytes()
}

// Zipped is the Wrap of a door that takes a document in gzip, and Unzipped its Seen, which
// returns what a body decodes to as far as it goes.
func Zipped(doc []byte, _ bool) []byte { return Coded(doc, coding.Gzip) }

// Unzipped is described beside Zipped.
func Unzipped(body []byte) []byte {
	if len(body) == 0 {
		return nil
	}
	r := coding.NewReader(bytes.NewReader(body), 0, nil)
	if err := r.Undo(coding.Gzip); err != nil {
		panic(err)
	}
	doc, _ := io.ReadAll(r)
	return doc
}

// Record is the Wrap of a door that takes an archive: one with one document.
func Record(doc []byte, based bool) []byte {
	target := ""
	if based {
		target = "WARC-Target-URI: " + Base + "\r\n"
	}
	block := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + string(doc)
	return fmt.Appendf(nil, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:4ad6a1d8-5d52-4a4d-8b4c-000000000001>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"+
		"%sContent-Type: application/http;msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", target, len(block), block)
}

// NotEmpty, IsText and IsXML are the Takes of doors for containers. IsText reports whether a
// document can stand in JSON, and names no encoding, which does not count there.
func NotEmpty(doc []byte) bool { return len(doc) > 0 }

// IsText is described beside NotEmpty.
func IsText(doc []byte) bool {
	return utf8.Valid(doc) && !bytes.ContainsAny(doc, "\r\x00") && !bytes.Contains(doc, []byte("charset="))
}

// IsXML reports whether a feed in XML writes a document as other doors do. It refuses a form feed,
// too: in a URL, HTML has it as it is, and a feed has an HTML reference, because XML forbids it.
func IsXML(doc []byte) bool {
	return IsText(doc) && !bytes.ContainsRune(doc, '\f') && !bytes.Contains(doc, []byte("&#12;"))
}

// Between returns a function that returns what stands between two texts.
func Between(before, after string) func([]byte) []byte {
	return func(out []byte) []byte {
		_, out, _ = bytes.Cut(out, []byte(before))
		if i := bytes.LastIndex(out, []byte(after)); i >= 0 {
			out = out[:i]
		}
		return out
	}
}

// Put writes all of b, or returns an error in the form of the errors of a door.
func Put(dst io.Writer, b []byte) error {
	_, err := bytes.NewReader(b).WriteTo(dst) // which knows of short writes
	return Error("write", err)
}
