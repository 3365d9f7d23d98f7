package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"absolink/cmd/absolink/internal/console"
)

// A page that wget -p has saved: links to what was saved with it stay, and all others
// become absolute. With wget -k, the links to files are relative already.
func TestKeepLocalOfWget(t *testing.T) {
	needs(t, "wget")
	files := map[string]string{
		"/a/b/page.html": `<link rel=stylesheet href="../style.css?v=2"><img src="x.png"><img src="../my%20picture.png"><img src="/root.png"><a href="next.html">next</a><a href="#s">s</a>`,
		"/a/style.css":   "", "/a/b/x.png": "", "/a/my picture.png": "", "/root.png": "",
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if strings.HasSuffix(r.URL.Path, ".html") {
			w.Header().Set("Content-Type", "text/html")
		}
		fmt.Fprint(w, content)
	}))
	defer server.Close()
	save := func(options ...string) (page, url string) {
		t.Chdir(t.TempDir())
		url = server.URL + "/a/b/page.html"
		wget := exec.Command("wget", append(options, "-q", "-p", "--no-config", "-e", "robots=off", "--no-proxy", url)...)
		if out, err := wget.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return filepath.Join(strings.TrimPrefix(server.URL, "http://"), "a", "b", "page.html"), url
	}
	profile := ""
	rewritten := func(page, url string) string {
		if code, _, stderr := run1("", "-w", "--keep-local", "--profile", profile, "--url", url, page); code != console.ExitDone || stderr != "" {
			t.Errorf("exit code %d: %s", code, stderr)
		}
		return readFile(t, page)
	}
	// wget calls the file of the style sheet "style.css?v=2", to which no browser follows
	// the link, also where wget -k has made the link relative.
	want := strings.ReplaceAll(`<link rel=stylesheet href="SERVER/a/style.css?v=2"><img src="x.png"><img src="../my%20picture.png"><img src="SERVER/root.png"><a href="SERVER/a/b/next.html">next</a><a href="#s">s</a>`, "SERVER", server.URL)
	for _, profile = range []string{"rfc1808", "whatwg"} {
		if got := rewritten(save()); got != want {
			t.Errorf("%s: %s, want\n%s", profile, got, want)
		}
		page, url := save("-k")
		want := strings.Replace(readFile(t, page), "../style.css?v=2", server.URL+"/a/style.css?v=2", 1)
		if got := rewritten(page, url); got != want || !strings.Contains(got, `"../../root.png"`) || !strings.Contains(got, server.URL+"/a/b/next.html") {
			t.Errorf("%s, after -k: %s, want\n%s", profile, got, want)
		}
	}
}

// A saved page of a megabyte that names as many files as it can: no more than so many are
// looked for, and there is one message. One file named by all links is looked for once.
func TestPageOfManyFiles(t *testing.T) {
	const saved = "<!-- saved from url=(0010)http://h/a/ -->\n"
	for _, test := range []struct {
		name, page string
		kept       int
		messages   int
	}{
		{"many names", saved + "<img src=x.png>" + manyNames(90_000), 1, 1},
		{"one name", saved + strings.Repeat("<img src=x.png>", 60_000), 60_000, 0},
		{"deep names", saved + "<img src=x.png>" + strings.Repeat("<img src="+strings.Repeat("d/", 2000)+"x.png>", 250), 1, 0},
		{"names that go up and down", saved + "<img src=x.png>" + strings.Repeat("<img src="+strings.Repeat("../here/", 500)+"x.png>", 250), 1, 1},
		{"a long name", saved + "<img src=x.png><img src=" + strings.Repeat("x", 900_000) + ">", 1, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			write(t, "page.html", test.page)
			write(t, "x.png", "")
			code, stdout, stderr := run1("", "page.html")
			if n := strings.Count(stdout, "src=x.png>"); code != console.ExitDone || n != test.kept {
				t.Errorf("exit code %d, %d links stay", code, n)
			}
			if n := strings.Count(stderr, "\n"); n != test.messages || n > 0 && !strings.Contains(stderr, "more than 65536 files") && !strings.Contains(stderr, "links lead out of ") {
				t.Errorf("%d messages: %.500s", n, stderr)
			}
		})
	}
}

// manyNames returns links to so many files that do not exist.
func manyNames(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<a href=%x>", i)
	}
	return b.String()
}
