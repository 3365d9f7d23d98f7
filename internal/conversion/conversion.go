// Package conversion has what makes a converted archive the same file, whichever program
// writes it.
package conversion

import (
	"cmp"
	"crypto/sha256"
	"fmt"

	"absolink/rewriter"
)

// Software is the program that a warcinfo record names if the same archive has to give
// the same bytes. It has no version: programs of several modules write such records.
const Software = "absolink"

// Seed returns the Seed for an archive with a name, whose pages rw rewrites: the name, and
// the fields of rw on which the rewritten pages depend.
func Seed(name string, rw *rewriter.Rewriter) string {
	rules := rw.Rules
	if rules == nil {
		rules = rewriter.HTML()
	}
	type fields rewriter.Rule // without the method String, which leaves some of them out
	all := make([]fields, len(rules))
	for i, r := range rules {
		all[i] = fields(r)
	}
	options := fmt.Sprintf("%s %#v %t %t %t %t %t %d %d", rw.Profile, all, rw.KeepFragments, rw.RemoveBase, rw.WholeDocument,
		rw.IgnoreSaved, rw.Canonical, cmp.Or(rw.Hold, 16<<20), cmp.Or(rw.MaxTag, 1<<20))
	return fmt.Sprintf("%s?%x", name, sha256.Sum256([]byte(options)))
}
