package compare

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"absolink/internal/test/testio"
)

// tool returns the program that a variable of the environment names. Without the
// variable, the test is skipped.
func tool(t *testing.T, variable string) string {
	t.Helper()
	name := os.Getenv(variable)
	if name == "" {
		t.Skip(variable + " is not set")
	}
	return name
}

// blocks returns the blocks of a language in docs/operations.md.
func blocks(t *testing.T, language string) (all []string) {
	t.Helper()
	page := must(os.ReadFile("../docs/operations.md"))(t)
	for rest := string(page); ; {
		_, after, found := strings.Cut(rest, "```"+language+"\n")
		if !found {
			break
		}
		block, after, _ := strings.Cut(after, "```")
		all, rest = append(all, block), after
	}
	if len(all) == 0 {
		t.Fatalf("docs/operations.md has no block of %s", language)
	}
	return all
}

// startNginx runs nginx with the servers of a configuration, and returns the port of the
// server that listens on 8000 in it.
func startNginx(t *testing.T, nginx, servers string) string {
	t.Helper()
	dir, address := t.TempDir(), testio.FreeAddress(t)
	config := fmt.Sprintf(`daemon off; pid nginx.pid; error_log stderr crit;
events {}
http {
access_log off;
client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
%s}
`, strings.Replace(servers, "listen 8000;", "listen "+address+";", 1))
	if os.Getuid() == 0 {
		config = "user root;\n" + config
	}
	file := filepath.Join(dir, "nginx.conf")
	noError(t, os.WriteFile(file, []byte(config), 0o666))
	var said bytes.Buffer
	cmd := exec.Command(nginx, "-p", dir, "-c", file, "-e", "stderr")
	cmd.Stdout, cmd.Stderr = &said, &said
	t.Cleanup(func() {
		if said.Len() > 0 {
			t.Logf("nginx says %s", &said)
		}
	})
	start(t, cmd)
	testio.AwaitListener(t, "tcp", address)
	return "http://" + address
}

// start starts a command, which is interrupted at the end of the test.
func start(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	noError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
	})
}

// serveOn runs absolink serve on a Unix socket, and returns its path.
func serveOn(t *testing.T, absolink string) string {
	t.Helper()
	dir := must(os.MkdirTemp("", "s"))(t) // the path of a socket is short
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	start(t, exec.Command(absolink, "serve", "--listen", "unix:"+socket, "--log", "none"))
	testio.AwaitListener(t, "unix", socket)
	return socket
}

// The examples for nginx in docs/operations.md work, and their lines are needed.
func TestNginx(t *testing.T) {
	nginx := tool(t, "NGINX_PROGRAM")
	examples := blocks(t, "nginx")
	absolink := buildAbsolink(t)
	page := bytes.Repeat([]byte("<p>text<a href=x>x</a>\n"), 3<<20/23)
	want := bytes.ReplaceAll(page, []byte("href=x"), []byte("href=http://h/d/x"))
	socket := serveOn(t, absolink)
	behind := func(config string) string {
		return startNginx(t, nginx, strings.Replace(config, "/run/absolink/absolink.sock", socket, 1))
	}
	post := func(at string) (int, []byte) {
		answer := must(http.Post(at+"/rewrite?url=http://h/d/", "text/html", bytes.NewReader(page)))(t)
		defer answer.Body.Close()
		got := must(io.ReadAll(answer.Body))(t)
		return answer.StatusCode, got
	}
	whole := behind(examples[0])
	if status, got := post(whole); status != http.StatusOK || !bytes.Equal(got, want) {
		t.Errorf("a page of 3 MB: status %d, %d bytes, want %d", status, len(got), len(want))
	}
	if status, _ := post(behind(strings.Replace(examples[0], "client_max_body_size 64m;", "", 1))); status != http.StatusRequestEntityTooLarge {
		t.Errorf("without client_max_body_size: status %d, not 413", status)
	}

	// An answer that breaks off is seen as broken: here the decoded body is too long.
	bomb := gzipped(t, bytes.Repeat([]byte("<a href=x>"), 8<<20))
	request, _ := http.NewRequest("POST", whole+"/rewrite?url=http://h/d/", bytes.NewReader(bomb))
	request.Header.Set("Content-Type", "text/html")
	request.Header.Set("Content-Encoding", "gzip")
	if answer, err := http.DefaultClient.Do(request); err == nil {
		_, err = io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		if err == nil && answer.StatusCode == http.StatusOK {
			t.Error("an answer that absolink aborts looks whole behind nginx")
		}
	}

	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<a href=x>x</a>")
	}))
	defer origin.Close()
	proxy := startAbsolink(t, absolink, "proxy", origin.URL, "--public", "https://www.example.org")
	front := startNginx(t, nginx, strings.Replace(examples[1], "http://localhost:8081", proxy, 1))
	answer := must(http.Get(front + "/d/"))(t)
	defer answer.Body.Close()
	if got, _ := io.ReadAll(answer.Body); string(got) != "<a href=https://www.example.org/d/x>x</a>" {
		t.Errorf("behind nginx, the proxy sends %s (%d)", got, answer.StatusCode)
	}
}

