package main

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"absolink/internal/test/docs"
)

// The chart in docs shows the numbers of the table beside it.
func TestChart(t *testing.T) {
	var pairs []pair
	for _, row := range docs.Table(t, "lol-html") {
		var p pair
		for i, speed := range []*float64{&p.absolink, &p.lolHTML} {
			n, err := strconv.ParseFloat(strings.ReplaceAll(row[i+1], ",", ""), 64)
			if err != nil {
				t.Fatal(err)
			}
			*speed = n
		}
		pairs = append(pairs, p)
	}
	if len(pairs) != len(works) {
		t.Fatalf("%d rows, but the chart shows %d", len(pairs), len(works))
	}
	want := chart(pairs)
	const name = "../../docs/speed.svg"
	got, err := os.ReadFile(name)
	if os.Getenv("WRITE_CHART") != "" && !bytes.Equal(got, want) {
		err = os.WriteFile(name, want, 0o666)
		got = want
	}
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not of the numbers in docs/speed.md (WRITE_CHART=1 writes it anew), %v", name, err)
	}
}

// What is measured becomes XML with a bar for each speed, and the longest has all the room.
func TestChartOfSpeeds(t *testing.T) {
	speeds := map[string][]float64{"same, RFC 1808": {1, 900, 1000}, "same, WHATWG": {800}, "no rules": {1234.6}, "idle": {500, 600, 700}}
	for _, name := range append([]string{"unmatched"}, samePlaces...) {
		speeds[name] = []float64{300}
	}
	svg := string(chart(pairsOf(speeds)))
	for _, want := range []string{"the same places: absolink 900, lol-html 300;", "nothing to do: absolink 1,235, lol-html 600.", `width="430"`, `width="209"`} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in\n%s", want, svg)
		}
	}
	if n := strings.Count(svg, `height="20"`); n != 6 {
		t.Errorf("%d bars", n)
	}
	decoder := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := decoder.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
