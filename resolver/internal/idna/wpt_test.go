package idna

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables from the web-platform-tests")

// The table of facts, and the file of the web-platform-tests that it is from. Of the 2,671
// cases there, the empty domain is not in the table.
const (
	tableDir    = "../../../testdata/url/"
	tableFile   = tableDir + "idna.txt"
	tableSource = "IdnaTestV2.json"
	tableCases  = 2670
)

// A fact is a case of the table. A line has the input; the result, "=" if that is the
// input, or "!" for failure; and "forbidden" where the check for forbidden domain code
// points, which follows in the caller, makes it a failure. Both texts are quoted
// as Go does, without the quotation marks.
type fact struct {
	input, output string
	ok, forbidden bool
}

func (f fact) String() string {
	quote := func(s string) string { return strings.Trim(strconv.QuoteToASCII(s), `"`) }
	output := quote(f.output)
	switch {
	case !f.ok:
		output = "!"
	case f.output == f.input:
		output = "="
	}
	line := quote(f.input) + "\t" + output
	if f.forbidden {
		line += "\tforbidden"
	}
	return line + "\n"
}

func readFacts(t *testing.T) []fact {
	t.Helper()
	data, err := os.ReadFile(tableFile)
	if err != nil {
		t.Fatal(err)
	}
	var facts []fact
	for line := range strings.Lines(string(data)) {
		input, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		output, comment, _ := strings.Cut(rest, "\t")
		f := fact{input: unquote(t, input), ok: output != "!", forbidden: comment == "forbidden"}
		if f.ok {
			f.output = unquote(t, output)
		}
		if output == "=" {
			f.output = f.input
		}
		facts = append(facts, f)
	}
	return facts
}

func unquote(t *testing.T, s string) string {
	t.Helper()
	s, err := strconv.Unquote(`"` + s + `"`)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return s
}

// The forbidden domain code points of the URL Standard §3.2 in lower-case ASCII.
func hasForbidden(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r == 0x7F || strings.ContainsRune("#/:<>?@[\\]^|%", r)
	})
}

func TestFacts(t *testing.T) {
	facts := readFacts(t)
	if len(facts) != tableCases {
		t.Errorf("%d cases, not %d", len(facts), tableCases)
	}
	for _, f := range facts {
		got, ok := AppendASCII(nil, []byte(f.input))
		switch {
		case f.forbidden && (f.ok || !ok || !hasForbidden(string(got))):
			t.Errorf("%+q: %q, %t, want a forbidden code point", f.input, got, ok)
		case !f.forbidden && (ok != f.ok || string(got) != f.output):
			t.Errorf("%+q: %q, %t, want %q, %t", f.input, got, ok, f.output, f.ok)
		}
	}
}

// The table must be the same as in the web-platform-tests, where these are at hand: in
// the folder that the environment variable WPT_URL names, or in ../shared/wpt beside the
// repository.
func TestFactsAreCurrent(t *testing.T) {
	dir := os.Getenv("WPT_URL")
	if dir == "" {
		dir = "../../../../shared/wpt"
		if _, err := os.Stat(dir); err != nil {
			t.Skip("no web-platform-tests: WPT_URL does not name the folder url/resources")
		}
	}
	var b strings.Builder
	for _, f := range sourceFacts(t, filepath.Join(dir, tableSource)) {
		b.WriteString(f.String())
	}
	if *update {
		if err := os.WriteFile(tableFile, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(tableFile)
	if err != nil || string(data) != b.String() {
		t.Errorf("%s is not %s: go test -run %s -update writes it anew (%v)", tableFile, tableSource, t.Name(), err)
	}
}

func sourceFacts(t *testing.T, name string) []fact {
	t.Helper()
	data, err := os.ReadFile(name)
	var rows []json.RawMessage
	if err == nil {
		err = json.Unmarshal(data, &rows)
	}
	if err != nil {
		t.Fatal(err)
	}
	var facts []fact
	for _, row := range rows {
		var c struct {
			Input           string
			Output          *string
			URLStandardOnly bool
		}
		if row[0] == '"' {
			continue // a comment
		}
		if err := json.Unmarshal(row, &c); err != nil {
			t.Fatal(fmt.Errorf("%s: %w", row, err))
		}
		if c.Input == "" {
			continue // the tests' runner skips it, as no URL has it
		}
		f := fact{input: c.Input, ok: c.Output != nil}
		if f.ok {
			f.output = *c.Output
		}
		f.forbidden = !f.ok && (c.URLStandardOnly || isASCII([]byte(f.input)) && hasForbidden(f.input))
		facts = append(facts, f)
	}
	return facts
}
