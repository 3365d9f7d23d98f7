package rewriter

import (
	"errors"
	"fmt"
	"testing"
)

func ExampleString() {
	html, err := String(`<a href="b.html">`, "http://example.org/a/")
	fmt.Println(html, err)
	// Output: <a href="http://example.org/a/b.html"> <nil>
}

func TestString(t *testing.T) {
	for _, tt := range []struct {
		in, url, want string
		err           error
	}{
		{"<a href=x>", "", "<a href=x>", nil},
		{"<base href=http://b/><a href=x>", "", "<base href=http://b/><a href=http://b/x>", nil},
		{"<a href=x>", "http://u:p@h/", "<a href=http://h/x>", nil},
		{"<a href=x>", "javascript:/y", "<a href=x>", ErrScriptBase},
	} {
		if got, err := String(tt.in, tt.url); got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%s on %q: %s, %v", tt.in, tt.url, got, err)
		}
	}
	if got, err := String("<a href=x>", "not a URL"); got != "<a href=x>" || err == nil {
		t.Errorf("%s, %v", got, err)
	}
}
