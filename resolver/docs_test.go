package resolver

import (
	"strings"
	"testing"

	"absolink/internal/test/docs"
)

// The table in docs/profiles.md is true.
func TestDocsProfiles(t *testing.T) {
	for _, row := range docs.Table(t, "profiles") {
		ref := strings.Trim(row[0], "`")
		if ref == "(empty)" {
			ref = ""
		}
		for i, p := range []Profile{RFC1808, RFC3986, WHATWG} {
			want := strings.Trim(row[i+1], "`")
			got, err := mustParse(t, "http://a/b/c/d;p?q#f", p).Resolve(ref)
			if got != want || err != nil {
				t.Errorf("%s: %q is %q, %v; the table says %q", p, ref, got, err, want)
			}
		}
	}
}
