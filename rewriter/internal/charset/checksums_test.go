package charset

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

const encodings = "../../../testdata/encodings"

var full = flag.String("full", "", "find the differences in what TestEncodings of compare has written to this `directory`")

// Every sequence of bytes and every character becomes what it is in Chromium.
func TestChecksums(t *testing.T) {
	for _, f := range table(t, "checksums.tsv", 4) {
		verb, encoding, set, want := f[0], f[1], f[2], f[3]
		var got []byte
		switch verb {
		case "decode":
			got = decoded(t, encoding, sequences(t, encoding, set))
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

// sequences returns the sequences of bytes in a set, and what ends each: a line feed,
// after a shift to ASCII where there are shifts.
func sequences(t *testing.T, encoding, set string) []byte {
	end := "\n"
	switch encoding {
	case "iso-2022-jp":
		end = "\x1b(B\n"
	case "utf-16le":
		end = "\n\x00"
	case "utf-16be":
		end = "\x00\n"
	}
	all := []string{""}
	for choice := range strings.FieldsSeq(set) {
		var longer []string
		for _, before := range all {
			for part := range strings.SplitSeq(choice, ",") {
				first, last := between(t, part, 8)
				for c := first; c <= last; c++ {
					longer = append(longer, before+string([]byte{byte(c)}))
				}
			}
		}
		all = longer
	}
	return []byte(strings.Join(all, end) + end)
}

// characters returns the characters of a range, a comma after each.
func characters(t *testing.T, set string) (text []byte) {
	first, last := between(t, set, 32)
	for c := rune(first); c <= rune(last); c++ {
		if !utf16.IsSurrogate(c) {
			text = append(utf8.AppendRune(text, c), ',')
		}
	}
	return text
}

// between returns the two numbers of a range, in hexadecimal.
func between(t *testing.T, set string, bits int) (first, last uint64) {
	t.Helper()
	low, high, ok := strings.Cut(set, "-")
	if !ok {
		high = low
	}
	first, err := strconv.ParseUint(low, 16, bits)
	if err != nil {
		t.Fatal(err)
	}
	last, err = strconv.ParseUint(high, 16, bits)
	if err != nil {
		t.Fatal(err)
	}
	return first, last
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
