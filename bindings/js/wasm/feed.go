//go:build feed && wasip1

package main

import (
	"bytes"

	"absolink/rewriter"
	"absolink/rewriter/feed"
)

// rewriteFeed rewrites a feed. In the room are its URL, the charset that its transport
// says, and the feed. The result is the rewritten feed.
//
//go:wasmexport rewriteFeed
func rewriteFeed(number, url, charset, document uint32) status {
	clear()
	c, rest := rewriters[number], in
	outer, err := c.base(cut(&rest, url))
	if err != nil {
		return say(err)
	}
	of := rewriter.Source{Charset: string(cut(&rest, charset))}
	of.Reader = bytes.NewReader(cut(&rest, document))
	_, err = (&feed.Rewriter{HTML: &c.Rewriter}).Rewrite(&out, of, outer)
	return say(err)
}
