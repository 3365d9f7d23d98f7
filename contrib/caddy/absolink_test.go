package caddy

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"absolink/internal/test/testio"

	_ "github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/encode"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/encode/gzip"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"
	_ "github.com/caddyserver/caddy/v2/modules/logging"
)

// origin starts the server that Caddy is in front of, and returns its address.
func origin(t *testing.T) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/text":
			w.Header().Set("Content-Type", "text/plain")
		case "/missing":
			w.WriteHeader(http.StatusNotFound)
		case "/gzip":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			defer z.Close()
			io.WriteString(z, "<a href=x>")
			return
		}
		io.WriteString(w, `<a href="intro.html">`)
	}))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// start runs a Caddyfile in Caddy, in this process, with more global options.
func start(t *testing.T, config string, global ...string) {
	t.Helper()
	global = append(global, "admin off", "persist_config off", "auto_https off", "storage_clean_interval off")
	if own, rest, ok := strings.Cut(config, "\n}\n"); ok && strings.HasPrefix(own, "{\n") {
		global, config = append(global, own[2:]), rest
	}
	config = "{\n\t" + strings.Join(global, "\n\t") + "\n}\n" + config
	b, warnings, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(config), nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, config)
	}
	for _, w := range warnings {
		if !strings.Contains(w.Message, "not formatted") {
			t.Error(w)
		}
	}
	if err := caddy.Load(b, true); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { caddy.Stop() })
}

// startSite runs a site with some directives, and returns its address.
func startSite(t *testing.T, directives string, global ...string) (address string) {
	t.Helper()
	address = testio.FreeAddress(t)
	start(t, fmt.Sprintf("http://%s {\n%s\n}\n", address, directives), global...)
	return address
}

// get returns the body of a response, without a coding.
func get(t *testing.T, url string) (*http.Response, string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return resp, string(body)
}

// caddyfiles returns the Caddyfiles in a page of the documentation.
func caddyfiles(t *testing.T, page string, n int) (all []string) {
	t.Helper()
	for _, m := range regexp.MustCompile("(?s)```caddyfile\n(.*?)```").FindAllStringSubmatch(readFile(t, page), -1) {
		all = append(all, m[1])
	}
	if len(all) != n {
		t.Fatalf("%s has %d Caddyfiles, not %d", page, len(all), n)
	}
	return all
}

// The Caddyfile in README.md does what README.md says.
func TestReadme(t *testing.T) {
	address := testio.FreeAddress(t)
	start(t, strings.NewReplacer("localhost:8080", address, "localhost:3000", origin(t)).Replace(caddyfiles(t, "README.md", 1)[0]))
	if _, got := get(t, "http://"+address+"/docs/"); got != `<a href="https://www.example.org/docs/intro.html">` {
		t.Error(got)
	}
	if _, got := get(t, "http://"+address+"/text"); got != `<a href="intro.html">` {
		t.Error(got)
	}
}

// Each option counts. Without public, the base is the URL that the client asked for.
func TestOptions(t *testing.T) {
	for _, test := range []struct{ options, in, want string }{
		{"", "<a href=x>", "<a href=http://SELF/d/x>"},
		{"{\n}", "<a href=x>", "<a href=http://SELF/d/x>"},
		{"{\npublic https://p.test/q\n}", "<a href=x>", "<a href=https://p.test/q/d/x>"},
		{"{\nprofile whatwg\n}", "<a href=http:x>", "<a href=http://SELF/d/x>"},
		{"{\nrule img[data-zoom]=url\nrule -a[href]\n}", "<a href=x><img data-zoom=x>", "<a href=x><img data-zoom=http://SELF/d/x>"},
		{"{\nkeep_fragments\n}", "<a href=#x>", "<a href=#x>"},
		{"{\nkeep \\*|*\n}", "<a href=*|X|*><a href=x?*|X|*>", "<a href=*|X|*><a href=http://SELF/d/x?*|X|*>"},
		{"{\nkeep /go/*\nkeep y\n}", "<a href=/go/x><a href=y><a href=z>", "<a href=/go/x><a href=y><a href=http://SELF/d/z>"},
		{"{\nhold 1KiB\n}", "<link href=x><base href=/b/>", "<link href=http://SELF/b/x><base href=http://SELF/b/>"},
		{"{\nhold 10\n}", "<link href=x><base href=/b/>", "<link href=http://SELF/d/x><base href=http://SELF/b/>"},
		{"{\nmax_tag 40\n}", "<a href=x><a href=x long='of more than forty bytes'>", "<a href=http://SELF/d/x><a href=x long='of more than forty bytes'>"},
	} {
		address := startSite(t, fmt.Sprintf("\tabsolink %s\n\theader Content-Type text/html\n\trespond %q", test.options, test.in))
		_, got := get(t, "http://"+address+"/d/page")
		if want := strings.ReplaceAll(test.want, "SELF", address); got != want {
			t.Errorf("%s: %s, want %s", test.options, got, want)
		}
	}
}

