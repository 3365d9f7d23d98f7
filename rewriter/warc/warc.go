package warc

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"time"

	"absolink/internal/media"
	"absolink/rewriter"
)

// A Rewriter rewrites the pages in archives. The zero value is ready to use. Its
// fields must not change after the first use; its methods may be called from any
// number of goroutines, and each call starts several of its own. If a function in its
// fields panics, nothing more is written, the goroutines end, and the method panics with
// the same value in the goroutine that called it.
type Rewriter struct {
	// HTML says how pages are rewritten; nil is new(rewriter.Rewriter).
	//
	// Its hooks are called from several goroutines at a time, except Warn. With Jobs 1
	// they are called from one goroutine, while another one calls Warn. The places
	// of one page come from one goroutine, in document order. Place.Document names
	// the page: Name is its URL, or the id of the record where no URL is known, and
	// Offset is the record's. Replace reads a page twice where its compressed part
	// holds other records as well; Visit then sees it both times.
	//
	// Warn is called in the order of the archive, from the goroutine that called the
	// method. Of what is wrong in a page it is told a [*PageError] and the offset in the
	// decoded page: at most 16 warnings of one page, and the first limit of each field in
	// it. Of what is wrong with the archive or a record it is told the offset where the
	// record, or the damage, begins in the archive as it is stored. A [*DamageError] says
	// that bytes were passed over, or that a record is incomplete.
	HTML *rewriter.Rewriter

	// Pages reports whether a page is rewritten or listed; nil takes all pages. A record
	// whose page is not taken counts as one without a page. Pages is called in the order
	// of the archive, from one goroutine. Replace may ask twice about a page.
	Pages func(page *Page) bool

	Jobs    int    // how many goroutines work on pages; 0 is one for each processor
	TempDir string // where temporary files are made; "" is the directory of the system

	// Output is the compression of what is written.
	Output Compression

	// Level is the level of the compression with gzip, 1 to 9; 0 is 1.
	Level int

	// Info is the WARC-Record-ID of the warcinfo record that new records refer to;
	// "" is none. WriteInfo returns it.
	Info string

	// With Seed, the same archive gives the same bytes each time: the WARC-Record-ID of a
	// new record is a UUID by name (RFC 9562 §5.5), made of Seed and of the place of its
	// original in the archive. Seed should say which archive is read, and by which
	// options; "" makes random ids (§5.4).
	Seed string

	// Date is the WARC-Date of new records. Zero is the time of writing or, with a Seed,
	// the date of the record that a new one comes from.
	Date time.Time

	// MaxDecoded limits the bytes of a page: in its record, decoded, and rewritten. It
	// also limits the bytes that List writes for one page.
	// 0 is 1 GiB. A longer page stays as it is, a longer list ends early, and Warn is
	// told with a [*rewriter.LimitError].
	MaxDecoded int64

	// MaxWindow is how many bytes of window a Zstandard frame of an archive may
	// ask for; 0 is 8 MiB, which every decoder takes (RFC 8878 §3.1.1.1.2). A frame
	// that asks for more counts as damage.
	MaxWindow int64
}

const (
	defaultLevel      = 1
	defaultMaxDecoded = 1 << 30
	defaultMaxWindow  = 8 << 20
)

func (r *Rewriter) maxDecoded() int64 { return cmp.Or(r.MaxDecoded, defaultMaxDecoded) }

// Validate returns an error if a number is out of range. All methods return that error, too,
// and do nothing.
func (r *Rewriter) Validate() error {
	switch {
	case r.Jobs < 0:
		return fieldError("Jobs", int64(r.Jobs), "0, which is one for each processor, or more")
	case r.Output > None:
		return fieldError("Output", int64(r.Output), "Gzip, Zstd or None")
	case r.Level < 0 || r.Level > 9:
		return fieldError("Level", int64(r.Level), "1 to 9, or 0, which is 1")
	case r.MaxDecoded < 0:
		return fieldError("MaxDecoded", r.MaxDecoded, "0, which is 1 GiB, or more")
	case r.MaxWindow < 0 || r.MaxWindow > maxWindow:
		return fieldError("MaxWindow", r.MaxWindow, "0, which is 8 MiB, to 1 GiB")
	}
	return nil
}

func fieldError(name string, value int64, takes string) error {
	return fmt.Errorf("warc.Rewriter: %s is %d; it takes %s", name, value, takes)
}

// A Summary counts the records of an archive by what became of them: Records is
// the sum of the five counts after it.
type Summary struct {
	Records int64 // whose header was read, up to the record at which an error ended the run

	Rewritten int64 // pages: a conversion was written, the record replaced, or the places listed
	Unchanged int64 // pages in which Replace found nothing to rewrite
	Passed    int64 // records without a page
	Failed    int64 // pages that cannot be decoded to their end, and the record at which an error ended the run
	Damaged   int64 // incomplete records

	Damages int64 // how often Warn was told of a *DamageError

	End int64 // where reading ended: the end of the archive, or after a [Part] the offset of the record that follows

	Places rewriter.Result // the sums of all pages that were rewritten or listed, a part of a page included; Base is empty
}

// counts returns the counts of records by what became of them.
func (s *Summary) counts() [5]*int64 {
	return [...]*int64{passed: &s.Passed, rewritten: &s.Rewritten, unchanged: &s.Unchanged, failed: &s.Failed, damaged: &s.Damaged}
}

// Add adds the counts of another archive, or of the part after this one.
func (s *Summary) Add(other Summary) {
	for i, n := range other.counts() {
		*s.counts()[i] += *n
	}
	s.Records += other.Records
	s.Damages += other.Damages
	s.End = other.End
	s.Places.Add(other.Places)
}

// Is reports whether a file is a WARC archive, or an ARC file. start is what the file
// begins with, up to 4 KiB. If that decompresses to the beginning of a record, or the
// name ends in .warc or .arc, or in one of these and .gz or .zst, the answer is yes: the
// name tells of an archive whose beginning is damaged.
func Is(start []byte, name string) bool {
	return media.HasExt(name, ".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz", ".arc.zst") || startIs(start, recordMagic) || startIs(start, arcMagic)
}

// startIs reports whether start decompresses to what begins with magic.
func startIs(start []byte, magic string) bool {
	c := compressionOf(start)
	if c == None {
		return bytes.HasPrefix(start, []byte(magic))
	}
	un := newUnpacker(c, newInput(bytes.NewReader(start), inputSize), nil, new(int64))
	b := make([]byte, len(magic))
	if err := un.next(); err != nil {
		return false
	}
	_, err := io.ReadFull(un, b)
	return err == nil && string(b) == magic
}
