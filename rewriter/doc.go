// Package rewriter makes every URL in an HTML document absolute and changes
// nothing else.
//
// A place is where a URL is written in a document; a [Rule] says which places
// there are. What is written there is a reference; package resolver brings it
// to its absolute form, on the base URL of the document. That base is, as RFC
// 1808 §3 has it, the one embedded in the document, else the caller's outer
// base, else none, and then relative references stay as they are.
//
// # What holds
//
// The output is the input with attribute values replaced. Case, white space,
// quotes, character references, NULs, duplicate attributes, broken tags: all
// of it passes byte for byte, and so does a value that does not change.
//
// How the input arrives, in one piece or byte by byte, changes nothing.
// Rewriting what was rewritten changes nothing. A reference that has no
// absolute form stays as it is and ends no run.
//
// Memory is bounded whatever the input: a window of 64 KiB moves over it, and
// only a tag, up to MaxTag bytes, and what waits for a base, up to Hold bytes,
// is held beyond that. Time is linear in the input's length. All that cannot
// change any more is written before the next read, which may block.
//
// # Contexts
//
// Tags are where browsers see them: not in comments, raw text, script data or
// CDATA sections, each by the rules of the context, HTML, SVG or MathML, that
// it stands in. The content of noscript is rewritten as a fragment of its own.
//
// # The embedded base
//
// The first BASE with an href in the HEAD portion counts (RFC 1808, Appendix),
// whether or not the tags of the HEAD are written. It governs the links before
// it too, so output from the first reference that needs a base on is held
// until the HEAD ends or a BASE is found. A BASE whose own href is relative is resolved
// against the outer base and written absolute.
package rewriter
