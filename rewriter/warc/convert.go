package warc

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base32"
	"fmt"
	"hash"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"
)

// Convert writes a conversion record for each page of src to dst: the page
// decoded and rewritten, in its own charset (WARC 1.1 §6.7).
func (r *Rewriter) Convert(ctx context.Context, dst io.Writer, src io.Reader) (Summary, error) {
	if err := r.Validate(); err != nil {
		return Summary{}, err
	}
	x := newRun(r)
	err := x.writeAll(ctx, &output{dst: dst}, src, (*worker).convert)
	return x.sum(err)
}

// convert makes a conversion record of the page of a job.
func (w *worker) convert(j *job) error {
	document, ok := w.open(j)
	if !ok {
		return nil
	}
	start, document := peek(document)
	page := w.page
	page.reset()
	result, pageErr, err := w.rewrite(j, page, document)
	if err != nil {
		return err
	}
	if pageErr != nil {
		j.warn(pageErr)
	}
	if isTooLong(pageErr) || pageErr != nil && page.size == 0 {
		j.outcome = failed
		return nil
	}
	header, err := w.conversion(j, start, page, pageErr != nil)
	if err != nil {
		return err
	}
	j.out = w.output(j)
	j.outcome, j.result = rewritten, result
	return w.compress(j.out, bytes.NewReader(header), page.reader(), strings.NewReader("\r\n\r\n"))
}

// conversion returns the header of a conversion record, with the empty line at its
// end. start is what the page began with before it was rewritten; cut says that the
// page breaks off.
func (w *worker) conversion(j *job, start []byte, page *spool, cut bool) ([]byte, error) {
	sum := sha1.New()
	if _, err := io.Copy(sum, page.reader()); err != nil {
		return nil, err
	}
	digest := digestText("sha1", sum)
	h := w.run.options.newHeader("conversion", j.record)
	h.add("WARC-Target-URI", j.record.URL())
	h.add("WARC-Refers-To", j.record.ID())
	h.add("WARC-Warcinfo-ID", w.run.options.Info)
	h.add("WARC-Block-Digest", digest)
	h.add("WARC-Payload-Digest", digest)
	switch truncated := j.record.get("WARC-Truncated"); {
	case truncated != "":
		h.add("WARC-Truncated", truncated)
	case cut:
		h.add("WARC-Truncated", "unspecified")
	}
	h.add("Content-Type", contentType(j.page, start, page))
	h.add("Content-Length", fmt.Sprint(page.size))
	return h.end(), nil
}

// contentType returns the type of a rewritten page with its charset. The charset
// comes from start, as longer links may move the meta beyond the first 1024 bytes.
// Where nothing declares a charset, a page that is valid UTF-8 has that, any other
// what browsers take it for.
func contentType(p *Page, start []byte, page *spool) string {
	charset := p.charsetOf(start)
	if charset == "" {
		charset = "windows-1252"
		if isUTF8(page) {
			charset = "utf-8"
		}
	}
	return p.media + "; charset=" + charset
}

func isUTF8(page *spool) bool {
	if page.file == nil {
		return utf8.Valid(page.mem)
	}
	_, err := io.Copy(io.Discard, transform.NewReader(page.reader(), encoding.UTF8Validator))
	return err == nil
}

// WriteInfo writes a warcinfo record (WARC 1.1 §6.2) and returns its
// WARC-Record-ID, for Info. fileName is the name of the archive, "" where it has none;
// software is the program with its version.
func (r *Rewriter) WriteInfo(dst io.Writer, fileName, software string) (id string, err error) {
	if err := r.Validate(); err != nil {
		return "", err
	}
	w := newWorker(newRun(r))
	body := "software: " + software + "\r\nformat: WARC File Format 1.1\r\n" +
		"conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n"
	h := r.newHeader("warcinfo", nil)
	h.add("WARC-Filename", fileName)
	sum := sha1.New()
	io.WriteString(sum, body)
	h.add("WARC-Block-Digest", digestText("sha1", sum))
	h.add("Content-Type", "application/warc-fields")
	h.add("Content-Length", fmt.Sprint(len(body)))
	out := &spool{memory: w.run.memory}
	defer out.drop()
	if err := w.compress(out, bytes.NewReader(h.end()), strings.NewReader(body), strings.NewReader("\r\n\r\n")); err != nil {
		return "", err
	}
	return h.id, (&output{dst: dst}).copy(out.reader())
}

