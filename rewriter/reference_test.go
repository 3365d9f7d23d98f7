package rewriter

import (
	"fmt"
	"strings"
	"testing"

	"absolink/rewriter/internal/syntax"
)

// A syntax of a value, in tests.
type valueSyntax func(dst []syntax.Reference, value []byte) []syntax.Reference

// A syntaxRow is a row of a table of traps: a value, and the references that
// are read from it.
type syntaxRow struct {
	value string
	want  []string
}

func texts(value string, references []syntax.Reference) []string {
	var s []string
	for _, r := range references {
		s = append(s, string(r.In([]byte(value))))
	}
	return s
}

func testRows(t *testing.T, read valueSyntax, rows []syntaxRow) {
	t.Helper()
	for _, row := range rows {
		references := read(nil, []byte(row.value))
		if got := texts(row.value, references); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", row.want) {
			t.Errorf("references in %q: %q, want %q", row.value, got, row.want)
		}
		checkSyntax(t, read, row.value, "http://h/p?q#f")
	}
}

// replaceAll writes in place of each reference what with returns for it.
func replaceAll(value string, references []syntax.Reference, with func(syntax.Reference) []byte) string {
	var b []byte
	last := 0
	for _, r := range references {
		b = append(b, value[last:r.Start]...)
		b = syntax.AppendForm(b, with(r), r.Form)
		last = int(r.End)
	}
	return string(append(b, value[last:]...))
}

// between returns what of a value is no reference, in pieces.
func between(value string, references []syntax.Reference) []string {
	var s []string
	last := 0
	for _, r := range references {
		s = append(s, value[last:r.Start])
		last = int(r.End)
	}
	return append(s, value[last:])
}

// readsBack returns what is read back when url is written in a form.
func readsBack(url string, f syntax.Form) string {
	switch {
	case f >= syntax.FormCSSURL:
		return strings.ReplaceAll(url, "\x00", "�") // CSS Syntax §3.3
	case f >= syntax.FormJSON:
		return url
	}
	return string(syntax.AppendForm(nil, []byte(url), f))
}

// checkSyntax tests what holds for every syntax and every value: references
// are in order, in bounds and apart; url in the place of each reads back, with
// everything around it as it was; and so do they themselves.
func checkSyntax(t *testing.T, read valueSyntax, value, url string) {
	t.Helper()
	references := read(nil, []byte(value))
	last := 0
	for _, r := range references {
		if start, end := r.Span(); start < last || end < start || end > len(value) {
			t.Fatalf("references in %q: %+v", value, references)
		}
		last = int(r.End)
	}
	checkReplaced(t, read, value, references, func(syntax.Reference) string { return url })
	checkReplaced(t, read, value, references, func(r syntax.Reference) string { return string(r.In([]byte(value))) })
}

func checkReplaced(t *testing.T, read valueSyntax, value string, references []syntax.Reference, with func(syntax.Reference) string) {
	t.Helper()
	written := replaceAll(value, references, func(r syntax.Reference) []byte { return []byte(with(r)) })
	again := read(nil, []byte(written))
	if len(again) != len(references) {
		t.Fatalf("%q has references %q;\nwritten as %q, it has %q", value, texts(value, references), written, texts(written, again))
	}
	for i, r := range references {
		if want := readsBack(with(r), r.Form); string(again[i].In([]byte(written))) != want || again[i].Form != r.Form {
			t.Fatalf("%q has references %q;\nwritten as %q, reference %d is %q, want %q", value, texts(value, references), written, i, again[i].In([]byte(written)), want)
		}
	}
	if got, want := between(written, again), between(value, references); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Fatalf("around the references in %q is %q;\nin %q, %q", value, want, written, got)
	}
}

func TestAppendForm(t *testing.T) {
	for _, row := range []struct {
		form      syntax.Form
		url, want string
	}{
		{syntax.FormPlain, " a,'\" ", " a,'\" "},
		{syntax.FormListed, " a\tb\r\n,", "%20a%09b%0D%0A,"},
		{syntax.FormCandidate, ",,a,b c,,", "%2C,a,b%20c,%2C"},
		{syntax.FormCandidate, ",", "%2C"},
		{syntax.FormComma, " a, b ", "%20a%2C b%20"},
		{syntax.FormSemicolon, " a;,b ", "%20a%3B,b%20"},
		{syntax.FormRefresh, "\"a\" 'b' ", "%22a\" 'b'%20"},
		{syntax.FormRefresh, "'", "%27"},
		{syntax.FormRefresh, "\na\f", "%0Aa%0C"},
		{syntax.FormRefreshDouble, " a\"b' ", " a%22b' "},
		{syntax.FormRefreshSingle, " a\"b' ", " a\"b%27 "},
	} {
		if got := string(syntax.AppendForm(nil, []byte(row.url), row.form)); got != row.want {
			t.Errorf("%q in form %d: %q, want %q", row.url, row.form, got, row.want)
		}
	}
}

// noAllocations tests that reading values takes no memory but that of dst.
func noAllocations(t *testing.T, read valueSyntax, values ...string) {
	t.Helper()
	dst := make([]syntax.Reference, 0, 64)
	for _, value := range values {
		b := []byte(value)
		if n := testing.AllocsPerRun(100, func() { dst = read(dst[:0], b) }); n >= 1 {
			t.Errorf("%v allocations to read %q", n, value)
		}
	}
}

// absoluteURL makes any text the path of an absolute URL.
func absoluteURL(path string) string { return "http://h/" + path }
