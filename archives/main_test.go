package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"absolink/archives/internal/sample"
	"absolink/archives/job"
	"absolink/internal/listing"
)

// asCommand is the variable of the environment that makes the command of this test.
const asCommand = "ABSOLINK_ARCHIVES"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	flag.Parse()
	os.Exit(m.Run())
}

// runJob runs a job in this process and returns its exit code and what it prints.
func runJob(t testing.TB, o job.Options) (code int, stderr string) {
	t.Helper()
	o.Attempts, o.Level = 3, 1
	*options = o
	var b bytes.Buffer
	code = run(context.Background(), "", nil, nil, &b)
	return code, b.String()
}

// engines do a job with these arguments: all of it in this process, or as a scheduler
// by three calls.
var engines = map[string]func(t *testing.T, args ...string) *exec.Cmd{
	"this process": asProcess,
	"a scheduler": func(t *testing.T, args ...string) *exec.Cmd {
		cmd := exec.Command("bash", "-c", `set -o pipefail; "$0" plan "$@" | xargs -d '\n' -n 5 -P 4 "$0" do "$@" && "$0" sum "$@"`)
		cmd.Args = append(append(cmd.Args, os.Args[0]), args...)
		cmd.Env = asProcess(t).Env
		return cmd
	},
}

// archives writes archives and a manifest of them, whose name it returns.
func archives(t *testing.T, n int, more ...string) string {
	t.Helper()
	files := map[string][]byte{}
	for i := range n {
		files[fmt.Sprintf("%02d.warc.gz", i)] = sample.Archive(uint64(i), 20)
	}
	return sample.Manifest(t, files, more...)
}

var write = sample.Write

// tree returns the files in a directory.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	return sample.Tree(t, job.OpenDir, dir)
}

// Each engine writes the same files, also with 1, 4 and 33 parts of each archive, and again.
func TestSameFiles(t *testing.T) {
	m, whole := archives(t, 5), t.TempDir()
	args := func(out string, more ...string) []string {
		return append([]string{"--manifest", m, "--convert", "--list", "jsonl", "--out", out}, more...)
	}
	if said := mustDo(t, asProcess(t, args(whole)...)); !strings.Contains(said, "5 archives in, 5 done, 0 dead; 120 records in, 120 done") {
		t.Fatal(said)
	}
	want := tree(t, whole)
	size := len(sample.Archive(0, 20))
	for _, job := range engines {
		for _, parts := range []int{0, 1, 4, 33} {
			a := args(t.TempDir())
			if parts > 0 {
				a = append(a, "--split", fmt.Sprint(max(size/parts, 1024)))
			}
			for range 2 {
				mustDo(t, job(t, a...))
				sample.Compare(t, tree(t, a[6]), want)
			}
		}
	}
}

// The exit code says how a job ended. A manifest that is refused, or cannot be read, leaves everything
// as it was.
func TestExitCodes(t *testing.T) {
	good := archives(t, 2)
	missing := archives(t, 2, "/none/x.warc.gz")
	twice := archives(t, 2, filepath.Join(filepath.Dir(good), "00.warc.gz"))
	empty := filepath.Join(t.TempDir(), "empty")
	write(t, empty, nil)
	glob := filepath.Join(t.TempDir(), "glob")
	write(t, glob, []byte("[\n"))
	done := t.TempDir()
	if code, stderr := runJob(t, job.Options{Manifest: good, Out: done, Convert: true}); code != exitDone {
		t.Fatalf("%d, %s", code, stderr)
	}
	want := tree(t, done)
	defer func(p percent) { line.MaxDead = p }(line.MaxDead)
	for _, row := range []struct {
		manifest string
		maxDead  percent
		code     int
		says     string
	}{
		{good, 0, exitDone, "2 archives in, 2 done"},
		{missing, 1, exitDead, "more than 1% of the archives failed; see dead.jsonl"},
		{missing, 50, exitDone, "1 dead"},
		{twice, 100, exitUsage, "would both be written as 00.warc.gz"},
		{empty, 100, exitUsage, "no archive is named"},
		{glob, 100, exitUsage, ":1: [ is not a valid glob"},
		{"", 1, exitUsage, "--manifest"},
		{good + ".none", 1, exitUsage, "no such manifest"},
		{filepath.Dir(good), 1, exitUsage, "no such manifest"},
		{"s3://", 1, exitNotDone, "s3://"},
	} {
		line.MaxDead = row.maxDead
		refused, out := row.code == exitUsage || row.code == exitNotDone, done
		if !refused {
			out = t.TempDir()
		}
		code, stderr := runJob(t, job.Options{Manifest: row.manifest, Out: out, Convert: true})
		if code != row.code || !strings.Contains(stderr, row.says) || refused && strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: %d, %s", row.manifest, code, stderr)
		}
		sample.Compare(t, tree(t, done), want)
	}
	if code, stderr := runJob(t, job.Options{Manifest: good, Out: filepath.Join(good, "x"), Convert: true}); code != exitNotDone {
		t.Errorf("%d, %s", code, stderr)
	}
}

