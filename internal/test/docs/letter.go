package docs

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A Saying is something that RFC 1808 says, and how it is asserted.
type Saying struct {
	Section, Says string
	Kind          string // which test asserts it
	Given, On     string
	Letter        string // the result, by the letter
	Got           string // the result here, if it differs
	Reason, Where string // why it differs, and the page of docs with the sentence that says so
}

// Want is the result here.
func (s Saying) Want() string { return cmp.Or(s.Got, s.Letter) }

// SayingKinds are the kinds of sayings. Each has a test, next to the code that it is about.
var SayingKinds = []string{"split", "resolve", "base", "unwrap", "html", "mail", "name", "http"}

// Sayings returns the sayings of some kinds in testdata/rfc/rfc1808.tsv. In Given, \n is a line
// end. Every saying that absolink differs from has its reason, and its sentence in docs.
func Sayings(t testing.TB, kinds ...string) (sayings []Saying) {
	t.Helper()
	root := Root(t)
	table, err := os.ReadFile(filepath.Join(root, "testdata/rfc/rfc1808.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(table)) {
		if strings.HasPrefix(line, "# ") {
			continue
		}
		c := append(strings.Split(strings.TrimSuffix(line, "\n"), "\t"), make([]string, 9)...)
		s := Saying{c[0], c[1], c[2], strings.ReplaceAll(c[3], `\n`, "\n"), c[4], c[5], c[6], c[7], c[8]}
		if !slices.Contains(SayingKinds, s.Kind) || s.Section == "" || s.Says == "" {
			t.Errorf("not a saying: %q", line)
		}
		if s.Got != "" {
			page, sentence, _ := strings.Cut(s.Where, ": ")
			text, err := os.ReadFile(filepath.Join(root, "docs", page))
			if err != nil || s.Got == s.Letter || s.Reason == "" || sentence == "" || !strings.Contains(string(text), sentence) {
				t.Errorf("§%s, %s: no reason, or docs/%s does not say %q: %v", s.Section, s.Says, page, sentence, err)
			}
		}
		if slices.Contains(kinds, s.Kind) {
			sayings = append(sayings, s)
		}
	}
	for _, kind := range kinds {
		if !slices.ContainsFunc(sayings, func(s Saying) bool { return s.Kind == kind }) {
			t.Errorf("no saying is of the kind %s", kind)
		}
	}
	return sayings
}
