package mail

import (
	"strings"
	"testing"

	"absolink/internal/test/docs"
)

// What RFC 1808 says of messages (§3.1, §3.2).
func TestSayings(t *testing.T) {
	for _, s := range docs.Sayings(t, "mail", "name") {
		in := strings.TrimSuffix(s.Given, "\n") + "\nContent-Type: text/html\n\n<a href=x>"
		run := rewrite(t, &Rewriter{}, strings.NewReader(in), nil)
		got := strings.TrimSuffix(run.out[strings.LastIndex(run.out, "<a href=")+len("<a href="):], ">")
		if s.Kind == "name" {
			got = run.docs[0].Name
		}
		if got != s.Want() {
			t.Errorf("§%s, %s: %q: %s, want %s", s.Section, s.Says, in, got, s.Want())
		}
	}
}
