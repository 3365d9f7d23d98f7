package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"absolink/cmd/absolink/internal/console"
	"absolink/internal/listing"
	"absolink/internal/test/testio"
)

// evil has bytes that a terminal obeys, and a line that looks like a message.
const evil = "\x1b]0;title\x07\x1b[31m\r\b\x7f\u009b2J\u0085\u2028\u202e\u2066\x9b1m\xff\nabsolink: forged"

// run1 runs the command and returns what it prints.
func run1(stdin string, args ...string) (code int, stdout, stderr string) {
	var out, err strings.Builder
	code = run(args, strings.NewReader(stdin), &out, &err)
	return code, out.String(), err.String()
}

// checkVisible tests that a terminal shows lines of text, and obeys nothing in them.
func checkVisible(t *testing.T, what, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if i := strings.IndexFunc(line, func(c rune) bool {
			return unicode.In(c, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
		}); i >= 0 || !utf8.ValidString(line) {
			t.Errorf("%s: a terminal obeys %q", what, line)
		}
	}
}

func checkMessages(t *testing.T, what, stderr string) {
	t.Helper()
	checkVisible(t, what, stderr)
	for line := range strings.Lines(stderr) {
		if !strings.HasPrefix(line, "absolink: ") || strings.HasPrefix(line, "absolink: forged") {
			t.Errorf("%s: %q is not a message", what, line)
		}
	}
}

// What a server sends reaches the terminal as text.
func TestServerCannotWriteToTerminal(t *testing.T) {
	oneLine := strings.ReplaceAll(evil, "\n", " ")
	const end = "Connection: close\r\n\r\n<a href=x>"
	for name, response := range map[string]string{
		"status":    "HTTP/1.1 404 " + oneLine + "\r\n" + end,
		"protocol":  evil + "\r\n" + end,
		"number":    "HTTP/1.1 2" + oneLine + "\r\n" + end,
		"type":      "HTTP/1.1 200 OK\r\nContent-Type: text/" + oneLine + "\r\n" + end,
		"charset":   "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=\"" + oneLine + "\"\r\n" + end,
		"coding":    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: " + oneLine + "\r\n" + end,
		"location":  "HTTP/1.1 302 Found\r\nLocation: http://h/" + oneLine + "\r\n" + end,
		"host":      "HTTP/1.1 302 Found\r\nLocation: http://" + oneLine + "/\r\n" + end,
		"scheme":    "HTTP/1.1 302 Found\r\nLocation: " + oneLine + ":x\r\n" + end,
		"name":      "HTTP/1.1 200 OK\r\n" + oneLine + ": x\r\n" + end,
		"length":    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: " + oneLine + "\r\n" + end,
		"long":      "HTTP/1.1 404 " + strings.Repeat("x", 100<<10) + "\r\n" + end,
		"long evil": "HTTP/1.1 404 " + strings.Repeat("\x1b", 100<<10) + "\r\n" + end,
	} {
		url := testio.Raw(t, func() string { return response })
		for _, command := range []string{"rewrite", "list", "base"} {
			code, _, stderr := run1("", command, url)
			if code == console.ExitNotDone && stderr == "" {
				t.Errorf("%s: no message", name)
			}
			checkMessages(t, name, stderr)
			if len(stderr) > 5*listing.MaxMessage {
				t.Errorf("%s: a message of %d bytes", name, len(stderr))
			}
		}
	}
}

