// Package dom makes parsed documents of goquery absolute in place, with the
// table, the base and the results of package rewriter. Parsing a rewritten
// document gives the tree that rewriting the parsed document gives.
package dom

import (
	"github.com/PuerkitoBio/goquery"

	"absolink/resolver"
	"absolink/rewriter"
)

// Rewrite makes the references in doc absolute, in place, as rw does with a
// document that it reads; see [rewriter.Rewriter.RewriteNode]. doc.Url is the
// retrieval URL: the base where the document embeds none. If that is nil, none
// is known. Its user and password are left out.
//
// An error says that doc.Url cannot be a base URL, and nothing is changed; or it
// is one of RewriteNode.
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
