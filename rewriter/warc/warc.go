package warc

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"time"

	"absolink/rewriter"
)

// A Rewriter rewrites the pages in archives. The zero value is ready to use. Its
// methods may be called from any number of goroutines, with fields that do not
// change; each uses several itself.
type Rewriter struct {
	// HTML says how pages are rewritten; nil is new(rewriter.Rewriter). Each
	// goroutine has a copy of its settings. Its Visit, Unresolvable and Warn are not
	// called.
	HTML *rewriter.Rewriter

	Workers int    // how many goroutines work on pages; 0 is one for each processor
	TempDir string // of temporary files; "" is the system's

	// Output is the compression of what is written.
	Output Compression

	// Level is the level of the compression with gzip, 1 to 9; 0 is 1.
	Level int

	// Info is the WARC-Record-ID of the warcinfo record that the records which are
	// written name; "" is none. WriteInfo returns it.
	Info string

	// Date is that of the records which are written; zero is now.
	Date time.Time

	// MaxPage is how many bytes a page may have: as it stands in its record, once
	// it is decoded, and once it is rewritten, or its list; 0 is 1 GiB. A longer
	// one stays as it is, a list ends there, and Warn is told.
	MaxPage int64

	// MaxWindow is how many bytes of window a Zstandard frame of an archive may
	// ask for; 0 is 8 MiB, which every decoder takes (RFC 8878 §3.1.1.1.2). A frame
	// that asks for more is damage.
	MaxWindow int64

	// Warn is told of what is wrong with an archive, or with a record of it, in
	// order and from one goroutine. offset is that in the archive as it is, of the
	// record. A [*DamageError] says that bytes were passed over, or a record is not
	// whole.
	Warn func(offset int64, err error)
}

const (
	defaultLevel     = 1
	defaultMaxPage   = 1 << 30
	defaultMaxWindow = 8 << 20
)

func (r *Rewriter) maxPage() int64 { return cmp.Or(r.MaxPage, defaultMaxPage) }

// check returns what is wrong with the fields, before a goroutine uses them.
func (r *Rewriter) check() error {
	switch {
	case r.Workers < 0:
		return fieldError("Workers", int64(r.Workers), "0, which is one for each processor, or more")
	case r.Output > None:
		return fieldError("Output", int64(r.Output), "Gzip, Zstd or None")
	case r.Level < 0 || r.Level > 9:
		return fieldError("Level", int64(r.Level), "1 to 9, or 0, which is 1")
	case r.MaxPage < 0:
		return fieldError("MaxPage", r.MaxPage, "0, which is 1 GiB, or more")
	case r.MaxWindow < 0 || r.MaxWindow > maxWindow:
		return fieldError("MaxWindow", r.MaxWindow, "0, which is 8 MiB, to 1 GiB")
	}
	if err := r.html().Validate(); err != nil {
		return fmt.Errorf("warc.Rewriter: HTML: %w", err)
	}
	return nil
}

func fieldError(name string, value int64, takes string) error {
	return fmt.Errorf("warc.Rewriter: %s is %d; it takes %s", name, value, takes)
}

// html returns a copy of the settings that pages are rewritten with.
func (r *Rewriter) html() *rewriter.Rewriter {
	html := &rewriter.Rewriter{}
	if r.HTML != nil {
		html = r.HTML.Clone()
	}
	html.Visit, html.Unresolvable, html.Warn = nil, nil, nil
	return html
}

// A Summary counts the records of an archive by what became of them: Records is
// the sum of the others.
type Summary struct {
	Records int64 // whose header was read, up to the error if one ended the run

	Rewritten int64 // pages: a conversion was written, the record replaced, its places listed
	Unchanged int64 // pages in which Replace found nothing to rewrite
	Passed    int64 // records without a page
	Failed    int64 // pages that cannot be decoded to their end, and the record that ended the run
	Damaged   int64 // records that are not whole

	Damages int64 // how often Warn was told of a *DamageError

	Places rewriter.Result // the sums of all pages that were rewritten, or listed in part; Base is empty
}

// Add adds the counts of another archive.
func (s *Summary) Add(other Summary) {
	s.Records += other.Records
	s.Rewritten += other.Rewritten
	s.Unchanged += other.Unchanged
	s.Passed += other.Passed
	s.Failed += other.Failed
	s.Damaged += other.Damaged
	s.Damages += other.Damages
	s.Places.Add(other.Places)
}

// Is reports whether a file that begins with start, up to 4 KiB, is a WARC
// archive: by what that decompresses to, else, as of one that is damaged there, by
// its name.
func Is(start []byte, name string) bool {
	un := newUnpacker(newInput(bytes.NewReader(start), inputSize), nil, new(int64))
	b := make([]byte, len(recordMagic))
	err := un.next()
	if err == nil {
		_, err = io.ReadFull(un, b)
	}
	return err == nil && string(b) == recordMagic ||
		hasSuffixFold(name, ".warc") || hasSuffixFold(name, ".warc.gz") || hasSuffixFold(name, ".warc.zst")
}

func hasSuffixFold(s, suffix string) bool {
	return len(s) >= len(suffix) && bytes.EqualFold([]byte(s[len(s)-len(suffix):]), []byte(suffix))
}
