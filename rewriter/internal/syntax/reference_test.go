package syntax

import (
	"absolink/rewriter/internal/ascii"
	"fmt"
	"strings"
	"testing"
)

// A syntax of a value, in tests.
type valueSyntax func(dst []Reference, value []byte) []Reference

// A syntaxRow is a row of a table of traps: a value, and the references that
// are read from it.
type syntaxRow struct {
	value string
	want  []string
}

func texts(value string, references []Reference) []string {
	var s []string
	for _, r := range references {
		s = append(s, string(in(r, []byte(value))))
	}
	return s
}

func testRows(t *testing.T, read valueSyntax, rows []syntaxRow) {
	t.Helper()
	testRowsWith(t, read, rows, "http://h/p?q#f")
}

// testRowsWith does so with url in the place of each reference.
func testRowsWith(t *testing.T, read valueSyntax, rows []syntaxRow, url string) {
	t.Helper()
	for _, row := range rows {
		references := read(nil, []byte(row.value))
		if got := texts(row.value, references); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", row.want) {
			t.Errorf("references in %q: %q, want %q", row.value, got, row.want)
		}
		checkSyntax(t, read, row.value, url)
	}
}

// replaceAll writes in place of each reference what with returns for it. spaces is as in
// Form.Append.
func replaceAll(value string, references []Reference, spaces bool, with func(Reference) []byte) string {
	var b []byte
	last := 0
	for _, r := range references {
		b = append(b, value[last:r.Start]...)
		b = r.Form.Append(b, with(r), spaces)
		last = int(r.End)
	}
	return string(append(b, value[last:]...))
}

// between returns what of a value is no reference, in pieces.
func between(value string, references []Reference) []string {
	var s []string
	last := 0
	for _, r := range references {
		s = append(s, value[last:r.Start])
		last = int(r.End)
	}
	return append(s, value[last:])
}

// readsBack returns what is read back when url is written in a form.
func readsBack(url string, f Form) string {
	switch {
	case f >= FormCSSURL:
		return strings.ReplaceAll(url, "\x00", "�") // CSS Syntax §3.3
	case f >= FormJSON:
		return url
	}
	return string(f.Append(nil, []byte(url), true))
}

// checkSyntax tests what holds for every syntax and every value: references
// are in order, in bounds and apart; url in the place of each reads back, with
// everything around it as it was; and so do they themselves.
func checkSyntax(t *testing.T, read valueSyntax, value, url string) {
	t.Helper()
	references := read(nil, []byte(value))
	last := 0
	for _, r := range references {
		if start, end := int(r.Start), int(r.End); start < last || end < start || end > len(value) {
			t.Fatalf("references in %q: %+v", value, references)
		}
		last = int(r.End)
	}
	for _, spaces := range []bool{true, false} {
		checkReplaced(t, read, value, references, spaces, func(Reference) string { return url })
		checkReplaced(t, read, value, references, spaces, func(r Reference) string { return string(in(r, []byte(value))) })
	}
}

func checkReplaced(t *testing.T, read valueSyntax, value string, references []Reference, spaces bool, with func(Reference) string) {
	t.Helper()
	written := replaceAll(value, references, spaces, func(r Reference) []byte {
		b := r.Form.Append(nil, []byte(with(r)), spaces)
		if forms[r.Form].encode != nil && (ascii.ClassOf(b)&ascii.Structure != 0 || !spaces && ascii.CountSpace(b) > 0) {
			t.Fatalf("%q is written as %q", with(r), b)
		}
		return []byte(with(r))
	})
	again := read(nil, []byte(written))
	if len(again) != len(references) {
		t.Fatalf("%q has references %q;\nwritten as %q, it has %q", value, texts(value, references), written, texts(written, again))
	}
	for i, r := range references {
		if want := readsBack(with(r), r.Form); string(in(again[i], []byte(written))) != want || again[i].Form != r.Form {
			t.Fatalf("%q has references %q;\nwritten as %q, reference %d is %q, want %q", value, texts(value, references), written, i, in(again[i], []byte(written)), want)
		}
	}
	got, want := between(written, again), between(value, references)
	for i, r := range references { // white space after an escape belongs to it
		if r.Form == FormCSSURL {
			got[i+1], want[i+1] = strings.TrimLeft(got[i+1], whiteSpace), strings.TrimLeft(want[i+1], whiteSpace)
		}
	}
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Fatalf("around the references in %q is %q;\nin %q, %q", value, want, written, got)
	}
}

