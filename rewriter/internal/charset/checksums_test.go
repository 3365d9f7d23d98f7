package charset

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"absolink/internal/test/soak"
	"absolink/internal/test/testio"
)

const encodings = "../../../testdata/encodings"

var full = flag.String("full", "", "find the differences in what TestEncodings of compare has written to this `directory`")

// Every sequence of bytes and every character becomes what it is in Chromium.
func TestChecksums(t *testing.T) {
	for _, f := range soak.Every(table(t, "checksums.tsv", 4), 5) {
		verb, encoding, set, want := f[0], f[1], f[2], f[3]
		var got []byte
		switch verb {
		case "decode":
			text, _ := testio.Sequences(t, encoding, set)
			got = decoded(t, encoding, text)
		case "encode":
			got = encoded(encoding, characters(t, set))
		}
		if sum := sha256.Sum256(got); fmt.Sprintf("%x", sum[:8]) != want {
			t.Errorf("%s %s %s: %x, want %s%s", verb, encoding, set, sum[:8], want, difference(t, f, got))
		}
	}
}

// table returns the lines of a table in testdata, each of so many columns.
func table(t *testing.T, name string, columns int) (rows [][]string) {
	t.Helper()
	in, err := os.ReadFile(filepath.Join(encodings, name))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(in)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(row) != columns {
			t.Fatalf("%s: %q: want %d columns", name, line, columns)
		}
		rows = append(rows, row)
	}
	return rows
}

// decoded returns the bytes of a document in UTF-8.
func decoded(t *testing.T, label string, raw []byte) []byte {
	t.Helper()
	var s Source
	s.Open(bytes.NewReader(raw), label)
	text, err := io.ReadAll(&s)
	if err != nil {
		t.Fatal(err)
	}
	return (&Charset{Of: &s.EncodingOf}).Text(nil, text)
}

// encoded returns what becomes of a text in the query of a document.
func encoded(label string, text []byte) []byte {
	ref := append([]byte("?"), text...)
	return (&Charset{Of: &EncodingOf{Label: label}}).EncodeQuery(ref, "http://h/")[1:]
}

// characters returns the characters of a range, a comma after each.
func characters(t *testing.T, set string) (text []byte) {
	first, last := testio.Between(t, set, 32)
	for c := rune(first); c <= rune(last); c++ {
		if !utf16.IsSurrogate(c) {
			text = append(utf8.AppendRune(text, c), ',')
		}
	}
	return text
}

// difference returns the first line, or in an encoded text the first query, in which the
// result of a row is not what the directory has.
func difference(t *testing.T, row []string, got []byte) string {
	if *full == "" {
		return ""
	}
	want, err := os.ReadFile(filepath.Join(*full, strings.Join(row[:3], " ")))
	if err != nil {
		t.Fatal(err)
	}
	end := "\n"
	if row[0] == "encode" {
		end = ","
	}
	is := strings.Split(string(got), end)
	for i, line := range strings.Split(string(want), end) {
		if i >= len(is) || is[i] != line {
			return fmt.Sprintf("; first in %d: want %+q, got %+q", i, line, is[min(i, len(is)-1)])
		}
	}
	return ""
}
