package resolver

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/url from a copy of web-platform-tests next to the repository")

// A urlTable is a file of testdata/url and the file of the web-platform-tests whose facts
// it has. A row is quoted as Go does; none is the absence of a base, or a failure.
type urlTable struct {
	name, source string
	rows         int
	fields       []string // of a case in the source, the column of a row
	check        func(row []string) error
}

const none = "-"

var urlTables = []urlTable{
	{"urltestdata.tsv", "urltestdata.json", 891, []string{"input", "base", "href"}, checkURL},
	{"toascii.tsv", "toascii.json", 87, []string{"input", "output"}, checkToASCII},
	{"percent-encoding.tsv", "percent-encoding.json", 7, []string{"input", "utf-8"}, checkPercentEncoding},
}

// checkURL checks a row of urltestdata.tsv: input, base, URL.
func checkURL(row []string) error {
	got, err := resolveWHATWG(row[0], row[1])
	return sameURL(got, err, row[2])
}

func resolveWHATWG(input, base string) (string, error) {
	if base == none {
		b, err := ParseBase(input, WHATWG)
		return b.String(), err
	}
	b, err := ParseBase(base, WHATWG)
	if err != nil {
		return "", fmt.Errorf("the base fails: %v", err) // no case has such a base
	}
	return b.Resolve(input)
}

func sameURL(got string, err error, want string) error {
	var e *Error
	switch {
	case err != nil && !errors.As(err, &e):
		return err
	case err != nil && want != none:
		return fmt.Errorf("fails with %v, want %q", err, want)
	case err == nil && got != want:
		return fmt.Errorf("is %q, want %q", got, want)
	}
	return nil
}

// checkToASCII checks a row of toascii.tsv: domain, domain in ASCII.
func checkToASCII(row []string) error {
	want := row[1]
	if want != none {
		want = "https://" + want + "/x"
	}
	got, err := resolveWHATWG("https://"+row[0]+"/x", none)
	return sameURL(got, err, want)
}

// checkPercentEncoding checks a row of percent-encoding.tsv: query and fragment, encoded.
func checkPercentEncoding(row []string) error {
	got, err := resolveWHATWG("https://h/?"+row[0]+"#"+row[0], none)
	return sameURL(got, err, "https://h/?"+row[1]+"#"+row[1])
}

// readRows reads a file of rows of quoted cells, without its comments.
func readRows(t *testing.T, file string) (rows [][]string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "# ") {
			continue
		}
		var row []string
		for cell := range strings.SplitSeq(strings.TrimSuffix(line, "\n"), "\t") {
			if cell != none {
				if cell, err = strconv.Unquote(cell); err != nil {
					t.Fatalf("%s: %q: %v", file, line, err)
				}
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return rows
}

// All of the web-platform-tests pass, except for the cases in known_failures.tsv: name
// of the table, the row up to its result, reason. A listed case that passes fails this
// test too.
func TestWebPlatform(t *testing.T) {
	known := map[string]bool{}
	for _, row := range readRows(t, "../testdata/url/known_failures.tsv") {
		known[caseName(row[0], row[1:])] = true
	}
	for _, table := range urlTables {
		rows := readRows(t, "../testdata/url/"+table.name)
		if len(rows) != table.rows {
			t.Errorf("%s has %d rows, want %d", table.name, len(rows), table.rows)
		}
		for _, row := range rows {
			name := caseName(table.name, row)
			err := table.check(row)
			switch {
			case err != nil && !known[name]:
				t.Errorf("%s %v", name, err)
			case err == nil && known[name]:
				t.Errorf("%s passes: take it off the list", name)
			}
			delete(known, name)
		}
	}
	for name := range known {
		t.Errorf("known_failures.tsv has %s, which is not a case", name)
	}
}

// caseName is a row of a table without its last cell.
func caseName(table string, row []string) string {
	return fmt.Sprintf("%s: %q", table, row[:len(row)-1])
}

// testdata/url has the facts of the web-platform-tests, whose copy may be next to the
// repository. With -update, the tables are written from there.
func TestWebPlatformIsCurrent(t *testing.T) {
	const dir = "../../shared/wpt"
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		t.Skip("no copy of the web-platform-tests in ../shared/wpt")
	}
	for _, table := range urlTables {
		want := table.generate(t, dir)
		file := "../testdata/url/" + table.name
		if *update {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil || string(got) != want {
			t.Errorf("%s is not current (%v); write it with -update", table.name, err)
		}
	}
}

// generate returns the file of a table.
func (u urlTable) generate(t *testing.T, dir string) string {
	data, err := os.ReadFile(dir + "/" + u.source)
	if err != nil {
		t.Fatal(err)
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "# From url/resources/%s of web-platform-tests, 3-clause BSD licence: %s.\n", u.source, strings.Join(u.fields, ", "))
	for _, m := range raw {
		var tt map[string]any
		if json.Unmarshal(m, &tt) != nil {
			continue // a comment
		}
		if output, ok := tt["output"].(map[string]any); ok {
			tt["utf-8"] = output["utf-8"]
		}
		var row []string
		for _, field := range u.fields {
			cell := none
			if s, ok := tt[field].(string); ok {
				cell = strconv.QuoteToASCII(s)
			}
			row = append(row, cell)
		}
		fmt.Fprintln(&out, strings.Join(row, "\t"))
	}
	return out.String()
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