// What is in the names of files, and in documents, messages, feeds and archives,
// reaches the terminal as text: in messages, and in what is printed for people.
func TestFilesCannotWriteToTerminal(t *testing.T) {
	t.Chdir(t.TempDir())
	const body = "<base href=\"http://[\"><a href=\"//[" + evil + "\"><x" + "\x9b\u009b" + " href='data:" + evil + "'><img src=x><base href=\"data:" + evil + "\">"
	contents := map[string]string{
		".html": body,
		".eml":  "Content-Type: text/html\nContent-Location: http://[" + strings.ReplaceAll(evil, "\n", "") + "\nContent-MD5: " + strings.ReplaceAll(evil, "\n", "") + "\n\n" + body,
		".rss":  "<rss version='2.0'><channel xml:base=\"http://[" + evil + "\"><item><link>http://[" + evil + "</link><description><![CDATA[" + body + "]]></description></item></channel></rss>",
		".warc": "WARC/1.0\r\nWARC-Type: resource\r\nContent-Type: text/html\r\nWARC-Target-URI: " + strings.ReplaceAll(evil, "\n", "") + "\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body + "\r\n\r\nWARC/" + evil + "\r\n",
		".js":   evil,
	}
	var names []string
	for ext, content := range contents {
		name := "x" + evil + ext
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			name = "x" + ext // not every file system takes such names
			write(t, name, content)
		}
		names = append(names, name)
	}
	if err := os.Mkdir("dir"+evil, 0o777); err == nil {
		names = append(names, "dir"+evil)
	}
	os.Symlink("/none"+evil, "link"+evil) // where there are links
	names = append(names, "missing"+evil)
	write(t, "manifest", "missing"+strings.ReplaceAll(evil, "\n", ""))
	for _, args := range [][]string{
		{"base", "--url", "http://h/"}, {"list", "--format", "jsonl"}, {"list", "--format", "text"}, {"list", "--profile", "whatwg", "--format", "jsonl", "--url", "http://h/"},
		{"list", "--profile", "whatwg", "--format", "text", "--url", "http://h/"}, {"rewrite", "--report"}, {"rewrite", "--report", "--profile", "whatwg", "--url", "http://h/"},
		{"list", "--manifest", "manifest"}, {"list", "-o", "missing" + evil + "/x"}, {"rewrite", "--report", "--url", "x" + evil}, {"rewrite", "--report", "--url", "http://" + evil},
		{"rewrite", "--report", "--charset", evil}, {"rewrite", "--rule", evil}, {"rewrite", "--report", "--profile", evil}, {"rewrite", "--rules", evil}, {"rewrite", "--hold", evil}, {"rewrite", "--" + evil},
	} {
		code, stdout, stderr := run1("", append(args, names...)...)
		if code == console.ExitDone || stderr == "" {
			t.Errorf("%q: %d, %s", args, code, stderr)
		}
		checkMessages(t, fmt.Sprint(args), stderr)
		checkVisible(t, fmt.Sprint(args), stdout)
	}
	for _, args := range [][]string{
		{"rewrite", "--profile", "whatwg", "--url", "http://h/"}, {"rewrite", "-w", "--url", "http://h/"}, {"warc", "-o", "dir" + evil}, {"warc", "--replace", "-o", "out" + evil + ".warc"},
	} {
		_, _, stderr := run1("", append(args, names...)...)
		checkMessages(t, fmt.Sprint(args), stderr)
	}
	for _, args := range [][]string{{"tree", "--check", "--profile", "whatwg", "."}, {"tree", ".", "../out" + evil}, {"tree", "-w", "missing" + evil}, {"tree", "--json", "--index", evil + "/", ".", "x"}, {"tree", "--exclude", "[" + evil, ".", "x"}} {
		_, stdout, stderr := run1("", append(args, "--url", "http://h/")...)
		if stderr == "" {
			t.Errorf("%q: no message", args)
		}
		checkMessages(t, fmt.Sprint(args), stderr)
		checkVisible(t, fmt.Sprint(args), stdout)
	}
}

// The headers of a diff are text, and patch still finds the file.
func TestDiffOfHostileNames(t *testing.T) {
	documents := map[string]string{}
	t.Chdir(t.TempDir())
	for _, name := range []string{"\x1b[31m.html", "\u009b2J\u202e.html", "\x7f\x01 .html", "\r.html", "\xff\x9b.html"} {
		if err := os.WriteFile(name, []byte("<a href=x>\n"), 0o666); err != nil {
			t.Log(err) // not every file system takes such names
			continue
		}
		documents[name] = "<a href=x>\n"
		diff := absolink(t, "--diff", "--url", "http://h/", name)
		if !strings.HasPrefix(diff, `--- "`) {
			t.Errorf("%q has the diff %q", name, diff)
		}
		checkVisible(t, name, diff)
	}
	testPatch(t, "http://h/", documents)
}

