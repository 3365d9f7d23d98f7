//go:build unix

package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"absolink/cmd/absolink/internal/console"
)

// hasty is absolink with little patience, for tests that wait until it is over.
const hasty = 200 * time.Millisecond

func init() {
	programs["hasty"] = func() { console.Patience = hasty; main() }
}

// A terminalRun is a run of a command on a terminal.
type terminalRun struct {
	*exec.Cmd
	stdin io.WriteCloser
	ended chan struct{} // closed when the terminal is told no more

	mu   sync.Mutex
	text []byte // what the terminal was told
}

// Write is how the terminal is told something.
func (r *terminalRun) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text = append(r.text, p...)
	return len(p), nil
}

// await waits until the terminal has been told what contains s.
func (r *terminalRun) await(s string) {
	for told, deadline := false, time.Now().Add(time.Minute); !told && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		r.mu.Lock()
		told = bytes.Contains(r.text, []byte(s))
		r.mu.Unlock()
	}
}

// startOnTerminal starts a command with standard error, and if both is set standard
// output too, on a terminal of its own.
func startOnTerminal(t *testing.T, both bool, program string, args ...string) *terminalRun {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Skip("no terminal: ", err)
	}
	r := &terminalRun{Cmd: exec.Command(program, args...), ended: make(chan struct{})}
	r.Stderr, r.Env = tty, append(os.Environ(), "NO_COLOR=1")
	if both {
		r.Stdout = tty
	}
	if r.stdin, err = r.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(pty.Setsize(tty, &pty.Winsize{Rows: 20, Cols: 60}), r.Start()); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	go func() {
		io.Copy(r, master) // ends with an error where nobody has the terminal
		master.Close()
		close(r.ended)
	}()
	t.Cleanup(func() { r.Process.Kill() })
	return r
}

// Whoever forgets the FILE is told that standard input is read, where that is a terminal.
func TestStdinTerminal(t *testing.T) {
	master, tty, err := pty.Open()
	if err != nil {
		t.Skip("no terminal: ", err)
	}
	defer master.Close()
	defer tty.Close()
	const note = "absolink: <stdin>: reading from the terminal; end with Ctrl-D, or name a FILE\n"
	var calls bytes.Buffer
	if code := run(nil, tty, &calls, io.Discard); code != console.ExitUsage || strings.Count(calls.String(), "\n  absolink ") != 3 {
		t.Errorf("without arguments: %d, %q", code, &calls)
	}
	for _, row := range []struct{ args, want string }{{"-", note}, {"--keep page.html", note}, {"list -", note}, {"-q", ""}} {
		if _, err := master.WriteString("\x04"); err != nil { // the end of the input
			t.Fatal(err)
		}
		var messages bytes.Buffer
		if code := run(strings.Fields(row.args), tty, io.Discard, &messages); code != 0 || messages.String() != row.want {
			t.Errorf("%s: %d, %q, not %q", row.args, code, &messages, row.want)
		}
	}
}

// end returns all that the terminal was told, and what it shows at the end.
func (r *terminalRun) end() (text, shown string) {
	r.stdin.Close()
	r.Wait()
	<-r.ended
	text = string(r.text)
	return text, shownBy(text)
}

var upAndErase = regexp.MustCompile(`^\x1b\[(\d+)A\x1b\[J`)

// shownBy returns the lines that a terminal shows after a text, in which the only
// commands are to go up some lines and to erase what is below.
func shownBy(text string) string {
	lines := []string{""}
	for text = strings.ReplaceAll(text, "\r\n", "\n"); text != ""; {
		if up := upAndErase.FindStringSubmatch(text); up != nil {
			n, _ := strconv.Atoi(up[1])
			lines = append(lines[:max(0, len(lines)-1-n)], "")
			text = text[len(up[0]):]
			continue
		}
		if text[0] == '\n' {
			lines = append(lines, "")
		} else {
			lines[len(lines)-1] += text[:1]
		}
		text = text[1:]
	}
	return strings.Join(lines, "\n")
}

