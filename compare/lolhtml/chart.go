package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A pair is two speeds in MB/s, of absolink and of lol-html at the same work.
type pair struct{ absolink, lolHTML float64 }

// works are what the chart shows: a way of absolink, beside the fastest of some ways of
// lol-html.
var works = []struct {
	title string
	way   string
	rust  []string
}{
	{"the same places", "same, RFC 1808", samePlaces},
	{"the same, --profile whatwg", "same, WHATWG", samePlaces},
	{"nothing to do", "no rules", nothing},
}

// pairsOf returns a pair for each of works.
func pairsOf(speeds map[string][]float64) []pair {
	pairs := make([]pair, len(works))
	for i, w := range works {
		pairs[i] = pair{median(speeds[w.way]), median(speeds[fastest(speeds, w.rust)])}
	}
	return pairs
}

// fastest returns the fastest of some ways.
func fastest(speeds map[string][]float64, ways []string) string {
	return slices.MaxFunc(ways, func(a, b string) int {
		return cmp.Compare(median(speeds[a]), median(speeds[b]))
	})
}

const (
	chartWidth = 720
	chartLeft  = 215 // where bars begin
	chartRoom  = 430 // how long the longest bar is
	chartGroup = 64  // how high the bars of one work are, with what is between
)

const chartStyle = `  <style>
    text { font: 14px system-ui, sans-serif; fill: #1c1e21 }
    .ground { fill: #fff }
    .dim { font-size: 13px; fill: #5c6168 }
    .absolink { fill: #0b57b5 }
    .lol-html { fill: #85898f }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6e6e3 }
      .ground { fill: #16181b }
      .dim { fill: #a3a8b0 }
      .absolink { fill: #8ab8ff }
    }
  </style>
`

// chart returns pairs, one for each of works, as bars in SVG, for light and dark pages.
func chart(pairs []pair) []byte {
	longest := 0.0
	var said []string
	for i, p := range pairs {
		longest = max(longest, p.absolink, p.lolHTML)
		said = append(said, fmt.Sprintf("%s: absolink %s, lol-html %s", works[i].title, thousands(p.absolink), thousands(p.lolHTML)))
	}
	var b bytes.Buffer
	height := 68 + chartGroup*len(pairs)
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%[1]d\" height=\"%d\" role=\"img\" aria-labelledby=\"title desc\">\n", chartWidth, height)
	b.WriteString("  <title id=\"title\">The speed of absolink beside lol-html</title>\n")
	fmt.Fprintf(&b, "  <desc id=\"desc\">In MB/s on one core, where more is better: %s.</desc>\n", strings.Join(said, "; "))
	b.WriteString(chartStyle)
	b.WriteString("  <rect class=\"ground\" width=\"100%\" height=\"100%\" rx=\"6\"/>\n")
	for i, name := range []string{"absolink", "lol-html"} {
		fmt.Fprintf(&b, "  <rect class=\"%s\" x=\"%d\" y=\"12\" width=\"14\" height=\"14\" rx=\"2\"/><text x=\"%d\" y=\"24\">%[1]s</text>\n", name, chartLeft+110*i, chartLeft+110*i+20)
	}
	for i, p := range pairs {
		y := 44 + chartGroup*i
		fmt.Fprintf(&b, "  <text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", chartLeft-10, y+27, works[i].title)
		for j, bar := range []struct {
			name  string
			speed float64
		}{{"absolink", p.absolink}, {"lol-html", p.lolHTML}} {
			length := int(chartRoom*bar.speed/longest + 0.5)
			fmt.Fprintf(&b, "  <rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"20\" rx=\"2\"/><text x=\"%d\" y=\"%d\">%s</text>\n", bar.name, chartLeft, y+22*j, length, chartLeft+length+6, y+22*j+15, thousands(bar.speed))
		}
	}
	fmt.Fprintf(&b, "  <text class=\"dim\" x=\"%d\" y=\"%d\">MB/s on one core, more is better</text>\n</svg>\n", chartLeft, height-18)
	return b.Bytes()
}

// thousands returns a number without decimals, with a comma before the last three digits of
// a long one.
func thousands(n float64) string {
	s := strconv.FormatFloat(n, 'f', 0, 64)
	if len(s) <= 3 {
		return s
	}
	return s[:len(s)-3] + "," + s[len(s)-3:]
}
