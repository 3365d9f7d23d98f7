package warc

import (
	"bytes"
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

	// MaxPage is how many bytes a page may have once it is decoded; 0 is 1 GiB. A
	// longer one stays as it is, and Warn is told.
	MaxPage int64

	// Warn is told of what is wrong with an archive, or with a record of it, in
	// order and from one goroutine. offset is that in the archive as it is, of the
	// record. A [*DamageError] says that bytes were passed over, or a record is not
	// whole.
	Warn func(offset int64, err error)
}

const (
	defaultLevel   = 1
	defaultMaxPage = 1 << 30
)

// A Summary counts the records of an archive by what became of them: Records is
// the sum of the others.
type Summary struct {
	Records int64 // whose header was read

	Rewritten int64 // pages: a conversion was written, the record replaced, its places listed
	Unchanged int64 // pages in which Replace found nothing to rewrite
	Passed    int64 // records without a page
	Failed    int64 // pages that stay as they are, as they cannot be decoded
	Damaged   int64 // records that are not whole

	Damages int64 // how often Warn was told of a *DamageError

	rewriter.Result // of all pages that were rewritten
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
	s.Result.Add(other.Result)
}

// Is reports whether a file that begins with start, up to 4 KiB, is a WARC
// archive: by what that decompresses to, else, as of one that is damaged there, by
// its name.
func Is(start []byte, name string) bool {
	un := newUnpacker(newInput(bytes.NewReader(start), inputSize), nil)
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
