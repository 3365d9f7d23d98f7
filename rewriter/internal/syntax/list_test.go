package syntax

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

// withKeys makes a syntax with Options one without them.
func withKeys(s Syntax, keys string) valueSyntax {
	return func(dst []Reference, value []byte) []Reference {
		return s.Find(dst, value, Options{Keys: keys})
	}
}

var (
	commas     = withKeys(Commas, "")
	semicolons = withKeys(Semicolons, "")
	urlPairs   = withKeys(Semicolons, "url icon-uri")
)

func TestCommas(t *testing.T) {
	testRows(t, commas, []syntaxRow{
		{"", nil},
		{" , ,, ", nil},
		{"a.jar", []string{"a.jar"}},
		{"a.jar,b.jar", []string{"a.jar", "b.jar"}},
		{" a.jar ,\nb c.jar ,", []string{"a.jar", "b c.jar"}},
		{",\xff", []string{"\xff"}},
	})
	noAllocations(t, commas, "a, b ,c")
}

func TestSemicolons(t *testing.T) {
	testRows(t, semicolons, []syntaxRow{
		{" ; ;", nil},
		{"a;b c ; d,e", []string{"a", "b c", "d,e"}},
		{"a=b;", []string{"a=b"}},
	})
	noAllocations(t, semicolons, "a; b ;c")
}

func TestPairs(t *testing.T) {
	testRows(t, urlPairs, []syntaxRow{
		{"", nil},
		{"url", nil},
		{"url=", nil},
		{"url= ;icon-uri=\t;=;", nil},
		{"a;=b;url=c", []string{"c"}},
		{" URL\n=\t/a?b=c,d ;x=y; icon-uri=z", []string{"/a?b=c,d", "z"}},
		{"name=url=a;urls=b;icon=c;my url=d", nil},
		{"url=a;url=b", []string{"a", "b"}},
		{"url==", []string{"="}},
		{"\u00a0url=a;url\x00=b;url=\xff", []string{"\xff"}},
	})
	noAllocations(t, urlPairs, "a=b; url=c ;icon-uri=d")
}

func FuzzList(f *testing.F) {
	for _, value := range []string{"", "a b", " a\tb,c ", "a,b", " , a ,", ",,", ";a ; b", "a=b;url=c", "url=;URL = d"} {
		f.Add(value, ",a b;")
	}
	f.Fuzz(func(t *testing.T, value, path string) {
		checkSyntax(t, listReferences, value, absoluteURL(path))
		checkSyntax(t, commas, value, absoluteURL(path))
		checkSyntax(t, semicolons, value, absoluteURL(path))
		checkSyntax(t, urlPairs, value, absoluteURL(path))
	})
}
