package compare

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// mirrored is the site that programs mirror in TestMirrors.
var mirrored = map[string]string{
	"/a/d/index.html":  `<!DOCTYPE html><title>1</title><link rel=stylesheet href=../../s.css><a href="../p2/index.html">2</a> <a href="#x">x</a> <a href=/gone>gone</a> <img src=/i.gif> <a href=https://elsewhere.example/>y</a>`,
	"/a/p2/index.html": `<!DOCTYPE html><title>2</title><a href="../d/index.html">1</a> <img src=../../i.gif>`,
	"/s.css":           "p { background: url(i.gif) }",
	"/i.gif":           "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;",
}

// Rewriting a page of a mirror gives the same bytes in whatever directory the command
// runs, and keeps the links to files of the mirror: for mirrors that wget, HTTrack and
// SingleFile make.
func TestMirrors(t *testing.T) {
	httrack, node := tool(t, "HTTRACK"), tool(t, "NODE")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := mirrored[r.URL.Path]
		switch {
		case !ok:
			w.WriteHeader(http.StatusNotFound)
			return
		case strings.HasSuffix(r.URL.Path, ".css"):
			w.Header().Set("Content-Type", "text/css")
		case strings.HasSuffix(r.URL.Path, ".gif"):
			w.Header().Set("Content-Type", "image/gif")
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
		}
		w.Write([]byte(body))
	}))
	defer server.Close()
	page, absolink := server.URL+"/a/d/index.html", buildAbsolink(t)
	singlefile := must(filepath.Abs("singlefile/node_modules/single-file-cli/single-file-node.js"))(t)
	for _, test := range []struct {
		name    string
		mirror  []string // the command that makes the mirror in the working directory
		options []string
		keeps   string // a reference that the rewritten page has
	}{
		{"wget -m", []string{"wget", "-q", "-m", page}, []string{"--keep-local", "--url", page}, `"../p2/index.html"`},
		{"wget -p -k", []string{"wget", "-q", "-p", "-k", page}, []string{"--keep-local", "--url", page}, `"../../s.css"`},
		{"wget -r -k", []string{"wget", "-q", "-r", "-k", page}, []string{"--keep-local", "--url", page}, `"../p2/index.html"`},
		{"HTTrack", []string{httrack, page, "-O", ".", "-q", "-s0", "-B", "-c8", "-A0"}, nil, `"../p2/index.html"`},
		{"SingleFile", []string{node, singlefile, page, "index.html", "--browser-executable-path=" + tool(t, "CHROMIUM"), `--browser-args=["--no-sandbox"]`}, nil, server.URL + `/a/p2/index.html`},
	} {
		mirror := t.TempDir()
		cmd := exec.Command(test.mirror[0], test.mirror[1:]...)
		cmd.Dir = mirror
		out, err := cmd.CombinedOutput() // wget fails because of the link to a page that is not there
		name := pageBelow(t, mirror)
		if name == "" {
			t.Errorf("%s: no page: %v\n%s", test.name, err, out)
			continue
		}
		var first map[string]string
		for _, from := range []string{".", filepath.Dir(name), t.TempDir()} {
			dir := t.TempDir()
			noError(t, os.CopyFS(dir, os.DirFS(mirror)))
			file := filepath.Join(dir, name)
			cmd := exec.Command(absolink, append([]string{"-w", "--profile", "whatwg"}, test.options...)...)
			if cmd.Dir = from; !filepath.IsAbs(from) {
				cmd.Dir = filepath.Join(dir, from)
				file = must(filepath.Rel(cmd.Dir, file))(t)
			}
			cmd.Args = append(cmd.Args, file)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s, from %s: %v\n%s", test.name, from, err, out)
			}
			all := contents(t, dir)
			if first == nil {
				first = all
			}
			if diff := cmp.Diff(first, all); diff != "" {
				t.Errorf("%s: rewritten from %s\n%s", test.name, from, diff)
			}
		}
		if !strings.Contains(first[name], test.keeps) {
			t.Errorf("%s: %s is not in\n%s", test.name, test.keeps, first[name])
		}
	}
}

// pageBelow returns the name of the saved page below a directory, or "".
func pageBelow(t *testing.T, dir string) (found string) {
	t.Helper()
	for name, text := range contents(t, dir) {
		if strings.HasSuffix(name, "index.html") && strings.Contains(text, "<title>1") {
			found = name
		}
	}
	return found
}

// contents returns the files below a directory, by name.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	noError(t, fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			var b []byte
			b, err = os.ReadFile(filepath.Join(dir, name))
			all[name] = string(b)
		}
		return err
	}))
	return all
}
