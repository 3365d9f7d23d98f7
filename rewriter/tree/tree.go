// Package tree rewrites the HTML files in a tree of files, as a static site or
// a saved mirror is one: the base URL of each is the tree's URL and its path.
package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"absolink/resolver"
	"absolink/rewriter"
)

// A Rewriter rewrites trees. URL is needed, the rest has a useful zero value.
// Its fields must not change after the first use.
//
// Memory does not grow with the number of files. Of a directory the names of the
// directories in it are held; where the destination takes A for a, all names.
// However deep directories are nested, no more than 50 files are open at a time,
// and 5 for each of Jobs. A path in the tree has 8 KiB at most.
type Rewriter struct {
	// HTML rewrites the pages; nil is new(rewriter.Rewriter). Its functions are told
	// of the pages that are read. The Document of a place has the path of its page
	// in the tree as Name; the err of Warn is an [*Error] with the name of the file.
	//
	// A page that the destination already has is not read again, unless Missing is
	// set. What Visit would make of that page does not count: a program that changes
	// URLs differently from an earlier run has to change Version too.
	//
	// An error of Visit fails its page, and the run goes on with the next.
	HTML *rewriter.Rewriter

	// Charset is the one that all documents came with; "" where they say it
	// themselves. It is that of [rewriter.Source].
	Charset string

	// URL is that of the tree, of HTML's profile. A slash is put at its end
	// where there is none. It has no query and no fragment.
	URL *resolver.Base

	// Index has the names of the files that are the page of the directory that
	// they are in: their URL is the directory's.
	Index []string

	// CleanURLs has the URLs of pages lack the .html of their names.
	CleanURLs bool

	// Include and Exclude are patterns of doublestar. One without a slash is for
	// the name of a file in any directory, another for its path in the tree. A
	// file belongs to the tree if it fits Include, or that is empty, and does
	// not fit Exclude. What is in a directory that fits Exclude does not.
	Include, Exclude []string

	// Link has the destination share files that are not HTML with the source, as
	// hard links to them, where it can: whoever writes into one then changes both.
	// By default they are copied.
	Link bool

	// Force has files written that the destination has already.
	Force bool

	// Jobs is how many files are worked on at a time; 0 is GOMAXPROCS.
	Jobs int

	// Version is part of what says whether a page has to be rewritten again,
	// beside the source's date and size and the options.
	Version string

	// Missing, if not nil, is shown each place whose URL is in the tree where there
	// is no file for it; the URL is the one that HTML.Visit leaves. All pages are
	// then read, also those that are not written.
	Missing func(p *rewriter.Place)

	// Warn is told of what is left out of the tree, such as a device or a symbolic
	// link that leads outside. err is an [*Error], and offset is -1. HTML.Warn is
	// told of what is in the pages.
	Warn func(offset int64, err error)

	// Failed is told what could not be done. The run goes on with the next file.
	Failed func(err *Error)

	// Done is told what became of each file, also of those that failed.
	Done func(f File)

	// All functions, those of HTML too, are called one at a time, and not after the
	// run has returned.
}

// An Error is about one file, or about the tree: what could not be done, or what
// Warn is told.
type Error struct {
	Name   string // of the file: the name of the tree as it was given, then the path in it
	Offset int64  // in the file, in bytes; -1 where it is not known
	Op     string // what could not be done: "open", "read", "write" and the like; "" in a warning
	Err    error
}

