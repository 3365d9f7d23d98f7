package syntax

import "testing"

func TestImage(t *testing.T) {
	testRows(t, imageReferences, []syntaxRow{
		{"", nil},
		{"a.png", []string{"a.png"}},
		{" a b.png\n", []string{" a b.png\n"}},
		{"image(1).png", []string{"image(1).png"}},
		{"a/url(1).png", []string{"a/url(1).png"}},
		{"http://h/url(1).png", []string{"http://h/url(1).png"}},
		{"(url(a))", []string{"(url(a))"}},
		{"curl", []string{"curl"}},
		{"url(a)", []string{"a"}},
		{"\t URL( 'a' ), url(b)", []string{"a", "b"}},
		{"-x-gradient(red), url(a)", []string{"a"}},
		{"url(#a)", nil},
		{"url(a b)", nil},
		{"image-set(url(a) 1x, 'b' 2x)", []string{"a", "b"}},
	})
	testRows(t, imageSetReferences, []syntaxRow{
		{"", nil},
		{"a.png", []string{"a.png"}},
		{"a.png 1x, url(1).png 2x", []string{"a.png", "url(1).png"}},
		{"url(a) 1x, url('b,c') 2x", []string{"a", "b,c"}},
	})
	noAllocations(t, imageReferences, "a.png", "url(a.png)")
	noAllocations(t, imageSetReferences, "a.png 1x, b.png", "url(a.png) 1x")
}

func FuzzImage(f *testing.F) {
	for _, value := range []string{"", "a.png", " url(a), url('b')", "x(url(a)", "image(1).png", "a 1x, b 2x"} {
		f.Add(value, "url(a)")
	}
	f.Fuzz(func(t *testing.T, value, path string) {
		checkSyntax(t, imageReferences, value, plainURL(path))
		checkSyntax(t, imageSetReferences, value, absoluteURL(path))
	})
}
