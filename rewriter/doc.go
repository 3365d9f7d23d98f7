// Package rewriter makes every URL in an HTML document absolute and changes
// nothing else.
//
// A place is where a URL is written in a document; a [Rule] says which places
// there are. What is written there is a reference. Package resolver makes it
// absolute, on the base URL of the document. By RFC 1808 §3 that is the URL which
// the document embeds, otherwise the outer base, which the caller gives. Without
// either, relative references stay as they are.
//
// # What holds
//
// The output is the input with URLs replaced, in the values of attributes and in
// the text of style elements and other places. Everything else is copied byte for
// byte: case, white space, quotes, character references, NULs, duplicate
// attributes, broken tags, and every value that does not change.
//
// The quotes (", ' and the backquote), "<" and ">" of a document are the same bytes in the
// same order before and after, and no white space is added. So whoever reads the document,
// with or without scripts, in whatever context, finds the tags, values and rules end where
// they ended. What a base or Visit brings of these bytes is written as a character
// reference, or as an escape of CSS or JSON. What a reference has of them stays as it is
// written, with everything after it: in a'/../b, only what comes before the quote is
// replaced. A value without quotes gets none; where an absolute URL cannot be written so
// ([ErrStructure]), the value stays. For documents in UTF-16, all this holds for their
// characters.
//
// How the input arrives, in one piece or byte by byte, makes no difference. To
// rewrite a rewritten document changes nothing. A reference that has no absolute
// form stays as it is, and the run goes on.
//
// Memory is bounded whatever the input: a window of 64 KiB moves over it. Beyond
// that, only a tag or the text of a place is held, up to MaxTag bytes, and what
// waits for a base, up to Hold bytes. Time is linear in the length of the input.
// Before the next read, which may block, all output that cannot change any more
// is written.
//
// # Encodings
//
// A document is rewritten in its own encoding (HTML Standard §13.2.3.2). The first
// of these that is there names it: the byte order mark, the Charset of [Source], a
// meta in the first 1024 bytes. Until the encoding is known, the document is held
// from its first byte that is not ASCII. Bytes outside of references stay. In a
// reference, only ASCII and the characters that it had are written. UTF-16 and
// ISO-2022-JP are read as UTF-8, and values that change are encoded again; this
// decoding allocates. Offsets count bytes of the input.
//
// # Contexts
//
// Tags are found where browsers find them, by the rules of HTML, SVG or MathML:
// not in comments, raw text, script data or CDATA sections. The content of
// noscript is rewritten as a fragment of its own.
//
// In HTML, the text of a style element is raw. In SVG it is markup, and is read if it is text
// alone, or one CDATA section. Otherwise, or if another tag ends the element, it stays as it
// is, and Warn is told. On request
// ([JSON], [Modules], [Comments], [AllComments]), import maps, speculation rules, the
// specifiers in module scripts and the markup in comments are rewritten too. A style sheet
// that stands alone is a document too ([Source]). With [Links] in place of [HTML], only what
// people follow is rewritten.
//
// # The embedded base
//
// The first BASE with an href in the HEAD portion counts (RFC 1808, Appendix),
// whether or not the tags of the HEAD are written. It counts also for the links
// before it. So from the first reference that needs a base, output is held until
// there is a BASE or the HEAD ends. If the href of the BASE is relative, it is
// resolved against the outer base and written absolute.
//
// # Containers
//
// Documents also come in containers: messages, feeds, archives, trees of files. The packages
// mail, feed, web, tree and warc hand them to a Rewriter one by one. Package container says
// how to write another such adapter. A reference in the container itself, outside of its
// documents, is for [Rewriter.Reference].
//
// # Parsed documents
//
// [Rewriter.RewriteNode] makes the links in a tree of x/net/html absolute, in
// place; package dom does so for goquery. The tree is then the one that parsing the
// rewritten document gives, provided that the parser finds the tags that browsers
// find. A few spellings may differ, because a tree does not record them: whether
// a C1 control, or a character that raw text inherits from BASE, was a character
// reference; a NUL in noscript or a style sheet; and a slash after an attribute without a
// value, as in <a href/>.
//
// # Versions
//
// In all releases 0.1.x, the exported names keep their types and meaning, and the same
// document with the same base and options becomes the same bytes, except for corrections.
// CHANGELOG.md of the module names these, and says what may change.
package rewriter
