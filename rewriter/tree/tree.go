package tree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"absolink/resolver"
	"absolink/rewriter"
)

// A Rewriter rewrites trees. URL is needed; every other field has a useful zero value.
// The fields must not change after the first use.
type Rewriter struct {
	// HTML rewrites the pages; nil is new(rewriter.Rewriter). Its hooks are told of the
	// pages that are read, one at a time. The Document of a place is the page; its Name is
	// the path of the page in the tree. Begin and End are told of each file that is read as a
	// page, or that Other rewrites, and not of documents within. Warn is also told of what is left out of the tree,
	// such as a device or a symbolic link that leads outside. Its err is an [*Error] with the
	// name of the file, and its offset is -1 for what is not in the file. If
	// Visit returns an error, its page fails, and the run goes on with the next file.
	//
	// A page that the destination already has is not read again, so Visit does not see
	// it. If Missing or MissingAnchor is set, Visit sees the page, but it is not written.
	// So a Visit that changes URLs does not decide which pages are written again: whoever
	// changes such a Visit has to change Settings too.
	HTML *rewriter.Rewriter

	// Sheets says that style sheets, which are files called *.css, are rewritten too, each
	// on its own URL. They count as pages.
	Sheets bool

	// Other returns what rewrites a file that is not a page, such as a feed, and nil for
	// a file that is copied. If Other is nil, only pages are rewritten.
	// start is what the file begins with, up to 4 KiB; name is its name without its
	// directory. html does what HTML does, and calls the functions of HTML one at a time;
	// the Document of a place is the whole file. Other may be called by several goroutines
	// at once, and its choice for a file must not change between runs, unless Version does.
	Other func(start []byte, name string, html *rewriter.Rewriter) Rewriting

	// Charset is the charset with which all documents came, as in [rewriter.Source];
	// "" leaves it to the documents.
	Charset string

	// URL is the URL of the tree, in the profile of HTML. It has neither query nor
	// fragment. If it does not end in a slash, a slash is added.
	URL *resolver.Base

	// Index lists the names of files, such as index.html, that are the page of the
	// directory that they are in. Their URL is the URL of the directory.
	Index []string

	// CleanURLs says that the URLs of pages lack the .html at the end of their names.
	CleanURLs bool

	// KeepLocal keeps references that are relative paths to files of the tree, and those
	// that are a fragment alone: the tree can then be read wherever it is. A reference
	// that begins with a slash becomes absolute. So does every reference in a page whose
	// BASE does not name the page's own directory, and in a file for which Other is asked:
	// feeds are read elsewhere. A page that the destination already has does not change
	// if a file appears or goes; Force has the page written again.
	KeepLocal bool

	// Include and Exclude are patterns as github.com/bmatcuk/doublestar has them. A
	// pattern with a slash is for the path of a file in the tree; without one it is
	// for the name of a file in any directory. A file belongs to the tree if it fits
	// Include, or Include is empty, and if neither the file nor a directory that it is
	// in fits Exclude. Validate refuses patterns that can fit no file, such as "./a" or "a/".
	// Warn is told of a pattern of Include that matches no file.
	Include, Exclude []string

	// Copy are patterns, as in Exclude, of files that are copied and not rewritten, also if
	// they are pages. No link in them is looked at; links to them are. Warn is told of a
	// pattern that matches no file of the tree.
	Copy []string

	// Link makes hard links to the files of the source that are not HTML, where that
	// is possible: writing into such a file changes both trees. By default these files
	// are copied.
	Link bool

	// Force says that files are written even if the destination already has them.
	Force bool

	// Record, if not empty, is the name of a file that lists what Rewrite writes to the
	// destination, and what is there already from this tree. It must not be in one of the
	// two trees. Each run writes it anew, and one that does not come to all files keeps
	// what the earlier one listed. The files that a whole run finds in it from earlier runs,
	// and whose sources no longer belong to the tree, are counted as Stale.
	Record string

	// Delete says that these files are deleted, once all others are written. It needs a
	// Record. A file that has changed since it was written stays, and Warn is told.
	// Directories stay. If a file has failed, or the tree has no files, nothing is deleted,
	// and Warn is told. No symbolic link is followed, whatever the record says.
	Delete bool

	// Dry says that Rewrite and RewriteInPlace write and delete nothing, neither files nor the
	// Record. They tell of each file, and count, what they would do.
	Dry bool

	// Gone is told the path of each file that is counted as Stale, or was deleted.
	Gone func(path string, deleted bool)

	// Jobs is how many files are worked on at a time; 0 is one for each processor.
	Jobs int

	// Version, the options, and the date, size and permissions of the source decide
	// together whether a file has to be written again. A program sets Version to make
	// that happen, also for files that are copied: when the program has changed.
	Version string

	// Settings says what Visit and Other do, as text that changes when that does. Whatever
	// they rewrite is then written again.
	Settings string

	// Missing, if not nil, is shown each place whose URL begins with the URL of the tree
	// and leads to none of its files; the URL is the one that Visit leaves. All pages
	// are then read, also those that are not written.
	Missing func(p *rewriter.Place)

	// MissingAnchor, if not nil, is shown each place whose URL leads to a page in the
	// tree, with a fragment that names nothing in the page. A fragment names the element
	// with that id, or the a element with that name. All pages are then read twice, and 8
	// bytes are held for each anchor, for at most 8 million of them. If there are more,
	// Warn is told, and the fragments of URLs of some pages are not checked.
	MissingAnchor func(p *rewriter.Place)

	// Failed is told what could not be done. The run goes on with the next file.
	Failed func(err *Error)

	// Done is told what became of each file, also of those that failed.
	Done func(f File)

	// Output, if not nil, returns what [Rewriter.Look] writes a page to, in the form that
	// [Rewriter.Rewrite] would give it, and nil for a page that is only looked at. It is not
	// called by other methods. The page is whole when Done is told of it, and its Outcome
	// is not Failed.
	Output func(path string) io.Writer

	// All functions, HTML's too, are called one at a time, and not after the run has
	// returned. If a function panics, or what Other returns does, the run ends as it does
	// when its context ends. The method then panics with the same value in the goroutine
	// that called it. Files are whole or absent, and the Rewriter can be used again.
}

