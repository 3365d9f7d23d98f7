package rewriter

import "testing"

func TestList(t *testing.T) {
	testRows(t, listReferences, []syntaxRow{
		{"", nil},
		{" \t\n\f\r", nil},
		{"a", []string{"a"}},
		{"a b", []string{"a", "b"}},
		{" a\r\n\tb,c \f", []string{"a", "b,c"}},
		{"a\u00a0b \xff\x00", []string{"a\u00a0b", "\xff\x00"}},
	})
	noAllocations(t, listReferences, "a b  c")
}

func TestComma(t *testing.T) {
	testRows(t, commaReferences, []syntaxRow{
		{"", nil},
		{" , ,, ", nil},
		{"a.jar", []string{"a.jar"}},
		{"a.jar,b.jar", []string{"a.jar", "b.jar"}},
		{" a.jar ,\nb c.jar ,", []string{"a.jar", "b c.jar"}},
		{",\xff", []string{"\xff"}},
	})
	noAllocations(t, commaReferences, "a, b ,c")
}

func FuzzList(f *testing.F) {
	for _, value := range []string{"", "a b", " a\tb,c ", "a,b", " , a ,", ",,"} {
		f.Add(value, ",a b,")
	}
	f.Fuzz(func(t *testing.T, value, path string) {
		checkSyntax(t, listReferences, value, absoluteURL(path))
		checkSyntax(t, commaReferences, value, absoluteURL(path))
	})
}