// The log names the limit that a page has met: it changes what the links of the page mean.
// Other warnings are not logged, because a page may cause any number of them.
func TestLimits(t *testing.T) {
	for _, test := range []struct {
		options, page string
		want          []string
	}{
		{"{\nhold 10\nmax_tag 30\n}", "<link href=x><base href=/b/><a href='more than thirty bytes'>", []string{
			`"msg":"the head goes on from here for more bytes than may be held; a BASE after that does not count","byte":11,"limit":"hold","path":"/d/page"`,
			`"byte":28,"limit":"max_tag","path":"/d/page"`,
		}},
		{"", "<img srcset='" + strings.Repeat("x", 2<<20) + "'>", []string{`than may be held; it stays as it is","byte":0,"limit":"max_tag","path":"/d/page"`}},
	} {
		log := filepath.Join(t.TempDir(), "log")
		address := startSite(t, fmt.Sprintf("\tabsolink %s\n\theader Content-Type text/html\n\trespond %q", test.options, test.page+"<a href='http://['>"), logTo(log))
		get(t, "http://"+address+"/d/page")
		caddy.Stop()                                                 // which ends the log
		_, got, _ := strings.Cut(readFile(t, log), "HTTP/3 skipped") // what Caddy itself says comes first
		for _, want := range test.want {
			if strings.Count(got, "\n") != 1+len(test.want) || !strings.Contains(got, want) {
				t.Errorf("%s is not in the log, or more is:\n%s", want, got)
			}
		}
	}
}

// encode compresses what was rewritten; what the origin compressed stays so.
func TestCodings(t *testing.T) {
	address := startSite(t, "\tencode {\n\t\tgzip\n\t\tminimum_length 1\n\t}\n\tabsolink\n\treverse_proxy "+origin(t))
	for path, want := range map[string]string{"/": `<a href="http://SELF/intro.html">`, "/gzip": "<a href=http://SELF/x>"} {
		resp, got := get(t, "http://"+address+path)
		if want = strings.ReplaceAll(want, "SELF", address); got != want || !resp.Uncompressed {
			t.Errorf("%s: %s, %v", path, got, resp.Header)
		}
	}
}

// Errors keep their status, whether they come from the origin or from Caddy.
func TestErrors(t *testing.T) {
	address := startSite(t, fmt.Sprintf("\tabsolink\n\thandle /gone {\n\t\treverse_proxy %s\n\t}\n\thandle {\n\t\treverse_proxy %s\n\t}\n\thandle_errors {\n\t\theader Content-Type text/html\n\t\trespond \"<a href=home>{err.status_code}\"\n\t}", testio.FreeAddress(t), origin(t)))
	for path, want := range map[string]string{
		"/missing": "404 Not Found " + `<a href="http://SELF/intro.html">`,
		"/gone":    "502 Bad Gateway <a href=home>502",
	} {
		resp, body := get(t, "http://"+address+path)
		if got := resp.Status + " " + body; got != strings.ReplaceAll(want, "SELF", address) {
			t.Errorf("%s: %s", path, got)
		}
	}
}

// In JSON, a size is a number or a string.
func TestSizesInJSON(t *testing.T) {
	for _, config := range []string{`{"hold": 65536, "max_tag": 1048576}`, `{"hold": "64KiB", "max_tag": "1048576"}`} {
		var h Handler
		if err := caddy.StrictUnmarshalJSON([]byte(config), &h); err != nil || h.Hold != 64<<10 || h.MaxTag != 1<<20 {
			t.Errorf("%s: %v and %v, %v", config, h.Hold, h.MaxTag, err)
		}
	}
}

