package console

import (
	"io"
	"os"
	"strings"
	"testing"

	"absolink/internal/listing"
)

// What is held and printed is bounded, however many kinds of warnings there are.
func TestKindsAreBounded(t *testing.T) {
	var stderr strings.Builder
	u := &UI{Stderr: &stderr}
	r := NewRepeats(u)
	const n = 20000
	for i := range n {
		kind := strings.Repeat(string(rune('a'+i%26))+string(rune('a'+i/26%26)), 1+i%5000)
		if r.Takes(kind) {
			u.Print("%s", kind)
		}
	}
	r.End("file")
	if lines := strings.Count(stderr.String(), "\n"); lines > (maxKinds+1)*(FewOfKind+1) || stderr.Len() > lines*listing.MaxMessage {
		t.Errorf("%d lines of %d bytes", lines, stderr.Len())
	}
	held := 0
	for key, k := range r.kinds {
		held += len(key) + len(k.text)
	}
	if len(r.kinds) > maxKinds || held > maxKinds*2*(maxKindText+10) {
		t.Errorf("%d kinds, %d bytes", len(r.kinds), held)
	}
	if !strings.Contains(stderr.String(), " more of other kinds\n") {
		t.Errorf("the rest is not counted: %.1000s", stderr.String())
	}
}

func TestKindOf(t *testing.T) {
	for _, same := range [][2]string{
		{`reference "a" on base URL "b": no`, `reference "c\"d 5" on base URL "": no`},
		{"at byte 15", "at byte 7"},
		{"no", "no"},
	} {
		if a, b := kindOf(same[0]), kindOf(same[1]); a != b {
			t.Errorf("%q is %q, %q is %q", same[0], a, same[1], b)
		}
	}
	for _, other := range [][2]string{{"a href stays", "img src stays"}, {`"a" begins`, `"a" ends`}, {"", "x"}} {
		if a, b := kindOf(other[0]), kindOf(other[1]); a == b {
			t.Errorf("%q and %q are %q", other[0], other[1], a)
		}
	}
}

func TestHideLogins(t *testing.T) {
	for message, want := range map[string]string{
		`cannot fetch "http://u:p@h/" at ftp://u@h: x@y`:      `cannot fetch "http://…@h/" at ftp://…@h: x@y`,
		`reference "//u:p@["`:                                 `reference "//…@["`,
		`http:u:p@h and https:\\u:p@h`:                        `http:…@h and https:\\…@h`,
		`file://a/b@c: mail a@b`:                              `file://a/b@c: mail a@b`,
		`see http://u:a/b@h/x@y`:                              `see http://…@y`,
		`see http://[::1]:80/b@h`:                             `see http://[::1]:80/b@h`,
		`see http://…@h/`:                                     `see http://…@h/`,
		`a base "http://u:p q@h/": bad, "http://u:p /q r@h/"`: `a base "http://…@h/": bad, "http://…@h/"`,
		`base "gopher:u:p@h/x": view-source:gopher:u:p@h`:     `base "gopher:…@h/x": view-source:…@h`,
		`page.html:12: write to a@b, a.html:1:2`:              `page.html:12: write to a@b, a.html:1:2`,
		`http://h/?a@b`:                                       `http://h/?a@b`,
		`see http://h and write to a@b`:                       `see http://h and write to a@b`,
		`x-http:a@b mailto:a@b x://u:a"b@h`:                   `x-http:…@b mailto:a@b x://…@h`,
	} {
		if got := HideLogins(message); got != want {
			t.Errorf("%s: %s, want %s", message, got, want)
		}
	}
}

// What is read again counts once.
func TestReadingCountsOnce(t *testing.T) {
	p := &Progress{all: 1, size: 10, name: "x"}
	from := p.Reading(strings.NewReader("0123456789"))
	for range 2 {
		io.ReadAll(from)
		if got := p.String(); got != "x: 10 B of 10 B read" {
			t.Error(got)
		}
		if at, err := from.(io.Seeker).Seek(-10, io.SeekCurrent); at != 0 || err != nil {
			t.Error(at, err)
		}
	}
	if _, err := p.Reading(io.MultiReader()).(io.Seeker).Seek(0, io.SeekCurrent); err == nil {
		t.Error("a stream is read again")
	}
	r := p.ReadingAt(strings.NewReader("0123456789"))
	for _, at := range []int64{0, 4, 0, 6} {
		r.ReadAt(make([]byte, 5), at)
	}
	if got := p.String(); got != "x: 10 B of 10 B read" {
		t.Error(got)
	}
	var none *Progress
	if f := (&os.File{}); none.Reading(f) != io.Reader(f) || none.ReadingAt(f) != io.ReaderAt(f) {
		t.Error("a reader becomes another one where nothing counts")
	}
}
