// Package dom makes the links in parsed documents of goquery absolute, in place.
//
// Places, base URLs and results are the same as in package rewriter: the tree after
// [Rewrite] is the tree that parsing the rewritten document gives. For trees of
// golang.org/x/net/html without goquery, see [rewriter.Rewriter.RewriteNode].
package dom

import (
	"github.com/PuerkitoBio/goquery"

	"absolink/resolver"
	"absolink/rewriter"
)

// Rewrite makes the references in doc absolute, in place, as rw.Rewrite does in a
// document that it reads; see [rewriter.Rewriter.RewriteNode].
//
// doc.Url is the URL that the document was retrieved from. It is the base URL if the
// document embeds none. Its user and password are left out. If it is nil, no
// retrieval URL is known.
//
// If doc.Url cannot be a base URL, nothing changes, and the error says why. Other
// errors come from RewriteNode.
func Rewrite(doc *goquery.Document, rw *rewriter.Rewriter) (rewriter.Result, error) {
	var outer *resolver.Base
	if doc.Url != nil {
		var err error
		if outer, err = rw.ParseBase(doc.Url.String()); outer == nil {
			return rewriter.Result{}, err
		}
	}
	return rw.RewriteNode(doc.Get(0), outer)
}
