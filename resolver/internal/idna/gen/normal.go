package main

import (
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// A pair is two code points that compose to a third.
type pair struct {
	first, second, composite rune
}

// entry matches a line of data17.0.0_test.go: a code point, its combining class,
// whether it is in Normalization Form C, and its full canonical decomposition. The line
// is for all code points up to the next line.
var entry = regexp.MustCompile(`^\t\{0x(\w+), (\d+), \d+, \d+, [fg]\((Yes|No|Maybe),[^"]*("[^"]*")`)

// readNormal sets the combining classes of points, and which may change with what is
// before them, and returns the compositions of valid ones.
func readNormal(points []point) []pair {
	var full []pairSource
	next, ccc, maybe := 0, uint64(0), false
	for line := range strings.Lines(readText()) {
		m := entry.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		r := must(strconv.ParseUint(m[1], 16, 32))
		setNormal(points[next:r], ccc, maybe)
		next, ccc, maybe = int(r), must(strconv.ParseUint(m[2], 10, 8)), m[3] == "Maybe"
		parts := must(strconv.Unquote(m[4]))
		if parts != "" && !(0xAC00 <= r && r <= 0xD7A3) {
			full = append(full, pairSource{rune(r), []rune(parts), m[3] != "No"})
		}
	}
	if next == 0 {
		log.Fatal("the file of golang.org/x/text is not what it was")
	}
	setNormal(points[next:], ccc, maybe)
	return compositions(full, points)
}

// readText returns the data of golang.org/x/text, from the module that is built with.
func readText() string {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/text").Output()
	if err != nil {
		log.Fatalf("go list: %v", err)
	}
	name := filepath.Join(strings.TrimSpace(string(dir)), "unicode", "norm", "data17.0.0_test.go")
	return string(must(os.ReadFile(name)))
}

func setNormal(points []point, ccc uint64, maybe bool) {
	for i := range points {
		p := &points[i]
		p.ccc, p.unsettled = uint8(ccc), maybe || ccc > 0
		if p.virama != (ccc == 9) {
			log.Fatalf("a code point of combining class %d: the sources differ in what a virama is", ccc)
		}
	}
}

// A pairSource is a code point with its full canonical decomposition, and whether this
// composes to it.
type pairSource struct {
	composite rune
	parts     []rune
	composes  bool
}

// compositions returns the compositions of valid code points. What the package relies on is
// checked: that every valid code point is in Normalization Form C, and what keep checks.
func compositions(full []pairSource, points []point) []pair {
	composite := map[string]rune{}
	for _, c := range full {
		if c.composes {
			composite[string(c.parts)] = c.composite
		}
	}
	var pairs []pair
	for _, c := range full {
		if !c.composes {
			if points[c.composite].kind == "valid" {
				log.Fatalf("U+%04X is valid, and not in Normalization Form C", c.composite)
			}
			continue
		}
		before, second := c.parts[:len(c.parts)-1], c.parts[len(c.parts)-1]
		first := before[0]
		if len(before) > 1 {
			first = composite[string(before)]
		}
		if p := (pair{first, second, c.composite}); keep(p, points) {
			pairs = append(pairs, p)
		}
	}
	return pairs
}

// keep reports whether the package needs a composition, and ends the program if what it
// relies on does not hold: that valid code points, and no others, compose to valid ones,
// and that no disallowed one takes part.
func keep(c pair, points []point) bool {
	whole, first, second := points[c.composite].kind, points[c.first].kind, points[c.second].kind
	valid := first == "valid" && second == "valid"
	if c.first == 0 || (whole == "valid") != valid {
		log.Fatalf("U+%04X is valid where its parts are not, or the reverse", c.composite)
	}
	if whole == "" || first == "" || second == "" {
		log.Fatalf("U+%04X: a disallowed code point takes part in a composition", c.composite)
	}
	return valid
}
