package mail

import (
	"regexp"
	"strings"
	"testing"

	"absolink/internal/test/docs"
	"absolink/resolver"
)

// Every row of the table in docs/messages.md is true, and so are these.
func TestDocs(t *testing.T) {
	code := regexp.MustCompile("`([^`]*)`")
	fields := func(cell string) (s string) {
		for _, m := range code.FindAllStringSubmatch(cell, -1) {
			s += m[1] + "\n"
		}
		return s
	}
	for _, row := range append(docs.Table(t, "messages"), [][]string{
		{"`Base: http://h/a/b`", "", "", "`http://h/a/x`"},
		{"`Content-Base: http://h/a/b`", "", "", "`http://h/a/x`"},
		{"`Content-Location: http://h/a/b`", "", "", "`http://h/a/x`"},
		{"`Snapshot-Content-Location: http://h/a/b`", "", "", "`http://h/a/x`"},
		{"`Base: http://h/1/`", "`Content-Location: http://h/2/`", "", "`http://h/2/x`"},
		{"`Base: http://h/1/`", "`Content-Location: cid:2`", "", "`http://h/1/x`"},
		{"", "`Content-Base: http://h/2/`, `Base: http://h/1/`", "", "`http://h/1/x`"},
		{"", "`Content-Location: http://h/2/`, `Content-Base: http://h/1/`", "", "`http://h/1/x`"},
		{"", "`Snapshot-Content-Location: http://h/2/`, `Content-Location: http://h/1/`", "", "`http://h/1/x`"},
		{"", "`Base: mailto:a@b`, `Content-Location: http://h/1/`", "", "`http://h/1/x`"},
		{"`Base: http://h/1/`", "`Base: http://h/2/`", "`http://h/3/`", "`http://h/3/x`"},
	}...) {
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