// secrets serves pages that want a user and a password.
func secrets(t *testing.T) (url string) {
	t.Helper()
	mux := http.NewServeMux()
	page := func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "secret" || password != "se:cret/?#@" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<a href=x><a href=''><form action=''>")
	}
	mux.HandleFunc("/page", page)
	mux.HandleFunc("/{$}", page)
	mux.HandleFunc("/message", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "message/rfc822")
		io.WriteString(w, "Content-Location: y\nContent-Type: text/html\n\n<a href=x>")
	})
	mux.Handle("/moved", http.RedirectHandler("/page", http.StatusFound))
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://secret:se%3Acret%2F%3F%23%40@"+r.Host+"/page", http.StatusFound)
	})
	mux.HandleFunc("/nowhere", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://secret:secret@"+r.Host+"/none", http.StatusFound)
	})
	for path, location := range map[string]string{
		"/ftp": "ftp://secret:secret@h/", "/port": "http://secret:secret@h:x/", "/control": "http://secret:secret@h/\x01", "/refused": "http://secret:secret@127.0.0.1:1/",
		"/oddport": "http://secret:sec/ret@h/", "/long": "/page?" + strings.Repeat("x", 9<<10),
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header()["Location"] = []string{location}
			w.WriteHeader(http.StatusFound)
		})
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// withSecret returns a URL with a user and a password.
func withSecret(url string) string {
	return strings.Replace(url, "://", "://secret:se%3Acret%2F%3F%23%40@", 1)
}

// A user and a password in a URL open pages, and are not written anywhere.
func TestSecretsOpenPages(t *testing.T) {
	server := secrets(t)
	t.Chdir(t.TempDir())
	for _, row := range []struct{ args, want string }{
		{"rewrite URL/page", "<a href=SERVER/x><a href='SERVER/page'><form action='SERVER/page'>"},
		{"rewrite URL", "<a href=SERVER/x><a href='SERVER/'><form action='SERVER/'>"},
		{"rewrite URL/moved", "<a href=SERVER/x><a href='SERVER/page'><form action='SERVER/page'>"},
		{"rewrite SERVER/away", "<a href=SERVER/x><a href='SERVER/page'><form action='SERVER/page'>"},
		{"rewrite --url http://secret:secret@h/ URL/page", "<a href=http://h/x><a href='http://h/'><form action='http://h/'>"},
		{"rewrite --diff URL/page", "--- SERVER/page\n+++ SERVER/page\n"},
		{"rewrite --report URL/page", "a[href]=url"},
		{"list URL/page", `{"file":"SERVER/page","offset":8,"element":"a","attr":"href","syntax":"url","raw":"x","ref":"x","url":"SERVER/x"}`},
		{"list --format csv URL/page", "SERVER/page,,,,,,,8,a,href,url,,,x,x,SERVER/x,"},
		{"list --format text URL/moved", "SERVER/moved:1:9: a[href] SERVER/x\n"},
		{"base URL/page", "SERVER/page: SERVER/page, retrieval URL: response\n"},
		{"base SERVER/away", "SERVER/away: SERVER/page, retrieval URL: response\n"},
		{"base URL/message", "SERVER/message:4:1: SERVER/y, from the message: Content-Location, line 1, column 1; overrides SERVER/message, retrieval URL: response\n"},
		{"base --url http://secret:secret@h/ URL/page", "SERVER/page: http://h/, retrieval URL: --url\n"},
	} {
		for _, profile := range []string{"rfc1808", "rfc3986", "whatwg"} {
			args := strings.Fields(strings.NewReplacer("URL", withSecret(server), "SERVER", server).Replace(row.args))
			args = append(args, "--profile", profile)
			code, stdout, stderr := run1("", args...)
			if want := strings.ReplaceAll(row.want, "SERVER", server); code != console.ExitDone || !strings.Contains(stdout, want) {
				t.Errorf("%q: %d, %s%s", args, code, stdout, stderr)
			}
			if strings.Contains(stdout+stderr, "ecret") {
				t.Errorf("%q tells\n%s%s", args, stdout, stderr)
			}
		}
	}
	if code, stdout, stderr := run1("", "list", "-o", "./", withSecret(server)); code != console.ExitDone {
		t.Errorf("%d, %s%s", code, stdout, stderr)
	}
	files, err := os.ReadDir(".")
	if err != nil || len(files) != 1 || strings.Contains(files[0].Name(), "ecret") {
		t.Errorf("files %v, %v", files, err)
	}
}

