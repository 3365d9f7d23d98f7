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

// Seed returns what makes the Seed for an archive of its name, where rw rewrites the pages: the
// name, and a hash of the settings of rw.
func Seed(rw *rewriter.Rewriter) func(name string) string {
	hash := sha256.Sum256(fmt.Appendf(nil, "%#v", rw.Options()))
	return func(name string) string { return fmt.Sprintf("%s?%x", name, hash) }
}
