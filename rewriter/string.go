package rewriter

import (
	"strings"

	"absolink/resolver"
)

// String returns an HTML document with its references made absolute by RFC 1808 and the
// default rules. pageURL is the URL from which the document was retrieved, or "" for a
// document that names its own base. For other rules and options, and for documents that
// are not in memory, use a [Rewriter].
//
// An error says that pageURL cannot be a base URL. The result is then html as it is.
func String(html, pageURL string) (string, error) {
	var rw Rewriter
	var outer *resolver.Base
	if pageURL != "" {
		var err error
		if outer, err = rw.ParseBase(pageURL); outer == nil {
			return html, err
		}
	}
	var b strings.Builder
	b.Grow(len(html) + len(html)/8)
	if _, err := rw.Rewrite(&b, strings.NewReader(html), outer); err != nil {
		return html, err
	}
	return b.String(), nil
}
