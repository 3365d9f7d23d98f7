package main

import (
	"fmt"
	"strings"
	"testing"

	"absolink/cmd/absolink/internal/console"
	"absolink/resolver"
)

func TestHostOf(t *testing.T) {
	for url, want := range map[string]string{
		"http://h":                  "h",
		"http://H.example.:80/p":    "h.example.",
		"http://u:p@h@i:80/":        "i",
		"http://[::1]:80/":          "[::1]",
		"http://[::1]/":             "[::1]",
		"http://h?q@r/":             "h",
		`http://h\p/`:               "h",
		"http://h#f":                "h",
		"http://:80/":               "",
		"http:///p":                 "",
		"file:///p":                 "",
		"mailto:a@b":                "",
		"data:,//h/":                "",
		"http:h":                    "",
		"http://user@/":             "",
		"http://xn--4ca.example:x/": "xn--4ca.example",
	} {
		if got := hostOf(resolver.Split(url).NetLoc); got != want {
			t.Errorf("%q: %q", url, got)
		}
	}
}

// The counts by place add up to the number of places, and those by scheme to the
// number of absolute URLs.
func TestReportAddsUp(t *testing.T) {
	t.Chdir(t.TempDir())
	document := `<base href="http://h/"><a href="data:,` + strings.Repeat("x", 100<<10) + `"><img srcset="a, b 2x"><a href="">` +
		`<iframe srcdoc="<a href=x><a href='http://i/'>" src=""></iframe><form action=""><svg><use href="#x"/></svg><style>@import "x"; a { b: url(y) }</style>` +
		"<a href='http://h\x01\n\xff/'><x\xff href=\"//A&#7;b/\">"
	write(t, "page.html", document)
	for _, profile := range []string{"rfc1808", "rfc3986", "whatwg"} {
		code, stdout, stderr := run1("", "--report", "--profile", profile, "page.html")
		sums := map[string]*counts{"place": {}, "scheme": {}, "documents": {}, "places": {}, "host": {}}
		for line := range strings.Lines(stdout) {
			fields := strings.Fields(line)
			if len(fields) == 0 || sums[fields[0]] == nil {
				continue
			}
			var c counts
			scan(t, fields[1:], &c.All, &c.Rewritten, &c.Absolute, &c.Left, &c.Unresolvable)
			if c.All != c.Rewritten+c.Absolute+c.Left+c.Unresolvable && fields[0] != "documents" {
				t.Errorf("%s: %s", profile, line)
			}
			sums[fields[0]].add(c)
		}
		all, scheme := *sums["places"], *sums["scheme"]
		if code != console.ExitDone || all.All < 12 || *sums["place"] != all || scheme.Rewritten != all.Rewritten || scheme.Absolute != all.Absolute-1 || scheme.Left+scheme.Unresolvable > 0 {
			t.Errorf("%s: %d, %s\n%s", profile, code, stderr, stdout)
		}
		if !strings.Contains(stdout, " 0            0  (longer than 64 KiB)\n") {
			t.Errorf("%s: no long URL\n%s", profile, stdout)
		}
	}
}

func scan(t *testing.T, fields []string, numbers ...*int) {
	t.Helper()
	for i, n := range numbers {
		if _, err := fmt.Sscan(fields[i], n); err != nil {
			t.Fatal(err)
		}
	}
}
