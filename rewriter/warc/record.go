package warc

import (
	"bytes"
	"io"
	"strings"
)

// A Record is a record of an archive.
type Record struct {
	head
	Offset int64 // in the archive as it is stored: of the record or, where that is compressed, of the compressed part in which it begins
	Length int64 // of the block, in bytes

	nth    int // how many records before it have the same Offset
	reader *Reader
	left   int64 // bytes of the block
	err    error // of reading the block
	whole  bool  // it was read to its end, and all checksums up to there are right
}

// Version returns the first line of the record, such as "WARC/1.1".
func (r *Record) Version() string { return r.first }

// Get returns the value of the first field with a name, in upper or lower case; ""
// where there is none.
func (r *Record) Get(name string) string { return r.get(name) }

// Type returns the WARC-Type, in lower case.
func (r *Record) Type() string { return strings.ToLower(r.get("WARC-Type")) }

// ID returns the WARC-Record-ID, in its angle brackets.
func (r *Record) ID() string { return r.get("WARC-Record-ID") }

// URL returns the WARC-Target-URI, without the angle brackets that the grammar of
// WARC 1.0 puts around it.
func (r *Record) URL() string {
	url := r.get("WARC-Target-URI")
	if strings.HasPrefix(url, "<") && strings.HasSuffix(url, ">") {
		url = url[1 : len(url)-1]
	}
	return url
}

// Read reads the block. An error other than io.EOF is one of the archive, which the
// next call of Reader.Next returns as well.
func (r *Record) Read(p []byte) (int, error) {
	switch {
	case r.err != nil:
		return 0, r.err
	case r.left == 0:
		return 0, io.EOF
	case len(p) == 0:
		return 0, nil
	}
	n, err := r.reader.read(p[:min(int64(len(p)), r.left)])
	r.left -= int64(n)
	return n, r.failed(err)
}

const (
	httpMagic = "HTTP/"
	maxStart  = 256 << 10 // how long the head of an HTTP message may be, as in Chromium
)

// start returns what the block begins with, at most maxStart bytes: the head of an
// HTTP message, if there is one, and up to peekSize bytes after it. Read returns
// them again.
func (r *Record) start() ([]byte, error) {
	if r.err != nil {
		return nil, r.err
	}
	most := int(min(r.left, maxStart))
	for end, looked := -1, 0; ; {
		b := r.reader.window()
		b = b[:min(len(b), most)]
		switch {
		case end >= 0:
		case len(b) >= len(httpMagic) && !bytes.HasPrefix(b, []byte(httpMagic)):
			end = 0
		default:
			end, _ = headEnd(b, looked, "")
			looked = len(b)
		}
		if end >= 0 {
			most = min(most, end+peekSize)
		}
		if len(b) >= most {
			return b[:most], nil
		}
		if err := r.failed(r.reader.more()); err != nil {
			return nil, err
		}
	}
}

// discard passes over the rest of the block.
func (r *Record) discard() error {
	for rd := r.reader; r.left > 0 && r.err == nil; {
		n := min(int64(len(rd.window())), r.left)
		rd.skip(int(n))
		if r.left -= n; r.left > 0 {
			r.failed(rd.more())
		}
	}
	return r.err
}

// failed keeps an error, for Read and Next to return. The end of the archive is one.
func (r *Record) failed(err error) error {
	if err == io.EOF {
		err = r.reader.truncated(r.Offset)
	}
	if err != nil {
		r.err, r.reader.pending = err, err
	}
	return err
}