func TestAppendForm(t *testing.T) {
	tested := map[Form]bool{}
	for _, row := range []struct {
		form      Form
		url, want string
	}{
		{FormPlain, " a,'\" ", " a,'\" "},
		{FormListed, " a\tb\r\n,", "%20a%09b%0D%0A,"},
		{FormCandidate, ",,a,b c,,", "%2C,a,b%20c,%2C"},
		{FormCandidate, ",", "%2C"},
		{FormComma, " a, b ", "%20a%2C b%20"},
		{FormSemicolon, " a;,b ", "%20a%3B,b%20"},
		{FormLazy, ",a b|c,", "%2Ca%20b%7Cc%2C"},
		{FormRefresh, "\"a\" 'b' ", "%22a\" 'b'%20"},
		{FormRefresh, "'", "%27"},
		{FormRefresh, "\na\f", "%0Aa%0C"},
		{FormRefreshDouble, " a\"b' ", " a%22b' "},
		{FormRefreshSingle, " a\"b' ", " a\"b%27 "},
		{FormLink, " a<b>, ", " a<b%3E, "},
	} {
		if got := string(row.form.Append(nil, []byte(row.url), true)); got != row.want {
			t.Errorf("%q in form %d: %q, want %q", row.url, row.form, got, row.want)
		}
		tested[row.form] = true
	}
	for f := range forms {
		if forms[f].encode == nil && !tested[Form(f)] { // the others have tests of their own
			t.Errorf("form %d has no row in this test; FormPlain is 0", f)
		}
	}
}

// noAllocations tests that reading values takes no memory besides dst.
func noAllocations(t *testing.T, read valueSyntax, values ...string) {
	t.Helper()
	dst := make([]Reference, 0, 64)
	for _, value := range values {
		b := []byte(value)
		if n := testing.AllocsPerRun(100, func() { dst = read(dst[:0], b) }); n >= 1 {
			t.Errorf("%v allocations to read %q", n, value)
		}
	}
}

// absoluteURL makes any text the path of an absolute URL.
func absoluteURL(path string) string { return "http://h/" + path }

// in returns what a reference in a value stands for.
func in(r Reference, value []byte) []byte { return r.Form.AppendDecoded(nil, r.Of(value)) }

// The front of a reference ends before the first quote or bracket, and before the backslash
// that escapes it.
func TestFront(t *testing.T) {
	for _, row := range []struct {
		form  Form
		text  string
		front string
	}{
		{FormPlain, "", ""},
		{FormPlain, "a/b?c#d=e", "a/b?c#d=e"},
		{FormPlain, "a'b\"c", "a"},
		{FormPlain, "`a", ""},
		{FormListed, "a<b", "a"},
		{FormPlain, `a\\>b`, `a\\`},
		{FormPlain, `a\>b`, `a\`},
		{FormCSSURL, `a\'b`, "a"},
		{FormCSSURL, `a\(b>`, `a\(b`},
		{FormCSSDouble, `a\\'b`, `a\\`},
		{FormCSSDouble, `a\\\'b`, `a\\`},
		{FormCSSSingle, `a\27 b`, `a\27 b`},
		{FormJSON, `a\"b`, "a"},
		{FormJSON, `\\\"`, `\\`},
		{FormScript, "a\\`b", "a"},
	} {
		if got := row.text[:row.form.Front([]byte(row.text))]; got != row.front {
			t.Errorf("the front of %q in form %d is %q, want %q", row.text, row.form, got, row.front)
		}
	}
}
