// Package resolver brings references to their absolute form, as RFC 1808,
// "Relative Uniform Resource Locators", defines it, or one of the two standards
// that came after it.
//
// A reference is a URL as it is written in a document, such as ../g or
// http://h/. A base URL is the absolute URL that references are resolved
// against. [ParseBase] parses a base URL once; [Base.Resolve] and
// [Base.AppendResolve] then resolve any number of references. [Base.Explain]
// returns the steps of a resolution, and [Split] the six components of a
// reference.
//
// A [Profile] names the standard to resolve by. RFC1808, the zero value, follows
// RFC 1808 to the letter. RFC3986 does what later generic parsers do, and WHATWG
// what today's browsers do. This is where they differ:
//
//	reference      RFC1808           RFC3986         WHATWG           on http://a/b/c/d;p?q
//	../../../g     http://a/../g     http://a/g      http://a/g
//	;x             http://a/b/c/d;x  http://a/b/c/;x http://a/b/c/;x
//	http:g         http:g            http:g          http://a/b/c/g
//	?              …/d;p?q           …/d;p?          …/d;p?
//
// Nothing in this package reads, writes or starts a goroutine. A Base may be used
// from any number of goroutines at a time.
//
// In all releases 0.1.x, the exported names keep their types and meaning, and a reference has
// the same absolute form on the same base, except for corrections. CHANGELOG.md of the module
// names these, and says what may change.
package resolver