// A run on a terminal shows how far it is when patience is over, in one line that is gone
// at the end.
func TestProgress(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	page, other := filepath.Join(dir, "page.html"), filepath.Join(dir, "\x1b]0;evil.html")
	write(t, page, "<a href=//[bad><a href=x>")
	write(t, other, "<a href=x>")
	server, out := fetchServer(t), filepath.Join(t.TempDir(), "out.html")
	archive := filepath.Join(dir, "a.warc") // on a terminal too, a file is not read as a stream is
	const record = "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://h/\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n<p>\r\n\r\n"
	write(t, archive, fmt.Sprintf(record, 999)+fmt.Sprintf(record, 3))
	const bad = ": 1 link has no absolute form: "
	rows := map[string]struct {
		args  []string
		both  bool
		slow  bool   // whether standard input stays open until patience is over
		line  string // in the line of progress; "" where there is none
		shows string // a pattern of what the terminal shows at the end
	}{
		"short":           {[]string{"-o", out}, false, false, "", "^$"},
		"long":            {[]string{"-o", out}, false, true, "<stdin>: 19 B read", "^$"},
		"quiet":           {[]string{"-q", "-o", out}, false, true, "", "^$"},
		"not there":       {[]string{"-o", out, "missing"}, false, false, "", `^absolink: missing: cannot open: .*\n$`},
		"messages":        {[]string{"--profile", "whatwg", "-o", t.TempDir(), "--url", "http://h/", page, other}, false, false, "", "^absolink: .*" + bad + ".*\n$"},
		"to a file":       {[]string{"-"}, false, true, "<stdin>: 19 B read", "^$"},
		"to the terminal": {[]string{"-"}, true, true, "", "^<!doctype html><p>\n$"},
		"a diff":          {[]string{"--diff"}, true, true, "", "^$"},
		"a list":          {[]string{"list"}, true, true, "", "^$"},
		"names":           {[]string{"--profile", "whatwg", "-j", "2", "-l", "--url", "http://h/", page, "-"}, true, true, "1 of 2 files, 44 B read", "^absolink: .*" + bad + ".*\n.*page.html\n$"},
		"names, short":    {[]string{"-l", "--url", "http://h/", other, "-"}, true, false, "", `^.*\\x1b\]0;evil.html\n$`},
		"a report":        {[]string{"--report"}, true, true, "<stdin>: 19 B read", `^ +all rewritten .*\n(?s:.*)\n$`},
		"base":            {[]string{"base", "-"}, true, true, "<stdin>: 19 B read", "^<stdin>: none\n$"},
		"a fetch":         {[]string{"--timeout", "1s", "-o", out, server + "/slow"}, false, false, "/slow: 21 B read", `(?s)^absolink: .*/slow:[0-9:]+: cannot read further: .*\n$`},
		"a silent fetch":  {[]string{"--timeout", "1s", "-o", out, server + "/silent"}, false, false, "/silent: 0 B read", "^absolink: .*/silent: cannot be fetched within 1s .*\n$"},
		"an archive":      {[]string{"warc", "-o", out + ".warc", "-"}, false, true, "<stdin>: 81 B read", "^absolink: <stdin>: byte 0: the archive ends within a record\nabsolink: <stdin>: 1 record in, .*\n$"},
		"a damaged file":  {[]string{"warc", "-o", out + ".2.warc", archive}, false, false, "", "^absolink: .*: byte 0: the archive ends within a record\nabsolink: .*: 2 records in, 2 done: 1 converted, .* 1 damaged; .*\n$"},
		"tree":            {[]string{"tree", "--url", "http://h/", dir, filepath.Join(t.TempDir(), "dst")}, false, false, "", `^absolink: .*2 pages.*\n$`},
	}
	runs := map[string]*terminalRun{}
	for name, row := range rows {
		program := "absolink"
		if row.slow || row.line != "" {
			program = "hasty"
		}
		r := startOnTerminal(t, row.both, program, row.args...)
		input := "<!doctype html><p>\n"
		if row.args[0] == "warc" {
			input = "WARC/1.0\r\nWARC-Type: resource\r\nContent-Type: text/html\r\nContent-Length: 50\r\n\r\n<p>"
		}
		io.WriteString(r.stdin, input)
		if !row.slow {
			r.stdin.Close()
		}
		runs[name] = r
	}
	time.Sleep(hasty + 300*time.Millisecond) // in which a line could be shown where there is none
	for name, row := range rows {
		if row.line != "" {
			runs[name].await(row.line)
		}
		text, shown := runs[name].end()
		if strings.Contains(text, " read") != (row.line != "") || !strings.Contains(text, row.line) || !regexp.MustCompile(row.shows).MatchString(shown) {
			t.Errorf("%s: the terminal is told %q; it shows %q", name, text, shown)
		}
	}
}

