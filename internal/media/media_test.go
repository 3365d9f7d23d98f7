package media

import (
	"compress/gzip"
	"net/http"
	"strings"
	"testing"
)

func TestIsHTML(t *testing.T) {
	const doctype = "<!DOCTYPE html>"
	for _, test := range []struct {
		name, start string
		want        bool
	}{
		{"a.html", "", true},
		{"a.html", "text", true},
		{"a.HTM", "<p>", true},
		{"a.xhtml", "<?xml version='1.0'?><html/>", true},
		{"a.shtml", "<!--#include -->", true},
		{"a.html", "\xff\xfe<\x00p\x00>\x00", true},
		{"a.html", "a control \x01 character", true},
		{"a.html", "\x89PNG\r\n\x1a\n", false},
		{"a.html", "%PDF-1.7", false},
		{"a.htm", "GIF89a", false},
		{"a.html", `{"version": 1, "html": "<a href=x>"}`, false},
		{"a.html", "\xef\xbb\xbf\n[ {\"html\": \"<a href=x>\"}]", false},
		{"a.html", "{}", false},
		{"a.html", "{{ define }}<a href=x>", true},
		{"a.html", "[x] {done}<a href=x>", true},
		{"a.html", "\x1f\x8b\x08\x00", false},
		{"page", "", false},
		{"page", "words", false},
		{"page", doctype, true},
		{"page", " \n<p>x", true},
		{"page", "<title>x", true},
		{"page.", "<title>x", true},
		{"page", "<?xml version='1.0'?>\n<!-- c -->\n<!doctype HTML PUBLIC ''>", true},
		{"page", "<?xml version='1.0'?><feed>", false},
		{"view.php?id=3", doctype, true},
		{"view.php", "\xef\xbb\xbf \n<!-- saved --> <HTML lang=en>", true},
		{"view.php", "<p>x", false},
		{"view.php", "<?php echo 1 ?><html>", false},
		{"a.js", "<!-- old\n", false},
		{"a.js", "<!-- never closed <html>", false},
		{"a.svg", "<?xml version='1.0'?><svg><html>", false},
		{"a.xml", "<htmlx>", false},
		{"a.xml", "<html>", true},
		{"a.css", "/* <html> */", false},
		{".htaccess", "x", false},
		// Words that begin like the signature of a binary format.
		{"a.html", "BMW cars <a href=x>", true},
		{"a.html", "ID3 tags <a href=x>", true},
		{"a.html", "OTTO <a href=x>", true},
		{"a.html", "BM\x36\x00\x0c\x00", false},
		{"a.html", "ID3\x03\x00", false},
	} {
		if got := IsHTML([]byte(test.start), test.name); got != test.want {
			t.Errorf("%s, %q: %v", test.name, test.start, got)
		}
	}
}

// The prolog of a document does not say what the document is.
func TestAfterProlog(t *testing.T) {
	for start, want := range map[string]string{
		"": "", " \r\n\t\f": "", "x <!-- c -->": "x <!-- c -->",
		"\xef\xbb\xbf <p>":         "<p>",
		"<!-- c --> <!-- d --><p>": "<p>",
		"<!--><p>":                 "<p>",
		"<!---><p>":                "<p>",
		"<!-- <p>":                 "<!-- <p>",
		"<!-- c --><!-- <p>":       "<!-- <p>",
		"<?xml version='1.0'?>\n<?xml-stylesheet href='x'?> <rss>": "<rss>",
		"<?xml <rss>":           "<?xml <rss>",
		"<?php echo 1 ?><html>": "<?php echo 1 ?><html>",
		"<!doctype html>":       "<!doctype html>",
	} {
		if got := AfterProlog([]byte(start)); string(got) != want {
			t.Errorf("%q: %q, want %q", start, got, want)
		}
	}
}

