// Package doors has one test for every door. A door is a way for a document in and out: a
// function, a handler, an endpoint, a mode of the command, a function in another language.
//
// A door is a row of 3 to 8 lines, a [Door]. [Check] checks every promise on every row, with
// the same documents, the same options and the same faults, and prints the table: which
// promises hold at which doors, which are about the row itself, and each exception with its
// reason.
package doors

import (
	"context"
	"io"
	"slices"

	"absolink/resolver"
	"absolink/rewriter"
)

// A Door is a way for a document in and out. Exactly one of Run, Push and Pull is set. They
// differ in who waits for whom: the caller waits for the document, or hands over pieces of
// it, or asks for pieces.
type Door struct {
	Name string
	Of   []string // what the row stands for: functions such as "web.Rewriter.Handler", endpoints

	Run  func(*Pass) error
	Push func(p *Pass, feed func(io.Writer) error) error
	Pull func(*Pass) io.Reader

	Wrap    func(doc []byte, based bool) []byte // the container of a document, which has Base as its base if based; nil is no container
	Seen    func(out []byte) []byte             // the document in what comes out; nil is all
	Form    func(doc []byte) []byte             // a document in the form in which the door writes documents; nil is its bytes
	Takes   func(doc []byte) bool               // which documents the container can hold; nil is all
	Coded   bool                                // the same document can come out in several forms: Seen tells whether it is the same
	Docs    []string                            // what goes through instead of Documents
	Want    func(*Pass) []byte                  // what Seen returns, in the place of what Rewrite writes of Src
	Leads   func(out []byte, url string) bool   // whether a link of the document leads to a URL in what comes out; nil looks for the URL in what Seen returns
	Used    func() int64                        // how much memory is in use; nil is the heap of this process
	Most    int64                               // how much memory the door takes, in bytes; 0 is 3 MiB
	Slow    bool                                // by default a third of the documents goes through, as with the race detector through every door
	Charset string                              // what the transport, or the container, says of documents; "" is nothing
	Page    string                              // what the document of the promise "memory" begins with; "" is <body>

	// Opaque says why an error of the door does not show what failed. Where Opaque is "", the
	// error is a *rewriter.Error with its Op, and errors.Is finds the fault.
	Opaque string

	NoDst bool // Dst may be nil: the Result is the same then

	Row []Promise  // the promises that are about what the row itself does: the door could not break them, so they are not checked
	Not Exceptions // the promises that cannot hold at the door, and why
}

// A Pass is a document on its way through a door.
type Pass struct {
	Ctx    context.Context
	HTML   *rewriter.Rewriter // the options, and the functions that the door may call
	Dst    io.Writer
	Src    io.Reader // not for Push
	Outer  *resolver.Base
	Result *rewriter.Result // set by the door: what it says it has done; before that nil where nobody asks
	Pieces int              // how long the pieces are that the caller hands over or asks for; 0 is 100 bytes
}

// Base is the base URL of documents: their outer base, or the one in their container.
const Base = "http://h/d/p.html"

// A Promise is what holds at every door.
type Promise string

// The promises, in the order in which they are checked.
const (
	Same       Promise = "same"        // the bytes are those that Rewriter.Rewrite writes
	Location   Promise = "location"    // wherever what is rewritten is, its links lead where Visit was shown that they lead
	Told       Promise = "told"        // the places and the warnings are the same, too
	Counts     Promise = "counts"      // and the counts of the Result
	Stays      Promise = "stays"       // without a base nothing changes, of the container neither
	Kept       Promise = "kept"        // where Visit keeps every value, nothing changes
	Chunks     Promise = "chunks"      // how the input arrives changes nothing
	Zeros      Promise = "zeros"       // reads that give nothing now and then change nothing
	NoProgress Promise = "no progress" // a source that gives nothing for ever is an error
	Twice      Promise = "twice"       // rewriting what is rewritten changes nothing
	Structure  Promise = "structure"   // quotes, backquotes and brackets stay, and no white space is added
	Hostile    Promise = "hostile"     // whatever Visit returns, too
	Read       Promise = "read"        // a failing source is an error, and the output a prefix
	Write      Promise = "write"       // a failing destination is an error, and gets nothing more
	ShortWrite Promise = "short write" // so is one that takes less than it is given
	Where      Promise = "where"       // the error of a fault says at which byte it is
	Visit      Promise = "visit"       // an error of Visit ends the run, and what follows is not written
	Panic      Promise = "panic"       // so does a panic, however the caller goes on; the Rewriter works afterwards
	Cancel     Promise = "cancel"      // after the end of its context, a door ends with an error
	LateBase   Promise = "late base"   // a BASE just below Hold counts, and one beyond Hold is told of
	Memory     Promise = "memory"      // memory is constant in the length of the input
)

// Promises that a row has in its Row.
var (
	Reads  = []Promise{Chunks, Zeros, NoProgress, Read}     // the row reads all of the document before the door gets it
	Writes = []Promise{Write, ShortWrite}                   // the row writes what the door has returned
	Whole  = slices.Concat(Reads, Writes, []Promise{Where}) // it does both, so that the door does not know of bytes
)

// NoLeaks holds wherever another promise is checked: no goroutine, temporary file or open
// file is left.
const NoLeaks = "leaks"

var checks = []struct {
	promise Promise
	check   func(*checking)
}{
	{Same, (*checking).same}, {Location, (*checking).location}, {Told, (*checking).told}, {Counts, (*checking).counts}, {Stays, (*checking).stays},
	{Kept, (*checking).kept}, {Chunks, (*checking).chunks}, {Zeros, (*checking).zeros}, {NoProgress, (*checking).noProgress},
	{Twice, (*checking).twice}, {Structure, (*checking).structure}, {Hostile, (*checking).hostile}, {Read, (*checking).readFails},
	{Write, (*checking).writeFails}, {ShortWrite, (*checking).shortWrite}, {Where, (*checking).where}, {Visit, (*checking).visitFails}, {Panic, (*checking).panics},
	{Cancel, (*checking).cancels}, {LateBase, (*checking).lateBase}, {Memory, (*checking).memory},
}
