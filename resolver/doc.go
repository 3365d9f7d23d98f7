// Package resolver brings references to their absolute form: RFC 1808,
// "Relative Uniform Resource Locators", and the two standards that came after
// it.
//
// A reference is what is written in a document. A base URL is what it is
// resolved against; [ParseBase] parses it once, and [Base.Resolve] and
// [Base.AppendResolve] use it for any number of references. [Split] gives the
// six components of RFC 1808 §2.4, [Base.Explain] the steps of §4 that a
// resolution took.
//
// The [Profile] says by which standard. RFC1808, the zero value, follows that
// text to the letter; RFC3986 and WHATWG are there for those who need what
// later generic parsers, or today's browsers, do.
//
//	reference      RFC1808           RFC3986         WHATWG           on http://a/b/c/d;p?q
//	../../../g     http://a/../g     http://a/g      http://a/g
//	;x             http://a/b/c/d;x  http://a/b/c/;x http://a/b/c/;x
//	http:g         http:g            http:g          http://a/b/c/g
//	?              …/d;p?q           …/d;p?          …/d;p?
//
// Nothing in this package reads, writes, starts a goroutine or keeps state
// between calls; a Base may be used from any number of goroutines.
package resolver
