package mail

import (
	"encoding/base64"
	"io"
	"mime/quotedprintable"
	"strings"
	"testing"

	"absolink/resolver"
	"absolink/rewriter"
)

// An encodedRow says what an encoded body becomes on http://h/a/b, and what Warn is told.
type encodedRow struct{ name, in, want, warnings string }

func testEncoded(t *testing.T, encoding string, rows []encodedRow) {
	t.Helper()
	header := "Content-Type: text/html\nContent-Transfer-Encoding: " + encoding + "\n\n"
	for _, tt := range rows {
		got := rewrite(t, &Rewriter{}, strings.NewReader(header+tt.in), mustParse(t, "http://h/a/b", resolver.RFC1808))
		if got.out != header+tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got.out[len(header):], tt.want)
		}
		if warnings := strings.Join(got.warnings, "\n"); warnings != tt.warnings {
			t.Errorf("%s: warnings\n%s\nwant\n%s", tt.name, warnings, tt.warnings)
		}
	}
}

// In quoted-printable, lines that do not change keep their bytes; lines that do are broken
// where they become too long.
func TestQuotedPrintable(t *testing.T) {
	long := strings.Repeat("y", 40)
	testEncoded(t, "Quoted-Printable", []encodedRow{
		{"short", "<a href=3Dx>", "<a href=3Dhttp://h/a/x>", ""},
		{"encoded", "<a =68ref=3D=78>", "<a =68ref=3Dhttp://h/a/x>", ""},
		{"small letters", "=3ca href=3dx=3e=0a", "=3ca href=3dhttp://h/a/x=3e=0a", ""},
		{"=", "<a href=3D'?a=3Db'>", "<a href=3D'http://h/a/b?a=3Db'>", ""},
		{"a character", "<a href=3Dx=E9>", "<a href=3Dhttp://h/a/x=E9>", ""},
		{"broken inside", "<a hr=\nef=3D=\nx=\ny=\n>", "<a hr=\nef=3D=\nhttp://h/a/xy=\n>", ""},
		{"white space in a break", "<a hr= \t\nef=3Dx>", "<a hr= \t\nef=3Dhttp://h/a/x>", ""},
		{"becomes too long", "<p>" + long + "<a href=3D'x'>text</a> " + long + "\nnext", "<p>" + long + "<a href=3D'http://h/a/x'>text</a=\n> " + long + "\nnext", ""},
		{"a line of 76", "<a href=3D'x'>" + long + long[:22] + "\n<a href=3D'x'>" + long + "=\nnext line\n", "<a href=3D'http://h/a/x'>" + long + long[:10] + "=\n" + long[:12] + "\n<a href=3D'http://h/a/x'>" + long + "=\nnext line\n", ""},
		{"not within =XX", "<a href=3D'x'>" + strings.Repeat("=E9", 20), "<a href=3D'http://h/a/x'>" + strings.Repeat("=E9", 16) + "=\n" + strings.Repeat("=E9", 4), ""},
		{"a line too long before", long + long + long + "\n<p>" + long + long + "<a href=3Dx>x\n" + long + long, long + long + long + "\n<p>" + long + long + "<a href=3D=\nhttp://h/a/x>x\n" + long + long, ""},
		{"no delimiter, no dot, no From", "<a href=3D'x'>" + long + long[:10] + "-.F\n" + "<a href=3D'x'>" + long + long[:10] + ".\n", "<a href=3D'http://h/a/x'>" + long + long[:10] + "=\n=2D.F\n" + "<a href=3D'http://h/a/x'>" + long + long[:10] + "=\n=2E\n", ""},
		{"broken", "<a href=x>=\n<a href=3Dx> =4 = =", "<a href=http://h/a/x>=\n<a href=3Dhttp://h/a/x> =4 = =", "76: an = that is not quoted-printable; it stands for itself"},
		{"broken =, far", "<a href=3Dx>=" + strings.Repeat(" ", 300) + "\n", "<a href=3Dhttp://h/a/x>=" + strings.Repeat(" ", 51) + "=\n" + strings.Repeat(" ", 75) + "=\n" + strings.Repeat(" ", 75) + "=\n" + strings.Repeat(" ", 75) + "=\n" + strings.Repeat(" ", 24) + "\n", "81: an = that is not quoted-printable; it stands for itself"},
		{"nothing", "", "", ""},
	})
}