// Whatever goes wrong, no message tells a user or a password.
func TestMessagesTellNoSecrets(t *testing.T) {
	server := secrets(t)
	t.Chdir(t.TempDir())
	pages := map[string]string{
		"base.html":  "<base href='http://secret:secret@[/'><a href=x>",
		"query.html": "<base href='http://secret:secret@h?x'><a href=x>",
		"long.html":  "<base href='http://secret:" + strings.Repeat("secret", 100) + "@['><a href=x>",
		"links.html": "<p><a href='//secret:secret@['><a href='ws:secret:secret@['><a href='http:\\\\secret:secret@h:x'>",
		"saved.html": "<!-- saved from url=(0032)http://secret:secret@[/ --><a href=x>",
		"mail.eml":   "Content-Type: text/html\nContent-Location: http://secret:secret@[/\nBase: <URL:http://secret:secret@h?x>\n\n<a href=x>",
		"feed.rss":   "<rss version='2.0' xml:base='http://secret:secret@['><channel><item><link>http://secret:secret@h?x</link><description>&lt;a href=x></description></item></channel></rss>",
		"in.warc":    "WARC/1.0\r\nWARC-Type: resource\r\nContent-Type: text/html\r\nWARC-Target-URI: http://secret:secret@[/\r\nContent-Length: 10\r\n\r\n<a href=x>\r\n\r\n",
		"canon.html": "<link rel=canonical href='http://secret:secret@['><a href=x>",
	}
	var names []string
	for name, content := range pages {
		write(t, name, content)
		names = append(names, name)
	}
	urls := []string{
		server + "/ftp", server + "/port", server + "/control", server + "/refused", server + "/oddport", server + "/nowhere", withSecret(server) + "/none", withSecret(server) + "/ftp",
		"http://secret:secret@127.0.0.1:1/", "http://secret:secret@[/", "http://secret:secret@h:x/", "http://secret:secret@/", "http://secret:sec/ret@h/", "http://secret:se?cret@h/",
		"http://secret:se#cret@h/", "http://secret:se cret@h/", "http://secret:se@cret@h:x/", "http://secret:se\\cret@h:x/", "http://secret:se\x01cret@[/", "HTTPS://secret:secret@127.0.0.1:1/",
		"ftp://secret:secret@h/", "http://secret:secret@h\x7f/", "http://secret:secret@h/%zz", "http://secret:" + strings.Repeat("secret", 5000) + "@[/",
	}
	check := func(args ...string) {
		t.Helper()
		_, stdout, stderr := run1("", args...)
		if strings.Contains(stderr, "ecret") || strings.Contains(stderr, ":sec") {
			t.Errorf("%.300q tells\n%.2000s", args, stderr)
		}
		if args[0] == "base" && strings.Contains(stdout, "ecret") {
			t.Errorf("%.300q prints\n%.2000s", args, stdout)
		}
		checkMessages(t, fmt.Sprintf("%.300q", args), stderr)
	}
	for _, profile := range []string{"rfc1808", "rfc3986", "whatwg"} {
		for _, url := range urls {
			check("base", "--profile", profile, "--timeout", "10s", url)
			check("rewrite", "--profile", profile, "--url", url, "--canonical", "links.html")
			check("tree", "--check", "--profile", profile, "--url", url, ".")
			if profile != "rfc1808" || strings.Contains(url, " ") { // which nothing takes for a URL
				continue
			}
			check("rewrite", "--timeout", "10s", url)
			check("list", "--timeout", "10s", url)
			check("rewrite", "-w", url)
			check("rewrite", "-o", url, "links.html")
			check("rewrite", "--user-agent", "x", "--diff", "--report", url)
			check("rewrite", "--hold", url)
			check("warc", url, "-o", "out.warc")
			check("warc", "in.warc", "-o", url)
			check("resolve", "--profile", profile, url, "//[")
			check(url, url, "--"+url)
		}
		for _, command := range [][]string{{"rewrite"}, {"rewrite", "--diff"}, {"rewrite", "--report"}, {"list"}, {"list", "--format", "text"}, {"base"}} {
			check(append(append(command, "--canonical", "--profile", profile, "--url", "http://u/"), names...)...)
			check(append(append(command, "--canonical", "--profile", profile), names...)...)
		}
		check("tree", "--check", "--profile", profile, "--url", "http://u/", ".")
		check("warc", "in.warc", "-o", "out.warc")
	}
}

// A redirect may lead to a URL that is too long to be a base.
func TestLongURLIsNoBase(t *testing.T) {
	server := secrets(t)
	code, stdout, stderr := run1("", withSecret(server)+"/long")
	if code != console.ExitDone || !strings.Contains(stdout, "<a href=x>") || !strings.Contains(stderr, "8 KiB") {
		t.Errorf("%d, %s%s", code, stdout, stderr)
	}
}

