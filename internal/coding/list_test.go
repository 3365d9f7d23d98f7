package coding

import (
	"slices"
	"testing"
)

func TestElements(t *testing.T) {
	got := slices.Collect(Elements("gzip,, \tbr ,", "", " x y"))
	if want := []string{"gzip", "br", "x y"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for element := range Elements("a,b") {
		if element != "a" {
			t.Errorf("%q, after the loop has ended", element)
		}
		break
	}
	if !HasToken("chunked", "gzip", "a, Chunked") || HasToken("chunked", "a chunked", "chunked;q=1") || HasToken("chunked") {
		t.Error("HasToken")
	}
}