// In base64, what comes before the first change keeps its bytes, and the rest is encoded
// in lines of the same length.
func TestBase64(t *testing.T) {
	const header = "Content-Type: text/html\nContent-Transfer-Encoding: BASE64\n\n"
	text := "<p>0123456789 0123456789 0123456789 0123456789</p><a href=x>x</a><p>0123456789</p>"
	for _, tt := range []struct {
		name, in string
		same     int // how many bytes at the beginning stay the same
		length   int // of lines
		eol      string
		warnings string
	}{
		{"one line", inBase64(text, 1000, ""), 76, 76, "\n", ""},
		{"76", inBase64(text, 76, "\n") + "\n", 77, 76, "\n", ""},
		{"60, the other line end", inBase64(text, 60, "\r\n") + "\r\n", 78, 60, "\r\n", ""},
		{"a change in the first line", inBase64(text, 80, "\n") + "\n", 73, 80, "\n", ""},
		{"no multiple of 4", inBase64(text, 13, "\n"), 80, 13, "\n", ""},
		{"no padding", strings.TrimRight(inBase64(text+"1", 76, "\n"), "="), 77, 76, "\n", ""},
		{"white space", "\n \n" + strings.ReplaceAll(inBase64(text, 76, "\n"), "PGEg", "PG Eg\t"), 77, 76, "\n", ""},
	} {
		in := header + tt.in
		got := rewrite(t, &Rewriter{}, strings.NewReader(in), mustParse(t, "http://h/a/b", resolver.RFC1808))
		out, ok := strings.CutPrefix(got.out, header)
		if !ok || !strings.HasPrefix(out, tt.in[:tt.same]) {
			t.Errorf("%s: %q became %q", tt.name, tt.in, out)
		}
		decoded, err := base64.StdEncoding.DecodeString(strings.NewReplacer(" ", "", "\t", "", "\n", "", "\r", "").Replace(out))
		if want := strings.Replace(text, "=x", "=http://h/a/x", 1); err != nil || strings.TrimSuffix(string(decoded), "1") != want {
			t.Errorf("%s: %q, %v, want %q", tt.name, decoded, err, want)
		}
		lines := strings.Split(strings.TrimSpace(out), tt.eol)
		for _, line := range lines[:len(lines)-1] {
			if len(strings.NewReplacer(" ", "", "\t", "").Replace(line)) != tt.length {
				t.Errorf("%s: line %q", tt.name, line)
			}
		}
		if warnings := strings.Join(got.warnings, "\n"); warnings != tt.warnings {
			t.Errorf("%s: warnings %s, want %s", tt.name, warnings, tt.warnings)
		}
		if before := strings.ReplaceAll(in, "PGEg", "PGIg"); rewrite(t, &Rewriter{}, strings.NewReader(before), nil).out != before {
			t.Errorf("%s: nothing is to change, and does", tt.name)
		}
	}
}

// Bytes that are not base64 stay, wherever they are.
func TestBrokenBase64(t *testing.T) {
	b := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	testEncoded(t, "base64", []encodedRow{
		{"other bytes", "PGEg*" + b("href=x>...")[:8] + "*!" + b("href=x>...")[8:], "PGEg*aHJlZj1odHRwOi8vaC9h*!L3g+Li4u", "63: bytes that are no base64; they count for nothing"},
		{"goes on after its end", b("<a href=x>") + b("<a href=x>"), b("<a href=http://h/a/x>") + "=" + b("<a href=x>"), "75: base64 goes on after its end; that stays as it is"},
		{"a character too much", b("<a href=x>xx") + "Q", b("<a href=http://h/a/x>xx") + "Q", "75: base64 that ends within a character; that stays as it is from here on"},
	})
}

