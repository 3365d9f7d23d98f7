package rewriter

import (
	"fmt"
	"testing"

	"absolink/rewriter/internal/markup"
)

// Whether a tag is long is decided without a document: by where its values begin and end.
func TestLongTag(t *testing.T) {
	defer func(n int) { longValue = n }(longValue)
	longValue = 100
	type span = [2]int
	for _, tt := range []struct {
		maxTag int
		values []span // of the attributes that have been read
		in     span   // the value in which the tag ends for now
		held   bool   // every value must be held
		size   int
		want   string // the actions, one after another, each on the value that begins there
	}{
		{maxTag: 1000, size: 50, want: "hold"},
		{maxTag: 1000, size: 1000, want: "hold"},
		{maxTag: 1000, size: 1001, want: "skip"},
		{maxTag: 1000, values: []span{{10, 100}}, size: 101, want: "hold"},
		{maxTag: 1000, values: []span{{10, 5000}}, size: 5001, want: "stream 10, hold"},
		{maxTag: 1000, values: []span{{10, 5000}}, size: 5001, held: true, want: "skip"},
		{maxTag: 1000, values: []span{{10, 5000}, {5010, 9000}}, size: 9001, want: "stream 10, stream 5010, hold"},
		{maxTag: 1000, values: []span{{10, 5000}, {6010, 9000}}, size: 9001, want: "stream 10, skip"},
		{maxTag: 1000, values: []span{{1010, 5000}}, size: 5001, want: "skip"},
		{maxTag: 1000, in: span{900, 950}, size: 950, want: "hold"},
		{maxTag: 1000, in: span{900, 5000}, size: 5000, want: "stream 900, elide 900"},
		{maxTag: 1000, in: span{900, 5000}, size: 5000, held: true, want: "skip"},
		{maxTag: 1000, in: span{1001, 5000}, size: 5000, want: "skip"},
		{maxTag: 1000, in: span{900, 1050}, size: 1050, held: true, want: "hold"}, // too short to tell
		{maxTag: 1000, values: []span{{10, 5000}}, in: span{5900, 9000}, size: 9000, want: "stream 10, stream 5900, elide 5900"},
	} {
		attrs := make([]markup.Attribute, len(tt.values))
		for i, v := range tt.values {
			attrs[i].Value = markup.NewSpan(v[0], v[1])
		}
		var in *markup.Attribute
		if tt.in[1] > 0 {
			in = &markup.Attribute{Value: markup.NewSpan(tt.in[0], tt.in[1])}
		}
		l := longTag{maxTag: tt.maxTag}
		got := ""
		for {
			do, a := l.grow(attrs, in, tt.size, func(*markup.Attribute) bool { return !tt.held })
			got += [...]string{hold: "hold", stream: "stream", skip: "skip", elide: "elide"}[do]
			if a != nil && do != skip {
				got += fmt.Sprint(" ", a.Value.Start)
			}
			if do != stream {
				break
			}
			a.Long = true
			got += ", "
		}
		if got != tt.want {
			t.Errorf("%+v: %s", tt, got)
		}
	}
}
