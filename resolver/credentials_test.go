package resolver

import (
	"strings"
	"testing"
)

func TestWithoutCredentials(t *testing.T) {
	for _, tt := range []struct {
		profile   Profile
		url, want string
	}{
		{RFC1808, "http://u:p@h/a?b#c", "http://h/a?b#c"},
		{RFC1808, "http://u@h:80/", "http://h:80/"},
		{RFC1808, "http://u:p?w@h/", "http://h/"},
		{RFC1808, "http://u:p@q@h/", "http://h/"},
		{RFC1808, "http://h/u@x?y@z", "http://h/u@x?y@z"},
		{RFC1808, "ftp://:@h/", "ftp://h/"},
		{RFC1808, "file:/u@h", "file:/u@h"},
		{RFC1808, "x:/y//u@h", "x:/y//u@h"},
		{RFC3986, "http://u:p@h?a@b", "http://h?a@b"},
		{RFC3986, "mailto:u@h", "mailto:u@h"},
		{RFC3986, "ssh://u@h", "ssh://h"},
		{RFC3986, "urn:x//u@h", "urn:x//u@h"},
		{WHATWG, `https:u:p@h`, "https://h/"},
		{WHATWG, `https://u:p@h?x@y`, "https://h/?x@y"},
		{WHATWG, `https://:p@h/#@`, "https://h/#@"},
		{WHATWG, `https://h/u:p@x`, "https://h/u:p@x"},
		{WHATWG, `git://u@h`, "git://h"},
		{WHATWG, `mailto:x//u@h`, "mailto:x//u@h"},
		{WHATWG, `git:/x//u@h`, "git:/x//u@h"},
	} {
		b, err := ParseBase(tt.url, tt.profile)
		if err != nil {
			t.Fatal(err)
		}
		got := b.WithoutCredentials()
		if got.String() != tt.want {
			t.Errorf("%s: %s without credentials is %s, want %s", tt.profile, tt.url, got, tt.want)
		}
		if again := got.WithoutCredentials(); again != got {
			t.Errorf("%s: again: %s", tt.profile, again)
		}
	}
	if b := (*Base)(nil).WithoutCredentials(); b != nil {
		t.Errorf("of no base: %v", b)
	}
}

// No message shows a user or a password.
func TestRedact(t *testing.T) {
	for _, url := range []string{
		"http://secret:secret@h/", "http://secret@h", "//secret:secret@h/x", `\\secret@h`, "http:secret@h", "ht\ntp:/secret@h/",
		" https:///secret:secret@h", "http://secret?secret@h/", "http://secret#secret@h", "http://secret@secret@h", "x://secret@h/", "http://secret@", "view-source:http://secret:secret@h/", "blob:http:secret@h",
	} {
		if got := Redact(url); strings.Contains(got, "secret") || !strings.Contains(got, "…@") {
			t.Errorf("%q is shown as %q", url, got)
		}
		for _, p := range []Profile{RFC1808, RFC3986, WHATWG} {
			if _, err := ParseBase(url, p); err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("%s: %v", p, err)
			}
		}
	}
	for _, url := range []string{"", "x", "http://h/", "http://h/a@b", "mailto:u@h", "a@b", "/a@b", "?//a@b", "data:,//a@b", "news:a@b"} {
		if got := Redact(url); got != url {
			t.Errorf("%q is shown as %q", url, got)
		}
	}
}