// A header is the header of a new record.
type header struct {
	bytes.Buffer
	id string
}

// newHeader begins the header of a record that is made from another record; nil is none.
func (r *Rewriter) newHeader(recordType string, from *Record) *header {
	h := &header{id: r.newID(recordType, from)}
	h.WriteString("WARC/1.1\r\n")
	h.add("WARC-Type", recordType)
	h.add("WARC-Record-ID", h.id)
	h.add("WARC-Date", r.newDate(from))
	return h
}

func (r *Rewriter) newDate(from *Record) string {
	date := r.Date
	switch {
	case !date.IsZero():
	case r.Seed == "":
		date = time.Now()
	case from != nil && from.get("WARC-Date") != "":
		return atMost(from.get("WARC-Date"))
	default:
		date = time.Unix(0, 0)
	}
	return date.UTC().Format("2006-01-02T15:04:05Z")
}

// add adds a field, unless its value is empty. A line break in the value becomes a
// space.
func (h *header) add(name, value string) {
	if value = strings.NewReplacer("\r", " ", "\n", " ").Replace(value); value != "" {
		h.WriteString(name + ": " + value + "\r\n")
	}
}

// end returns the header with the empty line that ends it.
func (h *header) end() []byte {
	h.WriteString("\r\n")
	return h.Bytes()
}

// newID returns the id of a new record: a random UUID (RFC 9562 §5.4) or, with a Seed,
// a UUID by name (§5.5).
func (r *Rewriter) newID(recordType string, from *Record) string {
	var b [16]byte
	version := byte(4)
	if r.Seed == "" {
		rand.Read(b[:])
	} else {
		name := fmt.Appendf(namespaceURL[:], "%s#%s@", r.Seed, recordType)
		switch {
		case from == nil:
			name = append(name, "-1"...)
		case from.nth == 0:
			name = fmt.Append(name, from.Offset)
		default: // several records in one compressed part
			name = fmt.Appendf(name, "%d.%d", from.Offset, from.nth)
		}
		sum := sha1.Sum(name)
		copy(b[:], sum[:])
		version = 5
	}
	b[6], b[8] = b[6]&0xf|version<<4, b[8]&0x3f|0x80
	return fmt.Sprintf("<urn:uuid:%x-%x-%x-%x-%x>", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// namespaceURL is the namespace of names that are URLs (RFC 9562 §6.6).
var namespaceURL = [16]byte{0x6b, 0xa7, 0xb8, 0x11, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8}

// digestText returns a digest as it is written in a record (WARC 1.1 §5.8): SHA-1 in
// base 32, as is usual, any other in hexadecimal digits.
func digestText(algorithm string, sum hash.Hash) string {
	if algorithm == "sha1" {
		return "sha1:" + base32.StdEncoding.EncodeToString(sum.Sum(nil))
	}
	return fmt.Sprintf("%s:%x", algorithm, sum.Sum(nil))
}

// newDigest returns the hash of the algorithm that a digest names; SHA-1 where the
// name is unknown.
func newDigest(digest string) (algorithm string, sum hash.Hash) {
	algorithm, _, _ = strings.Cut(strings.ToLower(digest), ":")
	if begin := hashes[algorithm]; begin != nil {
		return algorithm, begin()
	}
	return "sha1", sha1.New()
}

var hashes = map[string]func() hash.Hash{
	"sha256": sha256.New, "sha-256": sha256.New, "sha512": sha512.New, "sha-512": sha512.New, "md5": md5.New,
}
