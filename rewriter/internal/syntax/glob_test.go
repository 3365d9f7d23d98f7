package syntax

import (
	"regexp"
	"strings"
	"testing"
)

func TestMatchGlob(t *testing.T) {
	for _, tt := range []struct {
		pattern, ref string
		want         bool
	}{
		{"", "", true},
		{"*", "", true},
		{"*", "a/b?c#d", true},
		{"a", "a", true},
		{"a", "A", false},
		{"a", "ab", false},
		{"a*", "a", true},
		{"a*a", "a", false},
		{"a*a", "aa", true},
		{"*a*b", "xaxbxb", true},
		{"*a*b", "xbxa", false},
		{"**a**", "xax", true},
		{"/go/*", "/go/a/b", true},
		{"/go/*", "x/go/a", false},
		{"x?y=*", "x?y=1", true},
		{"x?y=*", "xay=1", false},
		{"{{*}}", "{{ a }}", true},
		{"{{*}}", "/x/{{a}}", false},
		{"*{{*", "/x/{{a}}?b", true},
		{"*|UNSUB|*", "*|UNSUB|*", true},
		{"*|*|*", "*|ARCHIVE|*", true},
		{"*|*|*", "x|y", false},
		{"%%*%%", "%%=RedirectTo(@u)=%%", true},
		{"[[*]]", "[[UNSUB_LINK_EN]]", true},
		{"[[*]]", "U", false},
		{`\*`, `\x`, true},
		{"é*", "éa", true},
	} {
		if got := MatchGlob(tt.pattern, []byte(tt.ref)); got != tt.want {
			t.Errorf("%q fits %q: %v, not %v", tt.pattern, tt.ref, got, tt.want)
		}
	}
}

// A pattern that would take other matchers exponential time takes linear time.
func TestMatchGlobIsLinear(t *testing.T) {
	pattern := strings.Repeat("a*", 500) + "b"
	ref := []byte(strings.Repeat("a", 1<<20))
	for range 20 {
		if MatchGlob(pattern, ref) {
			t.Fatal("it fits")
		}
	}
}

func FuzzMatchGlob(f *testing.F) {
	f.Add("a*b*", "aXbY")
	f.Add("*|x|*", "*|x|*")
	f.Fuzz(func(t *testing.T, pattern, ref string) {
		expression := regexp.MustCompile(`(?s)\A` + strings.ReplaceAll(regexp.QuoteMeta(strings.ToValidUTF8(pattern, "")), `\*`, ".*") + `\z`)
		pattern, ref = strings.ToValidUTF8(pattern, ""), strings.ToValidUTF8(ref, "")
		if got, want := MatchGlob(pattern, []byte(ref)), expression.MatchString(ref); got != want {
			t.Errorf("%q fits %q: %v, not %v", pattern, ref, got, want)
		}
	})
}
