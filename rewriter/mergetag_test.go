package rewriter

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"absolink/resolver"
)

func TestMergeTag(t *testing.T) {
	for _, tt := range []struct{ ref, tag, pattern string }{
		{"{{x}}", "{{x}}", "{{*"},
		{"{{{x}}}?a", "{{{x}}", "{{*"},
		{"*|UNSUB|*", "*|UNSUB|*", `\*|*`},
		{"/u/*|ID|*", "*|ID|*", `*\*|*`},
		{"%%x%%", "%%x%%", "%%*"},
		{"[[URL]]", "[[URL]]", "[[*"},
		{"<%= u %>", "<%= u %>", "<%*"},
		{"{% if a %}b{% endif %}", "{% if a %}", "{%*"},
		{"/u/{{x}}%%y%%", "{{x}}", "*{{*"},
		{"{{}}", "", ""},
		{"%%%%", "", ""},
		{"{{x", "", ""},
		{"x}}{{", "", ""},
		{"a[b]c", "", ""},
		{"100%25", "", ""},
	} {
		tag, kind := mergeTag([]byte(tt.ref))
		if string(tag) != tt.tag || (kind < 0) != (len(tag) == 0) {
			t.Errorf("%q: %q of kind %d, not %q", tt.ref, tag, kind, tt.tag)
		}
		if kind < 0 {
			continue
		}
		pattern := keeping([]byte(tt.ref), tag, kind)
		place := Place{Ref: tt.ref}
		Must(New(Options{Keep: []string{pattern}})).Reference(&place, nil)
		if pattern != tt.pattern || place.Err != ErrKept {
			t.Errorf("%q is to be kept with %q, not %q", tt.ref, pattern, tt.pattern)
		}
	}
}

// tagWarnings returns the merge tags that Warn is told of in a document, and their patterns.
func tagWarnings(t *testing.T, o Options, in string) (refs, patterns []string) {
	t.Helper()
	base, err := resolver.ParseBase("https://h/a/b", o.Profile)
	if err != nil {
		t.Fatal(err)
	}
	rw := Must(New(o))
	warn := func(offset int64, err error) {
		tag, ok := errors.AsType[*TagError](err)
		if !ok || !strings.HasPrefix(in[offset:], tag.Ref) {
			t.Errorf("at %d: %v", offset, err)
			return
		}
		refs, patterns = append(refs, tag.Ref), append(patterns, tag.Pattern)
	}
	result, err := rw.With(Hooks{Warn: warn}).Rewrite(nil, strings.NewReader(in), base)
	alone, _ := rw.Rewrite(nil, strings.NewReader(in), base)
	if err != nil || result.Warnings != len(refs) || alone.Warnings != len(refs) {
		t.Errorf("%d and %d warnings, not %d: %v", result.Warnings, alone.Warnings, len(refs), err)
	}
	return refs, patterns
}

// A document has a warning for each kind of merge tag that is not put in any more as it was meant
// to be, wherever the tag stands. With the patterns that the warnings name, it has none.
func TestTagWarnings(t *testing.T) {
	for _, tt := range []struct {
		profile resolver.Profile
		in      string
		want    []string // the patterns
	}{
		{resolver.RFC1808, "<a href={{x}}><a href={{y}}>", []string{"{{*"}},
		{resolver.WHATWG, "<a href={{x}}><a href={{y}}>", []string{"{{*"}},
		{resolver.RFC1808, "<a href='/p/{{ id }}'>", nil},
		{resolver.WHATWG, "<a href='/p/{{ id }}'>", []string{"*{{*"}},
		{resolver.RFC1808, "<a href=*|X|*><a href='{% u %}'><a href=[[x]]><a href=%%x%%><a href='<% u %>'>", []string{`\*|*`, "{%*", "[[*", "%%*", "<%*"}},
		{resolver.RFC1808, "<img srcset='{{x}} 1x, a 2x'>", []string{"{{*"}},
		{resolver.RFC1808, "<p style='background: url({{x}})'>", []string{"{{*"}},
		{resolver.RFC1808, "<style>p { background: url({{x}}) }</style>", []string{"{{*"}},
		{resolver.RFC1808, "<iframe srcdoc='<a href={{x}}>'></iframe><a href={{y}}>", []string{"{{*"}},
		{resolver.RFC1808, "<a href=http://e/{{x}}><a href=100%25><a href=a[b]*c><a href=#{{x}}>{{x}}", nil},
		{resolver.RFC1808, "<script>'{{x}}'</script><!-- <a href={{x}}> -->", nil},
	} {
		_, got := tagWarnings(t, Options{Profile: tt.profile}, tt.in)
		if fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%s, %s: %q, not %q", tt.profile, tt.in, got, tt.want)
		}
		if refs, _ := tagWarnings(t, Options{Profile: tt.profile, Keep: got}, tt.in); len(got) > 0 && len(refs) > 0 {
			t.Errorf("%s, %s: %q is not kept by %q", tt.profile, tt.in, refs, got)
		}
	}
}