// The line is gone after an interrupt too.
func TestProgressIsInterrupted(t *testing.T) {
	t.Parallel()
	r := startOnTerminal(t, false, "hasty", "-o", filepath.Join(t.TempDir(), "out.html"))
	r.await("<stdin>: 0 B read")
	r.Process.Signal(syscall.SIGTERM)
	r.Wait() // before standard input ends, which would end the run too
	text, shown := r.end()
	if code := r.ProcessState.ExitCode(); code != 128+int(syscall.SIGTERM) || shown != "" || !strings.Contains(text, "<stdin>: 0 B read") {
		t.Errorf("code %d, %q", code, text)
	}
}

// Elsewhere than on a terminal nothing is shown.
func TestNoProgressElsewhere(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	cmd := exec.Command("hasty", "-o", filepath.Join(t.TempDir(), "out.html"))
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	if err := errors.Join(err, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	time.Sleep(hasty + time.Second)
	stdin.Close()
	if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
		t.Errorf("%v, %q", err, stderr.String())
	}
}

// On a terminal, diffs, headings and the places in messages have colours, unless NO_COLOR or TERM
// says otherwise. A stream that is not a terminal has none.
func TestColors(t *testing.T) {
	dir := t.TempDir()
	page := filepath.Join(dir, "page.html")
	write(t, page, "<a href=x><a href=//[>\n")
	const esc = "\x1b["
	for _, row := range []struct {
		both bool
		env  string
		args []string
		want []string // "" for no colour at all
	}{
		{true, "", []string{"--diff", "--profile", "whatwg", "-u", "http://h/", page}, []string{esc + "1mabsolink: " + page + ":1:19:" + esc, esc + "36m@@", esc + "31m-<a", esc + "32m+<a"}},
		{false, "", []string{"--diff", "--profile", "whatwg", "-u", "http://h/", page}, []string{esc + "1mabsolink: " + page}},
		{true, "", []string{"tree", "--diff", "-u", "http://h/", dir}, []string{esc + "31m-<a", "absolink: dry run"}},
		{true, "", []string{"help", "base"}, []string{esc + "1mUsage:", esc + "1mArguments:"}},
		{true, "NO_COLOR=1", []string{"--diff", "-u", "http://h/", page}, nil},
		{true, "NO_COLOR=1", []string{"help"}, nil},
		{true, "TERM=dumb", []string{"help"}, nil},
		{false, "", []string{"help"}, nil},
	} {
		r := startOnTerminal(t, row.both, "env", append([]string{"-u", "NO_COLOR", cmp.Or(row.env, "TERM=xterm"), "absolink"}, row.args...)...)
		text, _ := r.end()
		for _, want := range row.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s %q: %q is not in %q", row.env, row.args, want, text)
			}
		}
		if row.want == nil && strings.Contains(text, esc) {
			t.Errorf("%s %q: %q", row.env, row.args, text)
		}
	}
}