func TestType(t *testing.T) {
	for _, test := range []struct{ name, start, want string }{
		{"a.png", "\x89PNG\r\n\x1a\n\x00", "image/png"},
		{"a.html", "\x89PNG\r\n\x1a\n\x00", "image/png"},
		{"a", "GIF89a", "image/gif"},
		{"a", "%PDF-1.7", PDF},
		{"a.json", "", JSON},
		{"feed", `{"version":1}`, JSON},
		{"feed", "[\n {}]", JSON},
		{"page", "{{ define }}", ""},
		{"page", "{% extends %}", ""},
		{"a.css", "a { b: c }", CSS},
		{"a.mjs", "", Script},
		{"a.svg", "", SVG},
		{"a", "<?xml version='1.0'?><!-- c --><svg width=1>", SVG},
		{"a.warc.gz", "\x1f\x8b", GZIP},
		{"a.arc.gz", gzipped("filedesc://a.arc 0.0.0.0 "), ARC},
		{"a.gz", gzipped("words"), GZIP},
		{"a", "filedesc://a.arc 0.0.0.0 ", ARC},
		{"a", "\x28\xb5\x2f\xfd", Zstd},
		{"a", "BZh91AY&SY", BZIP2},
		{"a", "BZh is a name", ""},
		{"a", "\xfd7zXZ\x00", XZ},
		{"a.zip", "PK\x03\x04", ZIP},
		{"a.wacz", "PK\x03\x04", WACZ},
		{"a.zip", "PK\x03\x04" + strings.Repeat("\x00", 26) + "datapackage.json", WACZ},
		{"a.zip", "PK\x03\x04" + strings.Repeat("\x00", 26) + "mimetype", ZIP},
		{"a", "", ""},
		{"a.unknown", "words", ""},
	} {
		if got := Type([]byte(test.start), test.name); got != test.want {
			t.Errorf("%s, %q: %q, want %q", test.name, test.start, got, test.want)
		}
	}
}

// A binary file is not a page, whatever its name, and its type is known.
func TestBinaryHasType(t *testing.T) {
	for _, start := range []string{"\x89PNG\r\n\x1a\n", "\xff\xd8\xff\x00", "RIFF\x00\x00\x00\x00WEBPVP", "\x00asm", "OggS\x00", "%!PS-Adobe-", "\x1f\x8b\x08", "PK\x03\x04"} {
		if !IsBinary([]byte(start)) || Type([]byte(start), "page.html") == "" || IsHTML([]byte(start), "page.html") {
			t.Errorf("%q: binary %v, type %q", start, IsBinary([]byte(start)), Type([]byte(start), "page.html"))
		}
	}
}

// The signatures are those by which net/http knows a format, or more.
func TestSignatures(t *testing.T) {
	var starts []string
	for _, s := range signatures {
		starts = append(starts, s.magic)
	}
	for _, s := range framed {
		if s.first != "" {
			starts = append(starts, s.first+"\x00\x00\x00\x00"+s.magic)
		}
	}
	for _, start := range starts {
		start += "\x00"
		if got, want := signature([]byte(start)), http.DetectContentType([]byte(start)); got != want {
			t.Errorf("%q: %s, want %s", start, got, want)
		}
	}
	if start := "\x00\x00\x00\x18ftypisom"; !IsBinary([]byte(start)) {
		t.Errorf("%q: not binary", start)
	}
}

// Without a name or type, a page is what browsers take for one.
func TestSniffedTags(t *testing.T) {
	for _, tag := range append(sniffedTags, "<!--", "<i", "<section", "x") {
		for _, start := range []string{tag, tag + ">", " \n" + strings.ToUpper(tag) + " a", tag + "x"} {
			kind := http.DetectContentType([]byte(start))
			want := strings.HasPrefix(kind, "text/html") || tag == "<!--" // which net/http wants a space after
			if got := beginsWithTag([]byte(start)); got != want {
				t.Errorf("%q: %v, net/http says %s", start, got, kind)
			}
		}
	}
}

func TestSurelyHTML(t *testing.T) {
	for start, want := range map[string]bool{
		"": false, " ": false, "<": false, "<p": false, "<p>": true, "<P ": true, "</p>": false,
		"<!doctype html>": true, "<!doctype rss>": false, "<!-- c -->": false, "<!-- c --><html/>": true,
		"<rss>": false, "<rdf:RDF ": false, "<feed\n": false, "<atom:entry>": false, "<x:y>": true,
		"text": false, "text\n": true, "Subject: s\n": false, "From a@b\n": false,
	} {
		if got := SurelyHTML([]byte(start)); got != want {
			t.Errorf("%q: %v", start, got)
		}
	}
}

func TestHasExt(t *testing.T) {
	for name, want := range map[string]bool{"a.eml": true, "d/a.EML": true, ".mht": true, "a.eml.gz": false, "eml": false, "": false} {
		if got := HasExt(name, ".mht", ".eml"); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

func gzipped(text string) string {
	var b strings.Builder
	z := gzip.NewWriter(&b)
	z.Write([]byte(text))
	z.Close()
	return b.String()
}
