package rewriter

// A Result says what a run did.
type Result struct {
	Base       Base // the base URL against which references were resolved
	Overridden Base // the base URL of an outer layer that Base overrides

	// How many places there were, by what became of them. The places under Left are
	// relative or empty, and stay: no base is known, they mean the same whatever the base
	// is, or Keep or Visit kept them.
	Rewritten, Absolute, Left, Unresolvable int

	Removed int // how many BASE elements had their URL removed

	Warnings int // how often Warn was told, or would have been
}

// Add adds the counts of another run, such as that over another document in a container.
func (r *Result) Add(other Result) {
	r.Rewritten += other.Rewritten
	r.Absolute += other.Absolute
	r.Left += other.Left
	r.Unresolvable += other.Unresolvable
	r.Removed += other.Removed
	r.Warnings += other.Warnings
}

// A Document is an HTML document in a container: a part of a message, an entry
// of a feed, a record of an archive.
type Document struct {
	Name       string // its name in the container: a file name, a URL, the id of a record; "" if the offset says enough
	Offset     int64  // of its first byte, in the container; -1 if the container is not one sequence of bytes
	Outer      Base   // the base URL that the container gives it
	Overridden Base   // the base URL of the container that Outer overrides

	Result Result // of rewriting it, when that is done
}