// Error returns one line without the name of the file.
func (e *Error) Error() string {
	if e.Op == "" {
		return e.Err.Error()
	}
	return "cannot " + e.Op + ": " + e.Err.Error()
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// An Outcome is what became of a file.
type Outcome uint8

const (
	Failed    Outcome = iota // it, or a directory, could not be read or written
	Rewritten                // a page, written
	Linked                   // no page; with Link a hard link to the source, or the symbolic link that the source is
	Copied                   // no page; its bytes and permissions
	Unchanged                // the destination had it already, or nothing in it changes
	Left                     // it is no file, or a symbolic link that leads out of the tree
)

// String returns the name in lower case.
func (o Outcome) String() string {
	return [...]string{"failed", "rewritten", "linked", "copied", "unchanged", "left"}[o]
}

// A File is a file of the tree and what became of it.
type File struct {
	Path    string // in the tree, with slashes
	Bytes   int64
	Outcome Outcome
	Page    bool // it was read and is HTML
}

// A Result says what a run did.
type Result struct {
	Files int64 // that belong to the tree, and directories that failed
	Bytes int64 // in them

	// Files by what became of them.
	Rewritten, Linked, Copied, Unchanged, Left, Failed int64

	Pages   int64           // HTML files that were read
	Places  rewriter.Result // the sums of all pages that were read; Base is nil
	Missing int64           // places that Missing was shown
}

// add counts a file.
func (r *Result) add(f File) {
	r.Files++
	r.Bytes += f.Bytes
	if f.Page {
		r.Pages++
	}
	switch f.Outcome {
	case Failed:
		r.Failed++
	case Rewritten:
		r.Rewritten++
	case Linked:
		r.Linked++
	case Copied:
		r.Copied++
	case Unchanged:
		r.Unchanged++
	case Left:
		r.Left++
	}
}

// ErrNested is why the destination may not be in the source, or the other way
// round.
var ErrNested = errors.New("source and destination are the same, or one is in the other")

// ErrBusy is why two runs do not write one tree at the same time.
var ErrBusy = errors.New("another run is writing this tree")

// ErrChanged is why a file that was changed while it was read is not written.
var ErrChanged = errors.New("it changed while it was read; run again")

// Rewrite makes dst of src: pages are rewritten, other files copied or linked,
// symbolic links made anew. Permissions and dates stay. What dst has besides
// stays. Nothing outside of the two is read or written, wherever symbolic links
// lead. Each file comes to be, or is replaced, as a whole.
//
// A file that dst has already is not written again. That is known from its date,
// whose fraction of a second says by which options and from a source of which
// date, size and permissions it was made; so a run that ended early is gone on with by
// another. A linked file is not looked at again.
//
// The error says why the run ended early: ctx did, dst is full, or the trees
// cannot be opened. When ctx ends, a file system that does not answer is waited for
// 5 seconds; until it does, dst stays locked. Else it is nil, whatever Failed was told.
func (r *Rewriter) Rewrite(ctx context.Context, dst, src string) (Result, error) {
	return r.run(ctx, dst, src, toDestination)
}

// RewriteInPlace replaces the pages in dir that change by rewriting. They keep
// owner, group and mode. No other file is touched, and none that a
// symbolic link leads to.
func (r *Rewriter) RewriteInPlace(ctx context.Context, dir string) (Result, error) {
	return r.run(ctx, "", dir, inPlace)
}

// Look does what [Rewriter.Rewrite] does, but writes nothing.
func (r *Rewriter) Look(ctx context.Context, dir string) (Result, error) {
	return r.run(ctx, "", dir, nowhere)
}

// html returns HTML, or what it stands for.
func (r *Rewriter) html() *rewriter.Rewriter {
	if r.HTML == nil {
		return new(rewriter.Rewriter)
	}
	return r.HTML
}

// Validate returns an error if the fields cannot be used. All methods return that
// error too, and do nothing.
func (r *Rewriter) Validate() error {
	html := r.html()
	switch {
	case r.URL == nil:
		return errors.New("a tree needs a URL")
	case r.URL.Profile() != html.Profile:
		return fmt.Errorf("the URL of the tree is of profile %s, and HTML of profile %s; parse the URL by that", r.URL.Profile(), html.Profile)
	case html.Validate() != nil:
		return fmt.Errorf("HTML: %w", html.Validate())
	case r.Jobs < 0:
		return fmt.Errorf("tree.Rewriter: Jobs is %d; it takes 0, which is one for each processor, or more", r.Jobs)
	}
	after := "?#"
	if r.URL.Profile() == resolver.RFC1808 {
		after = ";?#"
	}
	if i := strings.IndexAny(r.URL.String(), after); i >= 0 {
		return fmt.Errorf("%s: nothing may follow the path in the URL of a tree, as %q does", resolver.Redact(r.URL.String()), r.URL.String()[i:])
	}
	for _, name := range r.Index {
		if name == "" || path.Base(name) != name {
			return fmt.Errorf("index %q: it is the name of a file without its directory", name)
		}
	}
	return checkPatterns(r.Include, r.Exclude)
}

// cause is err without operation and file name.
func cause(err error) error {
	var e *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &e):
		return e.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
