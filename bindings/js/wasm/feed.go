//go:build feed && wasip1

package main

import "absolink/rewriter/feed"

// rewriteFeed rewrites a feed, which stands for the document. The result is the rewritten
// feed.
//
//go:wasmexport rewriteFeed
func rewriteFeed(number, url, charset, document, kind uint32) status {
	c, of, outer, err := begin(number, url, charset, document, kind)
	if err != nil {
		return say(err)
	}
	_, err = (&feed.Rewriter{HTML: c.Rewriter, Hold: c.Options().Hold, IgnoreLinks: kind&ofFeed != 0}).Rewrite(&out, of, outer)
	return say(err)
}
