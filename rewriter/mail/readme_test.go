package mail

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"absolink/resolver"
)

// Every line of the table in README.md that says which base counts is true.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(readme), "<!-- messages: this table is a test -->\n")
	if !ok {
		t.Fatal("README.md has no table of messages")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	code := regexp.MustCompile("`([^`]*)`")
	fields := func(cell string) (s string) {
		for _, m := range code.FindAllStringSubmatch(cell, -1) {
			s += m[1] + "\n"
		}
		return s
	}
	rows := strings.Split(table, "\n")[2:]
	for _, row := range rows {
		cells := strings.Split(strings.Trim(row, "|"), "|")
		base := strings.TrimSpace(fields(cells[2]))
		if base != "" {
			base = "<base href=" + base + ">"
		}
		in := fields(cells[0]) + "Content-Type: multipart/mixed; boundary=b\n\n--b\n" + fields(cells[1]) + "Content-Type: text/html\n\n" + base + "<a href=x>\n--b--\n"
		got := rewrite(t, &Rewriter{}, strings.NewReader(in), mustParse(t, "http://outer/a/b", resolver.RFC1808))
		if want := "<a href=" + strings.TrimSpace(fields(cells[3])) + ">"; !strings.Contains(got.out, want) {
			t.Errorf("%s: got\n%s", row, got.out)
		}
	}
	if len(rows) < 10 {
		t.Errorf("%d rows", len(rows))
	}
}
