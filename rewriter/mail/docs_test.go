package mail

import (
	"regexp"
	"strings"
	"testing"

	"absolink/internal/test/docs"
	"absolink/resolver"
)

// Every row of the table in docs/messages.md is true.
func TestDocs(t *testing.T) {
	code := regexp.MustCompile("`([^`]*)`")
	fields := func(cell string) (s string) {
		for _, m := range code.FindAllStringSubmatch(cell, -1) {
			s += m[1] + "\n"
		}
		return s
	}
	for _, row := range docs.Table(t, "messages") {
		base := strings.TrimSpace(fields(row[2]))
		if base != "" {
			base = "<base href=" + base + ">"
		}
		in := fields(row[0]) + "Content-Type: multipart/mixed; boundary=b\n\n--b\n" + fields(row[1]) + "Content-Type: text/html\n\n" + base + "<a href=x>\n--b--\n"
		got := rewrite(t, &Rewriter{}, strings.NewReader(in), mustParse(t, "http://outer/a/b", resolver.RFC1808))
		if want := "<a href=" + strings.TrimSpace(fields(row[3])) + ">"; !strings.Contains(got.out, want) {
			t.Errorf("%s: got\n%s", row, got.out)
		}
	}
}
