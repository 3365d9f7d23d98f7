package rewriter

import (
	"testing"

	"absolink/internal/test/docs"
	"absolink/resolver"
)

// What RFC 1808 says of documents: which base counts (§3), and that of the Appendix.
func TestSayings(t *testing.T) {
	for _, s := range docs.Sayings(t, "html") {
		var outer *resolver.Base
		if s.On != "" {
			outer = mustParse(t, s.On, resolver.RFC1808)
		}
		if got, _ := rewrite(t, new(Rewriter), s.Given, outer); got != s.Want() {
			t.Errorf("§%s, %s: %q on %q becomes %q, want %q", s.Section, s.Says, s.Given, s.On, got, s.Want())
		}
	}
}
