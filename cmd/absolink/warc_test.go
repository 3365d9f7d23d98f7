package main

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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

// A line of an archive's list has each value exactly, whatever bytes it has: in JSON as package
// json writes them, and in CSV.
func TestValuesInLists(t *testing.T) {
	var all strings.Builder
	for c := range 256 {
		all.WriteByte(byte(c))
	}
	for _, s := range []string{
		"", "x", " ", `\.`, `"\/`, `"`, `a"b,c`, "a\nb", "\n", "a\rb", "\x00", ",", "\xff", "\xc3", "\xed\xa0\x80", "a\xffb", "ä€𝄞\u2028\u2029\ufffd<&>", all.String(),
	} {
		page := &warc.Page{URL: s, Date: s, ID: s, Offset: 7, Length: 8, Status: 200}
		place := &rewriter.Place{Offset: 9, Element: s, Attr: s, Rel: s, Text: s, Raw: s, Ref: s, URL: s, Rule: &rewriter.Rule{}, Err: rewriter.ErrNoBase}
		line := string(listing.AppendJSON(nil, listing.Place{Place: place, File: s, Page: page}))
		if text := strings.TrimSuffix(line, "\n"); listing.Visible(text) != text {
			t.Errorf("a terminal obeys %q", line)
		}
		wanted, err := json.Marshal(map[string]any{
			"file": s, "page": s, "fetch_time": s, "record": s, "warc_record_offset": 7, "warc_record_length": 8, "fetch_status": 200,
			"offset": 9, "element": s, "attr": s, "syntax": "url", "rel": s, "text": s, "raw": s, "ref": s, "url": s, "error": rewriter.ErrNoBase.Error(),
		})
		var got, want map[string]any
		if err := errors.Join(err, json.Unmarshal([]byte(line), &got), json.Unmarshal(wanted, &want)); err != nil || s != "" && !maps.Equal(got, want) {
			t.Errorf("%q, want %q, %v", got, want, err)
		}
		var lines listing.Buffer
		view.Formats["csv"].Begin(&lines, false)
		for _, page := range []*warc.Page{page, {URL: s, Offset: 7}, nil} {
			view.Formats["csv"].Add(&lines, view.Listed{Place: listing.Place{Place: place, File: s, Page: page}})
		}
		rows, err := csv.NewReader(bytes.NewReader(lines.Bytes())).ReadAll()
		wantRows := [][]string{
			strings.Split("file,page,fetch_time,record,warc_record_offset,warc_record_length,fetch_status,offset,element,attr,syntax,rel,text,raw,ref,url,error", ","),
			{s, s, s, s, "7", "8", "200", "9", s, s, "url", s, s, s, s, s, rewriter.ErrNoBase.Error()},
			{s, s, "", "", "7", "", "", "9", s, s, "url", s, s, s, s, s, rewriter.ErrNoBase.Error()},
			{s, "", "", "", "", "", "", "9", s, s, "url", s, s, s, s, s, rewriter.ErrNoBase.Error()},
		}
		if err != nil || !reflect.DeepEqual(rows, wantRows) {
			t.Errorf("%q: %q, %v", s, rows, err)
		}
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