// A wrong Caddyfile is refused when it is read, or when it is loaded.
func TestWrong(t *testing.T) {
	for config, want := range map[string]string{
		"absolink on":                          "wrong argument count",
		"absolink {\npublic\n}":                "wrong argument count",
		"absolink {\nprofile no\n}":            "profile",
		"absolink {\nkeep_fragments yes\n}":    "wrong argument count",
		"absolink {\nbase http://h/\n}":        "unknown option base; absolink has public, profile, rule, keep, keep_fragments, hold and max_tag",
		"absolink {\nhold\n}":                  "wrong argument count",
		"absolink {\nhold 16X\n}":              `hold: "16X" is not a number of bytes; 4096, 64KiB, 16MiB and 1GiB are`,
		"absolink {\nhold 0\n}":                "hold takes a number of bytes above 0",
		"absolink {\nmax_tag 8589934592GiB\n}": "max_tag: ",
		"absolink {\nrule no[\n}":              "",
		"absolink {\nkeep\n}":                  "wrong argument count",
		"absolink {\nkeep \"\"\n}":             "is empty",
		"absolink {\nkeep x\\y\n}":             "has a backslash",
		"absolink {\npublic example.org\n}":    "is not the URL of a site",
		"absolink {\npublic ftp://h\n}":        "is not the URL of a site",
		"absolink {\npublic http://h/?q\n}":    "is not the URL of a site",
		"absolink {\nrule a[b]=no-syntax\n}":   "no-syntax",
	} {
		h := new(Handler)
		err := h.UnmarshalCaddyfile(caddyfile.NewTestDispenser(config))
		if err == nil {
			ctx, cancel := caddy.NewContext(caddy.Context{Context: t.Context()})
			err = h.Provision(ctx)
			cancel()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", config, err)
		}
	}
}

// run runs a command of absolink until the end of the test, when it answers at an address.
func run(t *testing.T, program, network, address string, args ...string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
	})
	testio.AwaitListener(t, network, address)
}

// The Caddyfiles in docs/operations.md work: before absolink serve, with a body of 3 MB,
// and before absolink proxy.
func TestOperations(t *testing.T) {
	dir, err := os.MkdirTemp("", "c") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	absolink, socket := filepath.Join(dir, "absolink"), filepath.Join(dir, "s")
	build := exec.Command("go", "build", "-o", absolink, "./cmd/absolink")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	page := caddyfiles(t, "../../docs/operations.md", 2)
	address := testio.FreeAddress(t)

	run(t, absolink, "unix", socket, "serve", "--listen", "unix:"+socket, "--log", "none")
	start(t, strings.NewReplacer("localhost:8000", address, "/run/absolink/absolink.sock", socket).Replace(page[0]))
	text := strings.Repeat("<p>text<a href=x>x</a>\n", 3<<20/23)
	answer, err := http.Post("http://"+address+"/rewrite?url=http://h/d/", "text/html", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	got, err := io.ReadAll(answer.Body)
	if want := strings.ReplaceAll(text, "href=x", "href=http://h/d/x"); err != nil || string(got) != want {
		t.Errorf("status %d, %d bytes, want %d: %v", answer.StatusCode, len(got), len(want), err)
	}

	listen, address := testio.FreeAddress(t), testio.FreeAddress(t)
	run(t, absolink, "tcp", listen, "proxy", "http://"+origin(t), "--public", "https://www.example.org", "--listen", listen, "--log", "none")
	start(t, strings.NewReplacer("localhost:8000", address, "localhost:8081", listen).Replace(page[1]))
	if _, got := get(t, "http://"+address+"/docs/"); got != `<a href="https://www.example.org/docs/intro.html">` {
		t.Error(got)
	}
}

// README.md shows the program of cmd/caddy.
func TestReadmeProgram(t *testing.T) {
	_, code, _ := strings.Cut(readFile(t, "cmd/caddy/main.go"), "package main\n")
	if !strings.Contains(readFile(t, "README.md"), "package main\n"+code) {
		t.Error("README.md does not show cmd/caddy/main.go")
	}
}
