// Package conversion has what makes a converted archive the same file, whichever program
// writes it.
package conversion

import (
	"crypto/sha256"
	"fmt"

	"absolink/rewriter"
)

// Software is the program that a warcinfo record names if the same archive has to give
// the same bytes. It has no version: programs of several modules write such records.
const Software = "absolink"

// Seed returns the Seed for an archive with a name, whose pages rw rewrites: the name, and
// a hash of the settings of rw.
func Seed(name string, rw *rewriter.Rewriter) string {
	return fmt.Sprintf("%s?%x", name, sha256.Sum256(fmt.Appendf(nil, "%#v", rw.Options())))
}
