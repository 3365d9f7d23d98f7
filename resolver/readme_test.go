package resolver

import (
	"os"
	"strings"
	"testing"
)

// The table of profiles in README.md is true.
func TestReadmeProfiles(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(readme), "<!-- profiles: this table is a test -->\n")
	if !ok {
		t.Fatal("no table of profiles")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	rows := strings.Split(table, "\n")[2:]
	if len(rows) < 10 {
		t.Errorf("only %d rows", len(rows))
	}
	for _, row := range rows {
		var cells []string
		for _, cell := range strings.Split(strings.Trim(row, "|"), "|") {
			cells = append(cells, strings.Trim(strings.TrimSpace(cell), "`"))
		}
		ref := cells[0]
		if ref == "(empty)" {
			ref = ""
		}
		for i, p := range []Profile{RFC1808, RFC3986, WHATWG} {
			got, err := mustParse(t, "http://a/b/c/d;p?q#f", p).Resolve(ref)
			if got != cells[i+1] || err != nil {
				t.Errorf("%s: %q is %q, %v; README.md says %q", p, ref, got, err, cells[i+1])
			}
		}
	}
}
