package main

import (
	"encoding/json"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A point is what the sources say of a code point.
type point struct {
	kind      string   // a constant of the package, or nothing for disallowed
	mapped    []rune   // if the kind is listed or shifted
	shift     rune     // if the kind is shifted
	bidi      string   // as the constants of the package end
	joining   []string // constants of the package
	mark      bool
	virama    bool
	unsettled bool // it may change with what is before it, by normalization
	ccc       uint8
}

// kinds are the kinds of the statuses of lib/statusMapping.js in tr46: mapped, valid,
// deviation and ignored. The status of others is disallowed.
var kinds = map[float64]string{1: "listed", 2: "valid", 6: "valid", 7: "ignored"}

// readPoints reads everything except what normalization needs.
func readPoints(tr46 string) []point {
	points := make([]point, utf8.MaxRune+1)
	readStatuses(tr46, points)
	readRegexes(string(read(tr46, "regexes.js")), points)
	for r, p := range points {
		for _, m := range p.mapped {
			if points[m].kind != "valid" {
				log.Fatalf("U+%04X is mapped to what is not valid", r)
			}
		}
	}
	return points
}

func readStatuses(tr46 string, points []point) {
	var table [][]any
	if err := json.Unmarshal(read(tr46, "mappingTable.json"), &table); err != nil {
		log.Fatal(err)
	}
	for _, row := range table {
		for r, last := bounds(row[0]); r <= last; r++ {
			points[r].kind = kinds[row[1].(float64)]
			if points[r].kind == "listed" {
				points[r].mapped = []rune(row[2].(string))
			}
		}
	}
}

// bounds returns the first and the last code point of a row of tr46: a number, or two.
func bounds(v any) (first, last int) {
	if ends, ok := v.([]any); ok {
		return int(ends[0].(float64)), int(ends[1].(float64))
	}
	return int(v.(float64)), int(v.(float64))
}

// readRegexes reads the properties that tr46 has as sets in its regular expressions.
func readRegexes(source string, points []point) {
	marks, viramas := sets(source, "combiningMarks"), sets(source, "combiningClassVirama")
	joins := sets(source, "validZWNJ") // L or D, T, the non-joiner, T, R or D
	for r := range points {
		p, s := &points[r], string(rune(r))
		p.mark = marks[0].MatchString(s)
		p.virama = viramas[0].MatchString(s)
		for i, name := range map[int]string{0: "joinsNext", 1: "transparent", 3: "joinsPrevious"} {
			if joins[i].MatchString(s) {
				p.joining = append(p.joining, name)
			}
		}
		slices.Sort(p.joining)
	}
	readBidi(source, points)
}

// readBidi reads the Bidi classes from the steps of the Bidi rule, in which some are
// never told apart.
func readBidi(source string, points []point) {
	l, rightToLeft, an, en := sets(source, "bidiS1LTR"), sets(source, "bidiS1RTL"), sets(source, "bidiS4AN"), sets(source, "bidiS4EN")
	allowed, end := sets(source, "bidiS5"), sets(source, "bidiS6") // L, EN or neutral; L or EN, NSM
	classes := []struct {
		bidi string
		set  *regexp.Regexp
	}{{"L", l[0]}, {"R", rightToLeft[0]}, {"AN", an[0]}, {"EN", en[0]}, {"NSM", end[1]}, {"Neutral", allowed[0]}}
	for r := range points {
		points[r].bidi = "Other"
		for _, c := range classes {
			if c.set.MatchString(string(rune(r))) {
				points[r].bidi = c.bidi
				break
			}
		}
	}
}

var (
	set    = regexp.MustCompile(`\[(?:[^\]\\]|\\.)*\]`)
	escape = regexp.MustCompile(`\\u(?:\{([0-9A-F]+)\}|([0-9A-F]{4}))`)
)

// sets returns the sets in a regular expression of regexes.js.
func sets(source, name string) []*regexp.Regexp {
	_, source, _ = strings.Cut(source, "const "+name+" = ")
	source, _, ok := strings.Cut(source, "\n")
	if !ok {
		log.Fatalf("regexes.js has no %s", name)
	}
	var all []*regexp.Regexp
	for _, s := range set.FindAllString(source, -1) {
		s = escape.ReplaceAllString(strings.ReplaceAll(s, `\0`, `\x00`), `\x{$1$2}`)
		all = append(all, regexp.MustCompile(s))
	}
	return all
}

// read returns a file of tr46.
func read(tr46, name string) []byte {
	return must(os.ReadFile(filepath.Join(tr46, "lib", name)))
}
