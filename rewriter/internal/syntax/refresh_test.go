package syntax

import "testing"

// The rows of the trap table on meta refresh, and some more.
var refreshRows = []syntaxRow{
	{"0 x", []string{"x"}},
	{"0,x", []string{"x"}},
	{"0;x", []string{"x"}},
	{"5 url=x", []string{"x"}},
	{".5;url=x", []string{"x"}},
	{"0.5.;url=x", []string{"x"}},
	{"5x;url=x", nil},
	{"+5;url=x", nil},
	{"-1;url=x", nil},
	{";url=x", nil},
	{"url=x", nil},
	{"\u00a05;url=x", nil},
	{`0; url = "x" y`, []string{"x"}},
	{`0;url='x'y`, []string{"x"}},
	{`0;"x"`, []string{"x"}},
	{`0; url="x`, []string{"x"}},
	{"0; url=x ; foo", []string{"x ; foo"}},
	{"0; url x", []string{"url x"}},
	{"0;urlx=y", []string{"urlx=y"}},
	{"0; ur", []string{"ur"}},
	{"5;;url=x", []string{";url=x"}},
	{"0; url=", []string{""}},
	{"5", nil},
	{"5;", nil},

	{"", nil},
	{" ", nil},
	{".", nil},
	{".;x", []string{"x"}},
	{" 5 ; ", nil},
	{"\t5\n,\fURL\r=\tx \n", []string{"x"}},
	{"5\u00a0;url=x", nil},
	{"5;\u00a0url=x", []string{"\u00a0url=x"}},
	{"0;u", []string{"u"}},
	{"0;url", []string{"url"}},
	{"0;url ", []string{"url"}},
	{"0;url=url=x", []string{"url=x"}},
	{"0;url= ", []string{""}},
	{`0;url="`, []string{""}},
	{`0;url=""x"`, []string{""}},
	{`0;url=" x "`, []string{" x "}},
	{`0;url='a"b`, []string{`a"b`}},
	{`0;url=x"y"`, []string{`x"y"`}},
	{"0;\xff\x00", []string{"\xff\x00"}},
}

func TestRefresh(t *testing.T) {
	testRows(t, refreshReferences, refreshRows)
	noAllocations(t, refreshReferences, "0; url = 'x'", "5;x")
}

// Only the URL is replaced, and its quotes are the ones that it stood in.
func TestRefreshForms(t *testing.T) {
	const url = `http://h/"a'b`
	for value, want := range map[string]string{
		`0; url = "x" y`:    `0; url = "http://h/%22a'b" y`,
		`0;url='x'y`:        `0;url='http://h/"a%27b'y`,
		"0; url=x ; foo ":   `0; url=http://h/"a'b `,
		"0; url x":          `0; http://h/"a'b`,
		"0; url=":           `0; url=http://h/"a'b`,
		"0; url='x":         `0; url='http://h/"a%27b`,
		"0;url=\t'' ignore": `0;url=` + "\t" + `'http://h/"a%27b' ignore`,
	} {
		references := refreshReferences(nil, []byte(value))
		if got := replaceAll(value, references, true, func(Reference) []byte { return []byte(url) }); got != want {
			t.Errorf("%q written as %q, want %q", value, got, want)
		}
	}
}

func FuzzRefresh(f *testing.F) {
	for _, row := range refreshRows {
		f.Add(row.value, `"a'b c `)
	}
	f.Fuzz(func(t *testing.T, value, path string) {
		checkSyntax(t, refreshReferences, value, absoluteURL(path))
		if n := len(refreshReferences(nil, []byte(value))); n > 1 {
			t.Fatalf("%d references in %q", n, value)
		}
	})
}