// asProcess returns this test as the command, with a directory of its own for temporary files.
func asProcess(t *testing.T, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asCommand+"=1", "TMPDIR="+t.TempDir())
	return cmd
}

// mustDo runs a command that succeeds, and returns what it prints.
func mustDo(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v, %s", cmd, err, out)
	}
	return string(out)
}

// A process that is killed at any moment leaves nothing half-written under a final
// name. The next run makes the same files, and removes what is left.
func TestKill(t *testing.T) {
	for name, job := range engines {
		for _, more := range [][]string{nil, {"--split", "2048"}} {
			t.Run(fmt.Sprint(name, more), func(t *testing.T) { checkKill(t, job, more) })
		}
	}
}

func checkKill(t *testing.T, job func(t *testing.T, args ...string) *exec.Cmd, more []string) {
	args := func(out string) []string {
		return slices.Concat([]string{"--manifest", archives(t, 40), "--convert", "--list", "parquet"}, more, []string{"--out", out})
	}
	whole := t.TempDir()
	a := args(whole)
	began := time.Now()
	mustDo(t, job(t, a...))
	took := time.Since(began)
	want := tree(t, whole)
	dir := t.TempDir()
	a[len(a)-1] = dir
	for i := range 10 {
		cmd := job(t, a...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		cmd.Stderr = new(bytes.Buffer) // then Wait waits for all processes, which share it
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(took * time.Duration(i+1) / 12)
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		cmd.Wait()
		for name, text := range tree(t, dir) {
			whole, final := want[name]
			if strings.HasPrefix(name, "_job/reports/") && strings.HasPrefix(text, `{"attempts":`) {
				continue // the mark of an attempt
			}
			if final && text != whole || !final && !strings.HasSuffix(name, ".tmp") && !strings.HasPrefix(name, "_job/") {
				t.Errorf("%q, killed at moment %d: %s is half-written", more, i, name)
			}
		}
		if i%3 == 2 { // otherwise the next one goes on from here
			os.RemoveAll(dir)
		}
	}
	mustDo(t, job(t, a...))
	sample.Compare(t, tree(t, dir), want)
}

// A call says which archives have a dead letter, and refuses an archive that the plan lacks: nobody
// would report what becomes of it. Called alone, the program shows its usage.
func TestCalls(t *testing.T) {
	m := archives(t, 1, "/none/x.warc.gz")
	out := t.TempDir()
	job := []string{"--out", out, "--convert"}
	call := func(args ...string) (said string, code int) {
		t.Helper()
		cmd := asProcess(t, args...)
		b, _ := cmd.CombinedOutput()
		return string(b), cmd.ProcessState.ExitCode()
	}
	const unplanned = "/none/x.warc.gz is not in the plan of this job"
	const letter = "absolink-archives: /none/x.warc.gz: dead letter: "
	for _, row := range []struct {
		args []string
		code int
		says string
	}{
		{nil, exitUsage, "Usage: absolink-archives"},
		{[]string{"--help"}, exitDone, "Exit codes:"},
		{append(job, "--nope"), exitUsage, "unknown option --nope"},
		{append(job, "--split", "x"), exitUsage, `"x" is not a number of bytes`},
		{append(job, "--split"), exitUsage, "--split needs a value"},
		{append([]string{"do"}, job...), exitUsage, "ARCHIVE"},
		{append(job, "do", "/none/x.warc.gz"), exitUsage, unplanned},
		{append(job, "plan", "--manifest", m, "--max-dead", "50%"), exitDone, "/none/x.warc.gz"},
		{append(job, "do", "--profile", "whatwg", "/none/x.warc.gz"), exitUsage, unplanned}, // with other options
		{append(job, "do", "/none/x.warc.gz"), exitDone, letter},
		{append(job, "do", "/none/y.warc.gz"), exitUsage, "is not in the plan"},
		{append(job, "--manifest", m, "--max-dead", "50%"), exitDone, letter},
		{append(job, "--manifest", m, "--max-dead", "50%"), exitDone, "2 archives in, 1 done, 1 dead; 24 records in"},
		{append(job, "do", "/none/x.warc.gz"), exitUsage, unplanned}, // the job has ended
	} {
		if said, code := call(row.args...); code != row.code || !strings.Contains(said, row.says) {
			t.Errorf("%q: %d, %s", row.args, code, said)
		}
	}
}

// The profile of the environment counts, as it does for absolink; an empty one does not.
func TestProfileOfEnvironment(t *testing.T) {
	job := []string{"--out", t.TempDir(), "--convert"}
	plan := asProcess(t, append(job, "plan", "--manifest", archives(t, 1))...)
	plan.Env = append(plan.Env, "ABSOLINK_PROFILE=whatwg")
	task := strings.TrimSpace(mustDo(t, plan))
	for profile, want := range map[string]int{"": exitUsage, "rfc1808": exitUsage, "html5": exitUsage, "whatwg": exitDone} {
		do := asProcess(t, append(job, "do", "--", task)...)
		do.Env = append(do.Env, "ABSOLINK_PROFILE="+profile)
		b, _ := do.CombinedOutput()
		if code := do.ProcessState.ExitCode(); code != want {
			t.Errorf("%q: %d, %s", profile, code, b)
		}
	}
}

// --max-dead takes percentages.
func TestPercent(t *testing.T) {
	defer func(p percent) { line.MaxDead = p }(line.MaxDead)
	for text, ok := range map[string]bool{"1%": true, "0%": true, "100%": true, "0.5%": true, "1": false, "-1%": false, "101%": false, "nan%": false, "inf%": false, "%": false, "": false} {
		if err := new(percent).UnmarshalText([]byte(text)); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// What stops a job is one line, without what may be secret in a URL. No message has what a
// terminal obeys, whoever wrote it.
func TestOneLine(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			fmt.Fprint(conn, "HTTP/1.1 404 \x1b[2J\xff\u202e"+strings.Repeat("x", 99_999)+"\r\nContent-Length: 0\r\n\r\n")
			conn.Close()
		}
	}))
	t.Cleanup(server.Close)
	for _, row := range []struct {
		archive string
		args    []string
		lines   int
		says    string
	}{
		{"s3://b/a.warc.gz?region=r&sig=SECRET", nil, 1, "look at the URL"},
		{server.URL + "/a.warc.gz?SECRET", nil, 3, `dead letter: the server answers 404 \x1b[2J\xff\xe2\x80\xae`},
		{"x", []string{"-\x1b[2J"}, 1, `unknown option -\x1b`},
		{"x", []string{"do", "--", "\x1b[2J\t\t0-9"}, 1, "has control characters"},
		{"x", []string{"do", "--", "\xff\t\t0-9"}, 1, "is not in UTF-8"},
		{"x", []string{"do", "--", "\u202e"}, 1, `\xe2\x80\xae is not in the plan`},
	} {
		m := filepath.Join(t.TempDir(), "manifest")
		write(t, m, []byte(row.archive))
		command := asProcess(t, append([]string{"--manifest", m, "--out", t.TempDir(), "--convert"}, row.args...)...)
		b, err := command.CombinedOutput()
		text := string(b)
		if err == nil || strings.Count(text, "\n") != row.lines || !strings.Contains(text, row.says) || strings.Contains(text, "SECRET") || len(b) > 2*listing.MaxMessage {
			t.Errorf("%s %q: %v, %.300q", row.archive, row.args, err, text)
		}
		for line := range strings.Lines(text) {
			if line = strings.TrimSuffix(line, "\n"); listing.Visible(line) != line {
				t.Errorf("%q", line)
			}
		}
	}
}

