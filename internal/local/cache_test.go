package local

import (
	"fmt"
	"strings"
	"testing"
)

// However long names are, what is remembered is bounded.
func TestCacheIsBounded(t *testing.T) {
	var c Cache[int]
	found := 0
	find := func(name string) int { found++; return len(name) }
	for _, rest := range []string{"", strings.Repeat("x", 100<<10)} {
		for i := range cacheSize/(len(rest)+entry) + 2 {
			name := fmt.Sprint(i, rest)
			for range 2 {
				if got := c.Get(name, find); got != len(name) {
					t.Fatalf("%d, want %d", got, len(name))
				}
			}
		}
		size := 0
		for name := range c.known {
			size += len(name)
		}
		if n := len(c.known); n == 0 || n > cacheSize/entry || size > cacheSize {
			t.Errorf("%d names of %d bytes are remembered", n, size)
		}
	}
	if most := cacheSize/entry + cacheSize/(100<<10) + 4; found > most {
		t.Errorf("found %d times, at most %d is right", found, most)
	}
}
