package rewriter

import (
	"errors"
	"strings"
	"testing"

	"absolink/resolver"
)

// The error for a URL without a scheme says what to write, where that is known.
func TestParseBaseWithoutScheme(t *testing.T) {
	for _, profile := range profiles {
		for url, want := range map[string]string{
			"example.org": "write https://example.org", " www.example.org/a?b ": "write https://www.example.org/a?b", "localhost/a": "write https://localhost/a",
			"/a.b": "it has no scheme", "../a.b": "it has no scheme", "./a.b": "it has no scheme", "": "it has no scheme", "docs/a.html": "it has no scheme",
			"user:secret@example.org": "", "u@example.org": "it has no scheme",
		} {
			_, err := (Must(New(Options{Profile: profile}))).ParseBase(url)
			if err != nil && (!strings.HasSuffix(strings.TrimSuffix(err.Error(), "/"), want) || strings.Contains(err.Error(), "write") != strings.HasPrefix(want, "write")) || err == nil && want != "" {
				t.Errorf("%s: %q: %v, not %q", profile, url, err, want)
			}
		}
	}
}

// A base URL that is a script, data or too long is used in no layer of no profile,
// and the next layer counts; one from outside loses its user and password.
func TestBasePolicy(t *testing.T) {
	long := "http://h/" + strings.Repeat("a", MaxBase)
	refused := map[string]error{
		"javascript:/alert(1)/":    ErrScriptBase,
		"JavaScript://h/%0aalert/": ErrScriptBase,
		"vbscript://h/":            ErrScriptBase,
		"data:/text/html,x/":       ErrScriptBase,
		"livescript://h/":          ErrScriptBase,
		"javascript:alert(1)":      ErrScriptBase,
		long:                       ErrLongBase,
	}
	for _, profile := range []resolver.Profile{resolver.RFC1808, resolver.RFC3986, resolver.WHATWG} {
		for url, want := range refused {
			if b, err := (Must(New(Options{Profile: profile}))).ParseBase(url); b != nil || !errors.Is(err, want) {
				t.Errorf("%s: ParseBase(%.30s) is %.30s, %v", profile, url, b, err)
			}
			for layer, in := range map[string]string{
				"outer":    "<a href=x><a href=#y>",
				"BASE":     "<base href='" + url + "'><a href=x><a href=#y>",
				"saved":    "<!-- saved from url=(0022)" + url + " --><a href=x><a href=#y>",
				"saver":    "<!--\n Page saved with SingleFile \n url: " + url + " \n--><a href=x><a href=#y>",
				"link":     "<link rel=canonical href='" + url + "'><a href=x><a href=#y>",
				"og:url":   "<meta property=og:url content='" + url + "'><a href=x><a href=#y>",
				"srcdoc":   "<iframe srcdoc=\"<base href='" + url + "'><a href=x><a href=#y>\"></iframe>",
				"relative": "<base href='" + strings.Repeat("a/", MaxBase/2) + "'><a href=x><a href=#y>",
			} {
				outer, err := resolver.ParseBase(url, profile)
				if layer == "BASE" || layer == "srcdoc" || layer == "relative" {
					outer, err = mustParse(t, "http://next/", profile), nil
				}
				if err != nil || layer != "outer" && outer.String() != "http://next/" {
					outer = nil // which cannot be given
				}
				for _, whole := range []bool{false, true} {
					var warned []error
					rw := Must(New(Options{Profile: profile, Canonical: true, WholeDocument: whole})).With(Hooks{Warn: func(_ int64, err error) { warned = append(warned, err) }})
					got, r := rewrite(t, rw, in, outer)
					if i := strings.LastIndex(got, "<a href=x"); outer == nil && i < 0 || strings.Contains(strings.TrimPrefix(got, in[:strings.Index(in, "<a href")]), url[:9]) && url[:9] != "http://h/" {
						t.Errorf("%s: %s %.30s: written %.200s", profile, layer, url, got)
					}
					if outer != nil && layer != "outer" && !strings.Contains(got, "<a href=http://next/x><a href=http://next/#y>") {
						t.Errorf("%s: %s %.30s: the next layer does not count: %.200s", profile, layer, url, got)
					}
					if layer == "outer" && outer == nil {
						continue
					}
					if want := map[bool]error{true: ErrLongBase, false: want}[layer == "relative"]; len(warned) == 0 || !errors.Is(warned[0], want) || r.Warnings != len(warned) {
						t.Errorf("%s: %s %.30s: warned %v", profile, layer, url, warned)
					}
				}
			}
		}
	}
}

// Links do not tell the user and password of a retrieval URL; those in the document
// are everybody's.
func TestCredentials(t *testing.T) {
	const user = "http://user:secret@h/d/p"
	for _, profile := range []resolver.Profile{resolver.RFC1808, resolver.RFC3986, resolver.WHATWG} {
		rw := Must(New(Options{Profile: profile}))
		b, err := rw.ParseBase(user)
		if b.String() != "http://h/d/p" || !errors.Is(err, ErrCredentials) {
			t.Errorf("%s: ParseBase is %s, %v", profile, b, err)
		}
		for in, want := range map[string]string{
			"<a href=x>":               "<a href=http://h/d/x>",
			"<base href=y/><a href=x>": "<base href=http://h/d/y/><a href=http://h/d/y/x>",
			"<!-- saved from url=(0022)" + user + " --><a href=x>": "<!-- saved from url=(0022)" + user + " --><a href=http://h/d/x>",
			"<base href=http://u:p@b/><a href=x>":                  "<base href=http://u:p@b/><a href=http://u:p@b/x>",
		} {
			outer := mustParse(t, user, profile)
			if strings.Contains(in, "saved") {
				outer = nil
			}
			var warned []error
			rw := Must(New(Options{Profile: profile})).With(Hooks{Warn: func(_ int64, err error) { warned = append(warned, err) }})
			got, r := rewrite(t, rw, in, outer)
			if got != want || len(warned) != 1 || !errors.Is(warned[0], ErrCredentials) {
				t.Errorf("%s: %s became %s, warned %v", profile, in, got, warned)
			}
			if !strings.Contains(in, "u:p@b") && strings.Contains(r.Base.URL.String(), "secret") {
				t.Errorf("%s: the result tells %s", profile, r.Base.URL)
			}
		}
	}
}