// The offset of a place in the message is where the encoded bytes of its reference are.
func TestOffsets(t *testing.T) {
	var html strings.Builder
	for i := range 3000 {
		html.WriteString("<p title=\"caf\u00e9 = \u20ac\">" + strings.Repeat("z", i%50) + "<a href=xyz>\r\n")
	}
	text := html.String()
	for encoding, body := range map[string]string{
		"8bit": text, "quoted-printable": quoted(text), "base64": inBase64(text, 76, "\r\n"),
	} {
		in := "Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: " + encoding + "\r\n\r\n" + body
		got := rewrite(t, &Rewriter{}, strings.NewReader(in), mustParse(t, "http://h/", resolver.RFC1808))
		if len(got.places) != 3000 {
			t.Fatalf("%d places", len(got.places))
		}
		// The text before a place, decoded by the standard library, ends in href=.
		start := len(in) - len(body)
		for i, p := range got.places {
			if i%100 != 0 {
				continue
			}
			var before []byte
			switch encoded := in[start:p.Offset]; encoding {
			case "8bit":
				before = []byte(encoded)
			case "quoted-printable":
				before, _ = io.ReadAll(quotedprintable.NewReader(strings.NewReader(encoded)))
				if in[p.Offset] != 'x' && in[p.Offset] != '=' {
					t.Errorf("%s: %q at %d", encoding, in[p.Offset:][:10], p.Offset)
				}
			case "base64":
				digits := strings.ReplaceAll(encoded, "\r\n", "")
				n := len(digits) / 4 * 3
				if len(digits)%4 > 0 {
					n += len(digits) % 4
				}
				before = []byte(text[:n])
			}
			if !strings.HasSuffix(string(before), "<a href=") {
				t.Errorf("%s: %q is before the place at %d", encoding, before[max(0, len(before)-20):], p.Offset)
			}
		}
	}
}

// The charset of an HTML part is decoded as well, and new text is encoded in it.
func TestCharset(t *testing.T) {
	in := "Content-Type: text/html; charset*=us-ascii''utf-16be\nContent-Transfer-Encoding: base64\n\n" + inBase64("\x00<\x00a\x00 \x00h\x00r\x00e\x00f\x00=\x00x\x00>", 76, "\n")
	want := "Content-Type: text/html; charset*=us-ascii''utf-16be\nContent-Transfer-Encoding: base64\n\n" + inBase64("\x00<\x00a\x00 \x00h\x00r\x00e\x00f\x00=\x00/\x00x\x00>", 76, "\n")
	html := new(rewriter.Rewriter).With(rewriter.Hooks{Visit: func(p *rewriter.Place) error { p.URL = "/" + p.Ref; return nil }})
	if got := rewrite(t, &Rewriter{HTML: html}, strings.NewReader(in), nil); got.out != want {
		t.Errorf("%s", got.out)
	}
	in = "Content-Type: text/html; charset=iso-8859-1\n\n<a href=/\xe9>"
	got := rewrite(t, &Rewriter{HTML: rewriter.Must(rewriter.New(rewriter.Options{Profile: resolver.WHATWG}))}, strings.NewReader(in), mustParse(t, "http://h/", resolver.WHATWG))
	if !strings.HasSuffix(got.out, "<a href=http://h/%C3%A9>") {
		t.Errorf("%s", got.out)
	}
}

// How long lines are does not depend on how the message is read.
func TestFirstLineOfBase64(t *testing.T) {
	const link = "PGEgaHJlZj14Pg=="
	for _, text := range []string{link + "\nmore\n", link + "\n\n" + link + "\n", link, link + strings.Repeat(" ", 2*maxLine) + "\n"} {
		in := "Content-Type: text/html\nContent-Transfer-Encoding: base64\n\n" + text
		checkPromises(t, []byte(in), mustParse(t, "http://h/a/b", resolver.RFC1808))
	}
}
