package syntax

import (
	"regexp"
	"strings"
	"testing"
)

func TestGlob(t *testing.T) {
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
		{`\*|*`, "*|ARCHIVE|*", true},
		{`\*|*`, "x?id=*|ID|*", false},
		{`*\*|*`, "x?id=*|ID|*", true},
		{`\*`, "*", true},
		{`\*`, "x", false},
		{`\*`, `\x`, false},
		{`\\*`, `\x`, true},
		{`\\*`, "x", false},
		{`a\\\*b`, `a\*b`, true},
		{"é*", "éa", true},
	} {
		if g, ok := ParseGlob(tt.pattern); !ok || g.Match([]byte(tt.ref)) != tt.want {
			t.Errorf("%q fits %q: not %v", tt.pattern, tt.ref, tt.want)
		}
	}
	for _, pattern := range []string{`\`, `a*\`, `\x`, `\\\`, `\{*`} {
		if _, ok := ParseGlob(pattern); ok {
			t.Errorf("%q is a pattern", pattern)
		}
	}
}

// A pattern that would take other matchers exponential time takes linear time.
func TestGlobIsLinear(t *testing.T) {
	g, _ := ParseGlob(strings.Repeat("a*", 500) + "b")
	ref := []byte(strings.Repeat("a", 1<<20))
	for range 20 {
		if g.Match(ref) {
			t.Fatal("it fits")
		}
	}
}

func FuzzGlob(f *testing.F) {
	f.Add("a*b*", "aXbY")
	f.Add(`\*|*`, "*|x|*")
	f.Add(`\\*\`, `\`)
	tokens := regexp.MustCompile(`(?s)\\[*\\]|.`)
	f.Fuzz(func(t *testing.T, pattern, ref string) {
		pattern, ref = strings.ToValidUTF8(pattern, ""), strings.ToValidUTF8(ref, "")
		expression, valid := "", true
		for _, token := range tokens.FindAllString(pattern, -1) {
			switch {
			case token == "*":
				expression += ".*"
			case token == `\`:
				valid = false
			default:
				expression += regexp.QuoteMeta(strings.TrimPrefix(token, `\`))
			}
		}
		g, ok := ParseGlob(pattern)
		if ok != valid {
			t.Fatalf("%q is a pattern: %v, not %v", pattern, ok, valid)
		}
		if want := regexp.MustCompile(`(?s)\A` + expression + `\z`).MatchString(ref); ok && g.Match([]byte(ref)) != want {
			t.Errorf("%q fits %q: not %v", pattern, ref, want)
		}
	})
}