// A Rewriting rewrites a file, as the Rewriter of this module for a kind of file does. src
// is a [rewriter.Source].
type Rewriting interface {
	Rewrite(dst io.Writer, src io.Reader, outer *resolver.Base) (rewriter.Result, error)
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
	Failed    Outcome = iota // a file or a directory that could not be read or written
	Rewritten                // a page, or what Other rewrites, that was written
	Linked                   // another file: with Link a hard link to the source; or a symbolic link, as in the source
	Copied                   // another file, with its permissions
	Unchanged                // a file that the destination already had, or in which nothing changes
	Left                     // something other than a file, or a symbolic link that leads out of the tree
)

// String returns the name in lower case.
func (o Outcome) String() string {
	return [...]string{"failed", "rewritten", "linked", "copied", "unchanged", "left"}[o]
}

// A File says what became of a file of the tree.
type File struct {
	Path    string // in the tree, with slashes
	Bytes   int64
	Outcome Outcome
	Page    bool // the file was read, and is HTML or what Other rewrites

	// Places counts the places of the page, as it was read before it was rewritten. Like
	// Result.Places, it has no bases.
	Places rewriter.Result
}

// A Result says what a run did.
type Result struct {
	Files int64 // files that belong to the tree, and directories that failed
	Bytes int64 // the sizes of these files, in the source

	// Files by what became of them.
	Rewritten, Linked, Copied, Unchanged, Left, Failed int64

	Pages   int64           // HTML files that were read, and files that Other rewrites
	Changed int64           // pages that rewriting changes; the others are written with the same bytes
	Places  rewriter.Result // the sums of all pages that were read; without bases

	Deleted int64 // files that were deleted, see Delete
	Stale   int64 // files that Delete would have deleted; 0 without a Record

	// Places that the functions of these names were shown.
	Missing, MissingAnchors int64
}

