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

// The table of what differs from the letter in docs/profiles.md is true.
func TestDocsLetter(t *testing.T) {
	for _, row := range docs.Table(t, "letter") {
		for i := range row[:4] {
			row[i] = strings.Trim(row[i], "`")
		}
		ref, base, letter, want := row[0], row[1], row[2], row[3]
		if got := resolveLetter(base, ref).String(); got != letter || letter == want {
			t.Errorf("%q: the letter is %s", row, got)
		}
		checkResolve(t, mustParse(t, base, RFC1808), ref, want)
	}
}

// The table of bases that are refused in docs/bases.md is true.
func TestDocsRefused(t *testing.T) {
	for _, row := range docs.Table(t, "refused") {
		for url := range strings.SplitSeq(row[0], ", ") {
			url = strings.Trim(url, "`")
			for p, want := range map[Profile]string{RFC1808: "refused", RFC3986: row[2], WHATWG: row[3]} {
				b, err := ParseBase(url, p)
				got := "taken"
				switch {
				case err != nil:
					got = "refused"
				case b.IsOpaque():
					got = "opaque"
				}
				if got != want {
					t.Errorf("%s: %s is %s, the table says %s: %v", p, url, got, want, err)
				}
			}
		}
	}
}
