package markup

import (
	"fmt"
	"strings"
	"testing"
)

// However a document is nested, its open elements and active formatting elements
// take bounded memory, so that each tag takes bounded time.
func TestNestingBounds(t *testing.T) {
	var bold strings.Builder
	for i := range 2 * maxFormatted {
		fmt.Fprintf(&bold, "<b id=%d>", i)
	}
	spans := strings.Repeat("<span>", maxOpen-5)
	for _, tt := range []struct{ before, repeated string }{
		{"", "<svg><desc><p>"}, {"", "<b><svg><desc>"}, {"", "<a>"}, {"", "<a><div>"}, {"", "<b><div></b>"}, {"", "<nobr><div>"},
		{"", "<svg>"}, {"", "<math><mi>"}, {"", "<table><tr><td>"}, {"", "<object><b>"}, {"", "<template>"}, {"", "<form><div></form>"},
		{"", "<select><option>"}, {"", "<ruby><rt>"}, {"", "<button><span>"}, {"", "<ul><li>"},
		{bold.String() + strings.Repeat("<div>", maxOpen/2), "</b>"}, {"<p>" + bold.String(), "<p>x"}, {bold.String(), "</b><table><td><b>"},
		{spans, "</i>"}, {spans, "<td>"}, {"<a>" + spans, "</a><a>"}, {"<p><button>" + spans, "<div></p>"}, {"<svg>" + strings.Repeat("<g>", maxOpen-5), "</x>"},
		{"<b", " a=1"}, {"", "<template><col>"}, {"", "<template><col></template>"}, {"<template><col>", "<a><style></style>"},
		{"<template>", "<a><col>"}, {"", "<template><tr><td>"}, {"<svg><desc>", "<template><col>"}, {"<frameset>", "<noframes></noframes>"},
	} {
		in := tt.before + strings.Repeat(tt.repeated, (256<<10)/len(tt.repeated))
		var c Context
		c.Reset(Options{LongTag: 1 << 30})
		window := []byte(in)
		for c.Next(window, true) != None {
		}
		for _, f := range c.builders {
			if len(f.stack) > maxOpen || cap(f.stack) > 2*maxOpen || len(f.list) > maxFormatted || cap(f.list) > 2*maxFormatted || cap(f.noted) > maxNoted {
				t.Errorf("%s %s…: %d (%d) open, %d (%d) formatting, %d noted", tt.before, tt.repeated, len(f.stack), cap(f.stack), len(f.list), cap(f.list), cap(f.noted))
			}
		}
	}
}
