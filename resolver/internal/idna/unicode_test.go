package idna

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The facts are a line per code point: what UTS #46 maps it to, in hexadecimal, "valid",
// "ignored" or "disallowed"; and for valid ones a letter M if it is a mark, its combining
// class, and whether it is right-to-left (R), left-to-right (L) or another class.
func TestUnicodeFacts(t *testing.T) {
	data, err := os.ReadFile(tableDir + "unicode.txt")
	if err != nil {
		t.Fatal(err)
	}
	facts := 0
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var r rune
		if _, err := fmt.Sscanf(line, "%x", &r); err != nil {
			t.Fatal(err)
		}
		if got := describe(r); got != line {
			t.Errorf("%swant %s", got, line)
		}
		facts++
	}
	if facts < 50 {
		t.Errorf("there are %d facts", facts)
	}
}

// describe returns the line of facts about r that the tables have.
func describe(r rune) string {
	line := fmt.Sprintf("%04X\t", r)
	switch c := classOf(r); c.kind {
	case disallowed:
		return line + "disallowed\n"
	case ignored:
		return line + "ignored\n"
	case shifted:
		return fmt.Sprintf("%s%04X\n", line, r+c.shift)
	case listed:
		var parts []string
		for _, r := range mapping(r) {
			parts = append(parts, fmt.Sprintf("%04X", r))
		}
		return line + strings.Join(parts, " ") + "\n"
	default:
		mark := "-"
		if c.mark {
			mark = "M"
		}
		name := map[bidi]string{bidiL: "L", bidiR: "R", bidiAN: "AN", bidiEN: "EN", bidiNSM: "NSM", bidiNeutral: "neutral", bidiOther: "other"}
		return fmt.Sprintf("%svalid\t%s\t%d\t%s\n", line, mark, c.ccc, name[c.bidi])
	}
}

// How many code points have each status in IdnaMappingTable.txt of Unicode 17.0.0.
func TestStatuses(t *testing.T) {
	got := map[kind]int{}
	for r := range rune(utf8.MaxRune + 1) {
		k := classOf(r).kind
		if k == shifted {
			k = listed
		} else if k == listed && len(mapping(r)) > 1 && strings.Contains(mapping(r), ".") {
			t.Errorf("%U is mapped to %q: labels end at single full stops alone", r, mapping(r))
		}
		got[k]++
	}
	want := map[kind]int{valid: 152965 + 4, listed: 6377, ignored: 294, disallowed: 954472}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("there are %v, want %v", got, want)
	}
}

// What is known of code points that are as old as the tables of the standard library and
// of golang.org/x/text has not changed since.
func TestOlderUnicode(t *testing.T) {
	for r := range rune(utf8.MaxRune + 1) {
		c := classOf(r)
		if c.kind != valid || !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S) {
			continue
		}
		if c.mark != unicode.Is(unicode.M, r) {
			t.Errorf("U+%04X: mark is %t", r, c.mark)
		}
		if got := norm.NFC.PropertiesString(string(r)).CCC(); got != c.ccc {
			t.Errorf("U+%04X: the combining class is %d, not %d", r, c.ccc, got)
		}
		full := appendDecomposition(nil, r)
		var b strings.Builder
		for _, o := range full {
			b.WriteRune(o.rune())
		}
		if b.String() != norm.NFD.String(string(r)) {
			t.Errorf("U+%04X decomposes to %+q, not %+q", r, b.String(), norm.NFD.String(string(r)))
		}
		if got := string(appendNFC(nil, []rune(b.String()))); got != string(r) {
			t.Errorf("U+%04X decomposed composes to %+q", r, got)
		}
	}
}
