package resolver

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

type urlTest struct {
	Input   string
	Base    *string
	Href    string
	Failure bool
}

// urlTests reads urltestdata.json of the web-platform-tests, a copy of which is in the
// module of the parser that the WHATWG profile uses.
func urlTests(t *testing.T) []urlTest {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/nlnwa/whatwg-url").Output()
	dir := strings.TrimSpace(string(out))
	if err != nil || dir == "" {
		t.Fatalf("go list does not find the module with urltestdata.json: %v", err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "testdata", "urltestdata.json"))
	if err != nil {
		t.Fatal(err)
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		t.Fatal(err)
	}
	var tests []urlTest
	for _, m := range raw {
		var tt urlTest
		if json.Unmarshal(m, &tt) == nil { // the rest are comments
			tests = append(tests, tt)
		}
	}
	return tests
}

func (tt urlTest) key() string {
	base := "null"
	if tt.Base != nil {
		base = fmt.Sprintf("%q", *tt.Base)
	}
	return fmt.Sprintf("%q %s", tt.Input, base)
}

// run returns what is wrong with the result of a test, or "".
func (tt urlTest) run() string {
	got, err := resolveWHATWG(tt.Input, tt.Base)
	switch {
	case tt.Failure && err == nil:
		return fmt.Sprintf("got %q, want failure", got)
	case !tt.Failure && (err != nil || got != tt.Href):
		return fmt.Sprintf("got %q, %v; want %q", got, err, tt.Href)
	}
	return ""
}

func resolveWHATWG(input string, base *string) (string, error) {
	if base == nil {
		b, err := ParseBase(input, WHATWG)
		return b.String(), err
	}
	b, err := ParseBase(*base, WHATWG)
	if err != nil {
		return "", err
	}
	return b.Resolve(input)
}

// All of urltestdata.json passes, except for the cases that fail upstream. Those are
// listed in testdata/rfc/whatwg_known_failures.txt. The list can only become shorter:
// a listed case that passes fails this test too.
func TestURLTestData(t *testing.T) {
	data, err := os.ReadFile("../testdata/rfc/whatwg_known_failures.txt")
	if err != nil {
		t.Fatal(err)
	}
	var known []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && !strings.HasPrefix(line, "# ") {
			known = append(known, line)
		}
	}
	tests := urlTests(t)
	if len(tests) != 820 {
		t.Errorf("%d cases, want 820", len(tests))
	}
	seen := make(map[string]bool)
	for _, tt := range tests {
		wrong, listed := tt.run(), slices.Contains(known, tt.key())
		seen[tt.key()] = true
		switch {
		case wrong != "" && !listed:
			t.Errorf("%s: %s", tt.key(), wrong)
		case wrong == "" && listed:
			t.Errorf("%s passes: take it off the list", tt.key())
		}
	}
	for _, k := range known {
		if !seen[k] {
			t.Errorf("%s is listed, and no case", k)
		}
	}
}

// Goroutines share a Base: under -race this finds a parser that writes to it.
func TestWHATWGShared(t *testing.T) {
	base := mustParse(t, "http://h/a/b?q", WHATWG)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { checkResolve(t, base, "../g", "http://h/g") })
	}
	wg.Wait()
}
