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
// The output is the input with URLs replaced, in attribute values and in the
// texts that are places. Case, white space, quotes, character references, NULs,
// duplicate attributes, broken tags: all of it passes byte for byte, and so does
// a value that does not change.
//
// How the input arrives, in one piece or byte by byte, changes nothing.
// Rewriting what was rewritten changes nothing. A reference that has no
// absolute form stays as it is and ends no run.
//
// Memory is bounded whatever the input: a window of 64 KiB moves over it, and
// only a tag or such a text, up to MaxTag bytes, and what waits for a base, up to
// Hold bytes, is held beyond that. Time is linear in the input's length. All that
// cannot change any more is written before the next read, which may block.
//
// # Encodings
//
// A document is rewritten in its own encoding (HTML Standard §13.2.3.2): that of
// its byte order mark, else of [Source], else of a meta in its first 1024 bytes;
// what it begins with is held until that is known, from the first byte on that
// is not ASCII. Its bytes stay what they are, and what is written is ASCII, but
// for what a reference had already. UTF-16 and ISO-2022-JP are read as UTF-8, and
// what changes is written back. Offsets are those of the input. Decoding
// allocates.
//
// # Contexts
//
// Tags are where browsers see them: not in comments, raw text, script data or
// CDATA sections, each by the rules of the context, HTML, SVG or MathML, that
// it stands in. The content of noscript is rewritten as a fragment of its own.
//
// The text of a style element is raw in HTML, and in SVG markup: character
// references are decoded, CDATA sections are not, and comments and child
// elements are no part of it. A URL in it that is not in one piece stays. On
// request ([JSON], [Comments]) the JSON of import maps and speculation rules is
// rewritten, and what is in conditional comments.
//
// # The embedded base
//
// The first BASE with an href in the HEAD portion counts (RFC 1808, Appendix),
// whether or not the tags of the HEAD are written. It governs the links before
// it too, so output from the first reference that needs a base on is held
// until the HEAD ends or a BASE is found. A BASE whose own href is relative is resolved
// against the outer base and written absolute.
//
// # Parsed documents
//
// RewriteNode makes a tree of x/net/html absolute in place, and package dom a
// document of goquery. The tree is then the one that parsing the rewritten
// document gives, wherever the parser sees the tags that browsers see. Of what a
// tree does not tell the spelling differs: a C1 control that was a character
// reference, or in raw text another character of BASE that was one, and a NUL in
// noscript or a style sheet.
package rewriter
