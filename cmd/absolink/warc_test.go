package main

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/view"
	"absolink/internal/listing"
	"absolink/rewriter"
	"absolink/rewriter/warc"
)

// A line of an archive's list is JSON with the same values as package json writes,
// whatever bytes they have.
func TestLinesOfArchives(t *testing.T) {
	var all strings.Builder
	for c := range 256 {
		all.WriteByte(byte(c))
	}
	for _, s := range []string{"", "x", `"\/`, all.String(), "ä€𝄞\u2028\u2029\ufffd<&>", "\xc3", "\xed\xa0\x80", "a\xffb"} {
		page := &warc.Page{URL: s, Date: s, ID: s, Offset: 7, Length: 8, Status: 200}
		place := &rewriter.Place{Offset: 9, Element: s, Attr: s, Rel: s, Text: s, Raw: s, Ref: s, URL: s, Rule: &rewriter.Rule{}, Err: rewriter.ErrNoBase}
		line := listing.AppendJSON(nil, listing.Place{Place: place, File: s, Page: page})
		type archived struct {
			File         string `json:"file"`
			Page         string `json:"page"`
			Date         string `json:"fetch_time"`
			Record       string `json:"record"`
			RecordOffset int64  `json:"warc_record_offset"`
			RecordLength int64  `json:"warc_record_length"`
			Status       int    `json:"fetch_status"`

			Offset  int64           `json:"offset"`
			Element string          `json:"element"`
			Attr    string          `json:"attr,omitempty"`
			Syntax  rewriter.Syntax `json:"syntax"`
			Rel     string          `json:"rel,omitempty"`
			Text    string          `json:"text,omitempty"`
			Raw     string          `json:"raw"`
			Ref     string          `json:"ref"`
			URL     string          `json:"url,omitempty"`
			Error   string          `json:"error,omitempty"`
		}
		want := archived{s, s, s, s, 7, 8, 200, 9, s, s, 0, s, s, s, s, s, rewriter.ErrNoBase.Error()}
		wantLine, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got, wanted map[string]any
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if err := json.Unmarshal(wantLine, &wanted); err != nil {
			t.Fatal(err)
		}
		if listing.Visible(strings.TrimSuffix(string(line), "\n")) != strings.TrimSuffix(string(line), "\n") {
			t.Errorf("a terminal obeys %q", line)
		}
		for key, value := range wanted {
			if s != "" && got[key] != value {
				t.Errorf("%q: %s is %q, want %q", s, key, got[key], value)
			}
		}
	}
}

// A line of CSV has each value exactly, whatever bytes it has.
func TestCSV(t *testing.T) {
	var all strings.Builder
	for c := range 256 {
		all.WriteByte(byte(c))
	}
	for _, s := range []string{"", " ", `\.`, `"`, `a"b,c`, "a\nb", "\n", "a\rb", "\x00", ",", "\xff", "ä€𝄞\u2028", all.String()} {
		page := &warc.Page{URL: s, Date: s, ID: s, Offset: 7}
		place := &rewriter.Place{Offset: 9, Element: s, Attr: s, Rel: s, Text: s, Raw: s, Ref: s, URL: s, Rule: &rewriter.Rule{}}
		var lines listing.Buffer
		view.Formats["csv"].Begin(&lines, false)
		for _, page := range []*warc.Page{page, nil} {
			view.Formats["csv"].Add(&lines, view.Listed{Place: listing.Place{Place: place, File: s, Page: page}})
		}
		rows, err := csv.NewReader(bytes.NewReader(lines.Bytes())).ReadAll()
		want := [][]string{
			strings.Split("file,page,fetch_time,record,warc_record_offset,warc_record_length,fetch_status,offset,element,attr,syntax,rel,text,raw,ref,url,error", ","),
			{s, s, s, s, "7", "", "", "9", s, s, "url", s, s, s, s, s, ""},
			{s, "", "", "", "", "", "", "9", s, s, "url", s, s, s, s, s, ""},
		}
		if err != nil || !reflect.DeepEqual(rows, want) {
			t.Errorf("%q: %q, %v", s, rows, err)
		}
	}
}

// Exit codes of archives: damage is reported, and does not hide that something could
// not be done.
func TestArchiveCodes(t *testing.T) {
	dir := t.TempDir()
	name := func(s string) string { return filepath.Join(dir, s) }
	whole := "WARC/1.0\r\nWARC-Type: metadata\r\nContent-Length: 2\r\n\r\nx\n\r\n\r\n"
	for file, text := range map[string]string{"whole.warc": whole, "cut.warc": whole + whole[:50]} {
		write(t, name(file), text)
	}
	for _, row := range []struct {
		args []string
		code int
	}{
		{[]string{"warc", name("whole.warc"), "-o", name("o.warc.gz")}, console.ExitDone},
		{[]string{"warc", name("cut.warc"), "-o", name("o.warc.gz")}, console.ExitDamaged},
		{[]string{"warc", "--replace", name("cut.warc"), "-o", name("o.warc")}, console.ExitDamaged},
		{[]string{"list", name("cut.warc")}, console.ExitDamaged},
		{[]string{"list", name("cut.warc"), name("missing")}, console.ExitNotDone},
		{[]string{"list", name("missing"), name("cut.warc")}, console.ExitNotDone},
		{[]string{"warc", name("cut.warc"), name("missing"), "-o", name("not.warc")}, console.ExitNotDone},
		{[]string{"warc", "--url", "http://h/", name("whole.warc"), "-o", name("not.warc")}, console.ExitUsage},
	} {
		var stderr strings.Builder
		if code := run(row.args, strings.NewReader(""), io.Discard, &stderr); code != row.code {
			t.Errorf("%q: %d, %s", row.args, code, stderr.String())
		}
	}
	if _, err := os.Stat(name("not.warc")); err == nil {
		t.Error("an output that is not whole is there")
	}
	if got := readFile(t, name("o.warc")); got != readFile(t, name("cut.warc")) {
		t.Errorf("%q", got)
	}
}