// add counts a file.
func (r *Result) add(f File) {
	r.Files++
	r.Bytes += f.Bytes
	if f.Page {
		r.Pages++
		if f.Places.Rewritten+f.Places.Removed > 0 {
			r.Changed++
		}
	}
	counts := [...]*int64{Failed: &r.Failed, Rewritten: &r.Rewritten, Linked: &r.Linked, Copied: &r.Copied, Unchanged: &r.Unchanged, Left: &r.Left}
	*counts[f.Outcome]++
}

// A PatternError is what Warn is told of a pattern that matches no file.
type PatternError struct{ Field, Pattern string } // Field is Include or Copy

// Error returns one line.
func (e *PatternError) Error() string {
	return fmt.Sprintf("%s %q matches no file (paths start inside the tree)", e.Field, e.Pattern)
}

// ErrNested says that source and destination are the same tree, or that one is in the
// other.
var ErrNested = errors.New("source and destination are the same, or one is in the other")

// ErrBusy says that another run is writing the tree, perhaps in another process.
var ErrBusy = errors.New("another run is writing this tree")

// ErrChanged says that a file changed while it was read, and so was not written.
var ErrChanged = errors.New("it changed while it was read; run again")

// Rewrite writes the tree src to dst: pages are rewritten, other files are copied or
// linked, and symbolic links are made again. Permissions stay, with POSIX access control
// lists on Linux, and dates to the second.
// What else there is in dst stays, except with Delete. Nothing outside of the two trees is
// read or written, except Record, wherever symbolic links lead. A file appears in dst whole, or not at all.
//
// A file that dst already has is not written again. Rewrite recognizes such a file by
// its modification time, whose fraction of a second encodes the options and the source's
// date, size and permissions. So the next run goes on where a run ended early.
// A linked file is not looked at again.
//
// The error says why the run ended early: ctx has ended, the file system of dst is full, or
// a tree cannot be opened. What is mounted in dst costs no files but its own. The error is
// nil after a whole run, whatever Failed was told. When ctx ends, Rewrite waits at most 5
// seconds for a file system that does not answer; dst stays locked until the answer comes.
func (r *Rewriter) Rewrite(ctx context.Context, dst, src string) (Result, error) {
	return r.run(ctx, dst, src, toDestination)
}

// RewriteInPlace replaces the pages in dir in which something changes. They keep owner,
// group and mode, and on Linux their POSIX access control list. No other file is touched, nor any file that a symbolic link leads to.
// The error is as in [Rewriter.Rewrite].
func (r *Rewriter) RewriteInPlace(ctx context.Context, dir string) (Result, error) {
	return r.run(ctx, "", dir, inPlace)
}

// Look reads all pages and calls all functions as [Rewriter.Rewrite] does, but writes
// nothing.
func (r *Rewriter) Look(ctx context.Context, dir string) (Result, error) {
	return r.run(ctx, "", dir, nowhere)
}

// Validate returns an error if the fields cannot be used. All methods return that
// error too, and do nothing.
func (r *Rewriter) Validate() error {
	if r.URL == nil {
		return errors.New("a tree needs a URL")
	}
	if err := r.HTML.CheckBase(r.URL); err != nil {
		return fmt.Errorf("HTML: %w", err)
	}
	if r.Jobs < 0 {
		return fmt.Errorf("tree.Rewriter: Jobs is %d; it takes 0, which is one for each processor, or more", r.Jobs)
	}
	if r.Delete && r.Record == "" {
		return errors.New("tree.Rewriter: Delete needs a Record of what earlier runs have written")
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
	return checkPatterns(r.Include, r.Exclude, r.Copy)
}

// cause returns err without its operation and file name.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}