// brokenSite writes a site with one broken link into a directory.
func brokenSite(t *testing.T, dir string) {
	t.Helper()
	noError(t, os.MkdirAll(filepath.Join(dir, "site"), 0o777))
	noError(t, os.WriteFile(filepath.Join(dir, "site", "index.html"), []byte("<a href=gone.html>x</a>\n"), 0o666))
}

// commands runs commands in a directory, and returns the output and the error of the
// last one.
func commands(t *testing.T, dir string, env []string, all ...[]string) (output string, err error) {
	t.Helper()
	for i, args := range all {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
		out, failed := cmd.CombinedOutput()
		if i == len(all)-1 {
			return string(out), failed
		}
		if failed != nil {
			t.Fatalf("%q: %v\n%s", args, failed, out)
		}
	}
	return "", nil
}

// checkMends checks that the last of commands fails and names the broken link of a site, and
// that it passes when the link is mended.
func checkMends(t *testing.T, dir string, env []string, all ...[]string) {
	t.Helper()
	output, err := commands(t, dir, env, all...)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || !strings.Contains(output, "site/index.html:1:9") || !strings.Contains(output, "gone.html") {
		t.Errorf("%v\n%s", err, output)
	}
	noError(t, os.WriteFile(filepath.Join(dir, "site", "gone.html"), nil, 0o666))
	if output, err = commands(t, dir, env, all[len(all)-1]); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}

// The hook finds a broken link in a site, and passes when it is mended. pre-commit takes
// it from the last commit of this repository.
func TestPreCommit(t *testing.T) {
	program := tool(t, "PRECOMMIT_PROGRAM")
	root := must(filepath.Abs(".."))(t)
	revision := must(commands(t, root, nil, []string{"git", "rev-parse", "HEAD"}))(t)
	modules := must(commands(t, root, nil, []string{"go", "env", "GOMODCACHE"}))(t)
	dir := t.TempDir()
	env := []string{"PRE_COMMIT_HOME=" + filepath.Join(dir, "cache"), "GOMODCACHE=" + strings.TrimSpace(modules)}
	brokenSite(t, dir)
	config := strings.NewReplacer("/path/to/absolink", root, "REVISION", strings.TrimSpace(revision)).Replace(blocks(t, "yaml")[0])
	noError(t, os.WriteFile(filepath.Join(dir, ".pre-commit-config.yaml"), []byte(config), 0o666))
	run := []string{program, "run", "--all-files"}
	checkMends(t, dir, env, []string{"git", "init", "-q"}, []string{"git", "add", ".pre-commit-config.yaml", "site"}, run)
}

// The step of action.yml finds a broken link, and passes when it is mended.
func TestAction(t *testing.T) {
	action := must(os.ReadFile("../action.yml"))(t)
	_, script, found := strings.Cut(string(action), "      run: |\n")
	if !found {
		t.Fatal("action.yml has no script at its end")
	}
	root := must(filepath.Abs(".."))(t)
	dir := t.TempDir()
	brokenSite(t, dir)
	env := []string{"DIRECTORY=site", "URL=https://example.org/docs/", "OPTIONS=--clean-urls", "ACTION=" + root, "RUNNER_TEMP=" + dir}
	checkMends(t, dir, env, []string{"bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script})
}

// gzipped returns data compressed by gzip.
func gzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	must(z.Write(data))(t)
	noError(t, z.Close())
	return b.Bytes()
}
