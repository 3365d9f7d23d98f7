package ascii

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// PlainLen stops at the first special byte, wherever it and a second one stand among
// bytes of any value.
func TestPlainLen(t *testing.T) {
	isSpecial := func(c byte) bool { return c == '&' || c < ' ' || c >= 0x80 }
	for length := range 20 {
		for at := range length + 1 {
			for c := range 256 {
				raw := bytes.Repeat([]byte{byte(c)}, length)
				for i := range at {
					raw[i] = " '%\x7f~A"[i%6]
				}
				want := at
				if !isSpecial(byte(c)) {
					want = length
				}
				if got := PlainLen(raw); got != want {
					t.Fatalf("PlainLen(%q) = %d, want %d", raw, got, want)
				}
			}
		}
	}
}

func TestIndexFold(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 10_000 {
		text := make([]byte, r.IntN(20))
		for i := range text {
			text[i] = "abABx"[r.IntN(5)]
		}
		if got, want := IndexFold(text, "aba"), bytes.Index(bytes.ToLower(text), []byte("aba")); got != want {
			t.Fatalf("%s: %d, want %d", text, got, want)
		}
	}
}
