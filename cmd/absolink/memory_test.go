//go:build linux && !race

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"absolink/cmd/absolink/internal/view"
	"absolink/internal/test/soak"
	"absolink/internal/test/testio"
)

func init() {
	programs["measured"] = measured
}

// measured is absolink, and writes to the file PEAK what the system says of its process at
// its end. What wait(2) tells of a process includes the memory of the process that started it.
func measured() {
	limitGarbage()
	code := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		panic(err)
	}
	if err := os.WriteFile(os.Getenv("PEAK"), status, 0o666); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// peakIn returns how many bytes a process had in memory at most, by a file that says what
// the system knows of it.
func peakIn(t *testing.T, status string) int64 {
	t.Helper()
	_, after, _ := strings.Cut(readFile(t, status), "VmHWM:")
	var kib int64
	if _, err := fmt.Sscan(after, &kib); err != nil {
		t.Fatal(err)
	}
	return kib << 10
}

const mebibyte = 1 << 20

// A claim is how much memory a process of absolink takes at most, whatever it does.
type claim struct {
	name  string
	most  int64  // bytes
	nth   uint32 // about one in nth such claims is checked by default
	alone bool   // and at a time

	// A command runs on a file, or on its standard input, and writes so many bytes at least.
	args    []string
	file    string
	in      func() string
	stdin   func() io.Reader
	written int64

	// A server with args is used.
	use func(t *testing.T, s *server)
}

// A process takes no more memory than the documentation says: docs/limits.md of commands, and
// docs/sizing.md of servers.
func TestMemory(t *testing.T) {
	for _, c := range slices.Concat(hostileClaims(), longClaims(), shownClaims(), processClaims(t), manifestClaims(), viewClaims(), heldClaims(), loadClaims()) {
		t.Run(c.name, func(t *testing.T) {
			soak.Sample(t, c.nth)
			if !c.alone {
				t.Parallel()
			}
			peak := int64(0)
			if c.use != nil {
				s := startProcess(t, c.args...)
				c.use(t, s)
				peak = peakIn(t, s.status)
			} else {
				peak = c.run(t)
			}
			if t.Logf("%d MiB", peak/mebibyte); peak > c.most {
				t.Errorf("%d MiB in memory, more than %d", peak/mebibyte, c.most/mebibyte)
			}
		})
	}
}

// run runs a command in a directory of its own, and returns its peak.
func (c *claim) run(t *testing.T) int64 {
	dir, in := t.TempDir(), ""
	if c.file != "" {
		in = c.in()
		write(t, filepath.Join(dir, c.file), in)
	}
	cmd, status := exec.Command("measured", c.args...), filepath.Join(t.TempDir(), "status")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PEAK="+status)
	if c.stdin != nil {
		cmd.Stdin = c.stdin()
	}
	var out testio.TailWriter
	var stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %.500s", err, stderr.String())
	}
	if written := out.N + sizeOf(t, dir) - int64(len(in)); written < c.written {
		t.Errorf("only %d KiB are written", written>>10)
	}
	return peakIn(t, status)
}

