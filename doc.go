// Package absolink is the root of a module that makes every link in an HTML document
// absolute, and changes nothing else. It holds no code. This is where to begin:
//
//   - [absolink/rewriter] rewrites HTML documents as they stream, byte for byte. Most
//     programs need only its [absolink/rewriter.Rewriter], whose zero value is ready to
//     use.
//   - [absolink/resolver] resolves references to absolute URLs, as RFC 1808 has it or
//     as one of its successors. Every other package builds on it.
//
// A document may come in something else. There is a package for each such container,
// which finds the documents in it and the base URL of each:
//
//   - [absolink/rewriter/mail]: messages, MHTML and mbox files;
//   - [absolink/rewriter/feed]: RSS and Atom;
//   - [absolink/rewriter/web]: HTTP responses, in a client, a proxy or a handler;
//   - [absolink/rewriter/tree]: directories of files, such as a static site;
//   - [absolink/rewriter/warc]: web archives;
//   - [absolink/rewriter/dom]: documents that goquery has parsed.
//
// # Example
//
// A page from http://example.org/docs/guide.html, as a filter:
//
//	base, err := resolver.ParseBase("http://example.org/docs/guide.html", resolver.RFC1808)
//	if err != nil {
//		return err
//	}
//	_, err = new(rewriter.Rewriter).Rewrite(os.Stdout, os.Stdin, base)
//
// # Command
//
// The command absolink does all of this from a shell. To install it from a clone of
// the repository, run go install ./cmd/absolink; absolink --help has the rest, and
// README.md has recipes.
//
// # Versions
//
// In all releases 0.1.x, exported names keep their types and meaning, and the same document
// with the same base and options becomes the same bytes, except for corrections. CHANGELOG.md
// names these, what else stays, and what may change.
package absolink
