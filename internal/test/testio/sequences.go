package testio

import (
	"strconv"
	"strings"
	"testing"
)

// Sequences returns the sequences of bytes in a set of testdata/encodings, all of one
// length. Each has an end: a line feed, after a shift to ASCII where the encoding has
// shifts. length is the length of a sequence with its end.
func Sequences(t testing.TB, encoding, set string) (text []byte, length int) {
	t.Helper()
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
				first, last := Between(t, part, 8)
				for c := first; c <= last; c++ {
					longer = append(longer, before+string([]byte{byte(c)}))
				}
			}
		}
		all = longer
	}
	return []byte(strings.Join(all, end) + end), len(all[0]) + len(end)
}

// Between returns the two numbers of a range, in hexadecimal, such as "80-ff" or "1b".
func Between(t testing.TB, set string, bits int) (first, last uint64) {
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