// An archive without any record leaves no file, whatever else is in it.
func TestNoRecordNoFile(t *testing.T) {
	t.Chdir(t.TempDir())
	const skipped = "P*M\x18\x04\x00\x00\x00abcd" // a frame that decoders leave out
	for _, text := range []string{"", "\n\n\n", "\r\n\r\n", "words", skipped, skipped + skipped} {
		for _, name := range []string{"in.warc", "in.warc.gz", "in.warc.zst"} {
			write(t, name, text)
			for _, args := range [][]string{{"warc"}, {"warc", "--replace"}} {
				code, _, stderr := run1("", append(args, name, name, "-o", "out.warc.zst")...)
				if code != console.ExitNotDone || strings.Count(stderr, name+": no WARC record is in it\n") != 2 {
					t.Errorf("%q of %q: %d, %s", args, text, code, stderr)
				}
				if _, err := os.Stat("out.warc.zst"); err == nil {
					t.Fatalf("%q of %q leaves a file", args, text)
				}
			}
		}
	}
}

// Where no temporary file can be written, the error names the archive, the summary
// says that it stopped early, and there is no output.
func TestArchiveWithoutTemporaryFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, filepath.Join(t.TempDir(), "none"))
	}
	var archive strings.Builder
	for _, size := range []int{1, 16 << 20, 1} {
		page := "<a href=x>" + strings.Repeat(" ", size)
		fmt.Fprintf(&archive, "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://h/\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", len(page), page)
	}
	write(t, "in.warc", archive.String())
	for _, args := range [][]string{{"warc", "in.warc", "-o", "out.warc"}, {"warc", "--replace", "in.warc", "-o", "out.warc"}, {"list", "in.warc", "-o", "out.jsonl"}} {
		code, _, stderr := run1("", args...)
		if code != console.ExitNotDone || !strings.Contains(stderr, "absolink: in.warc: stopped early: ") || !strings.Contains(stderr, "\nabsolink: in.warc: cannot write a temporary file in "+os.TempDir()+": ") {
			t.Errorf("%q: %d, %s", args, code, stderr)
		}
		if !strings.Contains(stderr, "stopped early: 2 records in, 2 done: 1 ") || !strings.Contains(stderr, ", 1 failed, 0 damaged;") {
			t.Errorf("%q: %s", args, stderr)
		}
	}
	if files, err := os.ReadDir("."); err != nil || len(files) != 1 {
		t.Errorf("files %v, %v", files, err)
	}
}

// A damaged archive in a WACZ file does not stop the others, and the exit code tells of it.
func TestDamagedArchiveInWACZ(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	const record = "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://h/%s\r\nContent-Type: text/html\r\nContent-Length: 10\r\n\r\n<a href=x>\r\n\r\n"
	for _, name := range []string{"a", "empty", "b", "c"} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: "archive/" + name + ".warc"})
		if err != nil {
			t.Fatal(err)
		}
		if name != "empty" {
			fmt.Fprintf(w, record, name)
		}
	}
	z.Close()
	whole := b.String()
	at := strings.LastIndex(whole, "archive/b.warc") - 46 // of its entry in the directory
	for field, row := range map[int]struct {
		name string
		to   int // that many archives have pages
	}{10: {"coding", 2}, 16: {"checksum", 3}, 24: {"size", 3}, 42: {"place", 2}} {
		dir := t.TempDir()
		name := filepath.Join(dir, "x.wacz")
		write(t, name, whole[:at+field]+"\x77"+whole[at+field+1:])
		for command, out := range map[string]string{"list": "out.jsonl", "warc": "out.warc"} {
			out = filepath.Join(dir, out)
			text, err := exec.Command("absolink", command, "-o", out, name).CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != console.ExitDamaged || !strings.Contains(string(text), "x.wacz:archive/b.warc: byte ") {
				t.Errorf("%s, %s: %v, %s", row.name, command, err, text)
			}
			if command == "warc" && !strings.Contains(string(text), "x.wacz:archive/empty.warc: no WARC record is in it\n") {
				t.Errorf("%s: %s", row.name, text)
			}
			if n := strings.Count(readFile(t, out), "http://h/x"); n != row.to {
				t.Errorf("%s, %s: %d links", row.name, command, n)
			}
		}
	}
}
