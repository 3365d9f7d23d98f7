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
	status    int
	mapped    []rune   // if the status is statusMapped
	bidi      string   // as the constants of the package end
	joining   []string // constants of the package
	mark      bool
	virama    bool
	unsettled bool // it may change with what is before it, by normalization
	ccc       uint8
	kind      string // a constant of the package, or nothing for disallowed
	shift     rune
}

// The statuses of lib/statusMapping.js in tr46.
const (
	statusMapped     = 1
	statusValid      = 2
	statusDisallowed = 3
	statusDeviation  = 6
	statusIgnored    = 7
)

// stays reports whether UTS #46 leaves the code point as it is.
func (p *point) stays() bool {
	return p.status == statusValid || p.status == statusDeviation
}

// readPoints reads everything except what normalization needs.
func readPoints(tr46 string) []point {
	points := make([]point, utf8.MaxRune+1)
	readStatuses(tr46, points)
	readRegexes(string(read(tr46, "regexes.js")), points)
	for r, p := range points {
		for _, m := range p.mapped {
			if !points[m].stays() {
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
			points[r].status = int(row[1].(float64))
			if points[r].status == statusMapped {
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
	for r := range points {
		s := string(rune(r))
		switch p := &points[r]; {
		case l[0].MatchString(s):
			p.bidi = "L"
		case rightToLeft[0].MatchString(s):
			p.bidi = "R"
		case an[0].MatchString(s):
			p.bidi = "AN"
		case en[0].MatchString(s):
			p.bidi = "EN"
		case end[1].MatchString(s):
			p.bidi = "NSM"
		case allowed[0].MatchString(s):
			p.bidi = "Neutral"
		default:
			p.bidi = "Other"
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
	data, err := os.ReadFile(filepath.Join(tr46, "lib", name))
	if err != nil {
		log.Fatal(err)
	}
	return data
}