// sizeOf returns the size of the files in a directory.
func sizeOf(t *testing.T, dir string) (n int64) {
	err := filepath.WalkDir(dir, func(_ string, entry os.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			info, err := entry.Info()
			if err != nil {
				return err
			}
			n += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A server is absolink serve in a process of its own, which ends with the test.
type server struct{ url, status string }

func startProcess(t *testing.T, options ...string) *server {
	t.Helper()
	cmd := exec.Command("absolink", append([]string{"serve", "--listen", "localhost:0"}, options...)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	log := bufio.NewReader(stderr)
	line, err := log.ReadString('\n')
	_, url, found := strings.Cut(strings.TrimSpace(line), "address=")
	if err != nil || !found {
		t.Fatalf("%q, %v", line, err)
	}
	go io.Copy(io.Discard, log)
	return &server{url, fmt.Sprintf("/proc/%d/status", cmd.Process.Pid)}
}

// longClaims are about the longest values that are held, in documents that stand in documents.
func longClaims() (claims []claim) {
	const n = mebibyte - 4<<10
	values := map[string]string{
		"ping":      "<a ping='" + strings.Repeat("a ", n/2) + "'>",
		"srcset":    "<img srcset='" + strings.Repeat("a, ", n/3) + "'>",
		"style":     "<style>" + strings.Repeat("url(a)", n/6) + "</style>",
		"SVG style": "<svg><style>" + strings.Repeat("url(a)", n/6) + "</style></svg>",
	}
	in := func(page string) string {
		return `<iframe srcdoc="` + strings.NewReplacer("&", "&amp;", `"`, "&quot;").Replace(page) + `">`
	}
	for kind, value := range values {
		for where, page := range map[string]string{
			"alone": value, "srcdoc": in(value), "conditional": "<!--[if IE]>" + value + "<![endif]-->", "deep": in(in(in(in(in(in(value)))))),
		} {
			claims = append(claims, claim{name: "long/" + kind + "/" + where, most: 64 * mebibyte, nth: 8, file: "page.html", in: func() string { return page }, args: strings.Fields(hostileRules + "--url http://h/d/ page.html")})
		}
	}
	return claims
}

// shownClaims are about references that JSON makes six times as long, and hosts that UTS #46
// makes longer, in reports and lists.
func shownClaims() (claims []claim) {
	short := strings.Repeat("\x01", 105)
	var lines strings.Builder // as many as are compared, no two of which are the same
	for i := range view.MaxDiffLines/2 - 1 {
		fmt.Fprintf(&lines, "<a href=%d>text\n", i)
	}
	for _, c := range []struct {
		args  string
		page  string
		bound int64 // MiB
	}{
		{"list", "<a href='x" + strings.Repeat("\x01", 900<<10) + "y'>", 64},
		{"list --profile whatwg", "<a href='x" + strings.Repeat("\x01", 900<<10) + "y'>", 64},
		{"list --format text", "<a href='x" + strings.Repeat("\x01", 900<<10) + "y'>", 64},
		{"--report=html", strings.Repeat("<a href='"+short+"'>", 99_000), 350},
		{"--report=html --profile whatwg", strings.Repeat("<a href='x"+short+"y'>", 50_000), 350},
		{"--report=html", strings.Repeat("<a href='x"+strings.Repeat("\x01", 900<<10)+"y'>", 5), 350},
		{"--profile whatwg", "<a href='//" + strings.Repeat("\uFDFA", 340_000) + "'>", 64},
		{"--diff", lines.String(), 250 + 64},
		{"--diff", lines.String()[:4<<20] + strings.Repeat("\n", view.MaxDiffAll/2-400_000), 250 + 64},
		{"--report=html", lines.String(), 350},
	} {
		claims = append(claims, claim{
			name: fmt.Sprintf("shown/%s %.20q", c.args, c.page), most: c.bound * mebibyte, nth: 8,
			file: "page.html", in: func() string { return c.page }, args: append(strings.Fields(c.args), "-q", "--url", "http://h/d/", "page.html"),
		})
	}
	return claims
}

// manifestClaims say that a manifest of a million lines, whose outputs all have names of their
// own, takes at most five times the memory that its text has.
func manifestClaims() []claim {
	if !soak.Enabled() { // it is long
		return nil
	}
	var lines bytes.Buffer
	for i := range 1_000_000 {
		fmt.Fprintf(&lines, "page-%d.html\thttps://example.org/crawl/2024/page-%d.html\n", i, i)
	}
	return []claim{{
		name: "manifest", most: 5 * int64(lines.Len()), nth: 8, file: "page-999999.html", in: func() string { return "<a href=x>" }, written: int64(len("<a href=https://example.org/crawl/2024/x>")),
		stdin: func() io.Reader { return &lines }, args: strings.Fields("--manifest - -o out/ --shard 1000000/1000000"),
	}}
}