// Links that stay as they are have one line for each file. Of other warnings the first
// ones of a kind are printed, and the others are counted: in every container, by every
// command.
func TestRepeatsAreCounted(t *testing.T) {
	const n = 3000
	t.Chdir(t.TempDir())
	page := "<!DOCTYPE html><p>" + strings.Repeat("<a href=//[x>", n)
	files := map[string]string{
		"page.html":      page,
		"mail.eml":       "Content-Type: text/html\n\n" + page,
		"feed.rss":       "<rss version='2.0'><channel><item><description><![CDATA[" + page + "]]></description></item></channel></rss>",
		"brackets.rss":   "<rss version='2.0'><channel>" + strings.Repeat("<<a/>", n) + "</channel></rss>",
		"in.warc":        strings.Repeat("WARC/1.0\r\nWARC-Type: resource\r\nContent-Type: text/html\r\nContent-Length: 10\r\n\r\n<a href=x>\r\n\r\n", n), // no Target-URI
		"site/page.html": page,
		"site/more.html": page,
	}
	for name, content := range files {
		write(t, name, content)
	}
	for _, row := range []struct {
		args  string
		files int
	}{
		{"rewrite --url http://h/ page.html", 1}, {"rewrite --url http://h/ mail.eml", 1}, {"rewrite --url http://h/ feed.rss", 1}, {"rewrite brackets.rss", 1}, {"list brackets.rss", 1},
		{"base brackets.rss", 1}, {"list in.warc", 1}, {"warc in.warc -o out.warc", 1}, {"warc --replace in.warc -o out.warc", 1}, {"rewrite --report --url http://h/ page.html feed.rss", 2}, {"rewrite --diff --url http://h/ page.html", 1},
		// The summary of an archive is one line more.
		{"tree --force --url http://h/ site out", 2}, {"tree --url http://h/ -w site", 2}, {"tree --url http://h/ --check site", 2},
	} {
		code, _, stderr := run1("", append(strings.Fields(row.args), "--profile", "whatwg")...)
		lines, all := 0, 0
		for line := range strings.Lines(stderr) {
			lines++
			if more := regexp.MustCompile(`^absolink: \S+: (\d+) (?:more of this kind: \S|links have no absolute form, )`).FindStringSubmatch(line); more != nil {
				count, err := strconv.Atoi(more[1])
				all += count
				if err != nil {
					t.Error(err)
				}
			} else if regexp.MustCompile(`^absolink: \S+:(\d+:\d+| record at byte \d+): `).MatchString(line) {
				all++
			}
		}
		if code != console.ExitDone || lines > row.files*(console.FewOfKind+1)+1 || all != row.files*n {
			t.Errorf("%s: %d, %d lines, %d warnings, want %d\n%.1000s", row.args, code, lines, all, row.files*n, stderr)
		}
		if code, _, stderr := run1("", append(strings.Fields(row.args), "--profile", "whatwg", "--strict", "-q")...); code != console.ExitStrict || stderr != "" {
			t.Errorf("%s --strict -q: %d, %s", row.args, code, stderr)
		}
	}
}

func TestWithoutLogin(t *testing.T) {
	for url, want := range map[string]string{
		"http://u:p@h/x@y":    "http://h/x@y",
		"http://u@h":          "http://h",
		"http://h/@u":         "http://h/@u",
		"http://h:80/@u":      "http://h:80/@u",
		"http://h?x=a@b":      "http://h?x=a@b",
		"http://[::1]:80/a@b": "http://[::1]:80/a@b",
		"http://u:a/b@h/":     "http://h/",
		"http://u:a?b@h/":     "http://h/",
		"http://u:a#b@h/":     "http://h/",
		"http://u:a@b@h/":     "http://h/",
		"http://u:a/b@c@h/x":  "http://h/x",
		"mailto:a@b":          "mailto:a@b",
		"":                    "",
	} {
		if got := listing.WithoutLogin(url); got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
}

// No line that the command prints about a document has the password of its base.
func TestBaseWithoutLogin(t *testing.T) {
	for _, base := range []string{
		"http://joe:s3cret@h/", "http://joe:s3cret @h/", "http://joe: s3cret@h/", "http://joe:s /s3cret x@h/", "http:joe:s3cret@h/", "//joe:x s3cret@h/",
		"gopher:joe:s3cret@h/x", "gopher://joe:x s3cret@h/", "x:joe:x s3cret@h/", "view-source:gopher:joe:s3cret@h/",
	} {
		for _, profile := range []string{"rfc1808", "rfc3986", "whatwg"} {
			_, stdout, stderr := run1(`<base href="`+base+`"><a href=x>`, "base", "--profile", profile)
			if strings.Contains(stdout+stderr, "s3cret") || stdout == "" {
				t.Errorf("%s, %s: %s%s", base, profile, stdout, stderr)
			}
		}
	}
}