// TMPDIR is left as it was, at the end and when the process is asked to end. A process that is
// asked leaves neither an unfinished file nor the mark of an attempt, which would count.
func TestTemporaryFiles(t *testing.T) {
	for _, end := range []bool{true, false} {
		temp, out := t.TempDir(), t.TempDir()
		cmd := asProcess(t, "--manifest", archives(t, 40), "--out", out, "--convert")
		cmd.Env = append(cmd.Env, "TMPDIR="+temp)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for range 10_000 { // ten seconds
			if begun, _ := os.ReadDir(filepath.Join(out, "_job", "reports")); end || len(begun) > 0 {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if !end {
			cmd.Process.Signal(syscall.SIGTERM)
		}
		if err := cmd.Wait(); (err == nil) != end {
			t.Errorf("ended %v: %v", end, err)
		}
		if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
			t.Errorf("ended %v: %v, %v", end, left, err)
		}
		for name, text := range tree(t, out) {
			if strings.HasSuffix(name, ".tmp") || strings.HasPrefix(text, `{"attempts"`) {
				t.Errorf("ended %v: %s is left: %.50s", end, name, text)
			}
		}
	}
}

// The calls that docs/cluster.md has for schedulers write the files of a job in one process.
func TestSchedulers(t *testing.T) {
	blocks := slices.DeleteFunc(blocksOf(t, "docs/cluster.md", "sh"), func(b string) bool { return !strings.Contains(b, "absolink-archives do") })
	if len(blocks) != 2 {
		t.Fatalf("%d blocks with do: %q", len(blocks), blocks)
	}
	job, plan, _ := strings.Cut(blocks[0], "\n")
	plan, _, _ = strings.Cut(plan, "\n")
	array := fmt.Sprintf("%s\n%s\nfor INDEX in $(seq 0 63); do %s\ndone\nabsolink-archives sum $job", job, plan, strings.TrimSpace(blocks[1]))
	m := archives(t, 5, "none/*.gz", "*.warc.gz")
	const odd = "--out=a 'b\"c.warc.gz" // no option, and one argument
	var want map[string]string
	for _, script := range []string{job + "\nabsolink-archives $job", blocks[0], array} {
		dir := t.TempDir()
		script = strings.ReplaceAll(script, "--convert", "--convert --max-dead 20% --split 2048")
		cmd := exec.Command("bash", "-e", "-o", "pipefail", "-c", script)
		cmd.Dir, cmd.Env = dir, append(asProcess(t).Env, "PATH="+dir+":"+os.Getenv("PATH"))
		for name, target := range map[string]string{"absolink-archives": os.Args[0], "archives.txt": m} {
			if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		write(t, filepath.Join(dir, odd), sample.Archive(9, 20))
		if err := os.Chtimes(filepath.Join(dir, odd), time.Unix(1, 0), time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
		if said := mustDo(t, cmd); !strings.Contains(said, "7 archives in, 6 done, 1 dead") {
			t.Fatalf("%s: %s", script, said)
		}
		got := tree(t, filepath.Join(dir, "out"))
		if want == nil {
			want = got
		}
		sample.Compare(t, got, want)
	}
}

// BenchmarkWork does what the program is mostly used for, which is lists in Parquet. release/profile
// makes default.pgo from it.
func BenchmarkWork(b *testing.B) {
	manifest, out := sample.Manifest(b, map[string][]byte{"a.warc.gz": sample.Archive(1, 8000)}), filepath.Join(b.TempDir(), "out")
	for b.Loop() {
		for _, o := range []job.Options{{List: "parquet"}, {List: "parquet"}, {List: "jsonl", Hosts: true}, {Convert: true}} {
			o.Manifest, o.Out = manifest, out
			if code, stderr := runJob(b, o); code != exitDone {
				b.Fatal(code, stderr)
			}
			os.RemoveAll(out)
		}
	}
}
