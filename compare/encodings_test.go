package compare

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"absolink/internal/test/soak"
	"absolink/internal/test/testio"
)

var (
	update = flag.Bool("update", false, "write what Chromium says to testdata/encodings")
	full   = flag.String("full", "", "write what Chromium makes of each row of testdata/encodings to a file in this `directory`")
)

//go:embed encodings.js
var encodingsScript string

const encodings = "../testdata/encodings"

// encodingDifferences are the rows in which Chromium is not as the Encoding Standard
// says, and why. Their checksums are those of the Standard.
var encodingDifferences = map[string]string{
	"decode big5 88 62,64,a3,a5":               "two characters at once become two other code units",
	"decode euc-jp 8f a1,b0 41,7e a1,b0 a1,fe": "after a broken character of JIS X 0212 the next one is looked up there too",
	"decode iso-2022-jp 1b 24 40,42 1b 24,28":  afterEscape,
	"decode iso-2022-jp 1b 24,28 0e,0f,80-ff":  afterEscape,
	"decode iso-2022-jp 1b,24,28 1b,24,28 40,42,49,4a,1b 0a,0e,0f,1b,21,28,5c,7e,80 1b,24,28,21,0a 1b,28,42,21": afterEscape,
	"decode iso-2022-jp 1b 24,28 40,42,49,4a 0a,1b,21,5c,60,7e,ff 0a,1b,21,28,ff 21,24,28,42":                   afterEscape,
}

const afterEscape = "the byte after two of a broken escape sequence is lost if it is an error of its own"

// The checksums in testdata/encodings are those of what Chromium decodes and encodes,
// except for the known differences.
func TestEncodings(t *testing.T) {
	b := <-startChromium(t)
	checkTable(t, "checksums.tsv", 4, func(f []string) {
		t.Run(strings.Join(f[:3], " "), func(t *testing.T) {
			if !*update && *full == "" {
				soak.Sample(t, 4)
			}
			got := checksum(t, b, f[0], f[1], f[2])
			why, differs := encodingDifferences[strings.Join(f[:3], " ")]
			switch {
			case !differs:
				f[3] = got
			case got == f[3]:
				t.Errorf("%q is as in the Standard: take it off the differences (%s)", f, why)
			}
		})
	})
}

// checksum returns the checksum of what the browser makes of a row.
func checksum(t *testing.T, b *tab, verb, encoding, set string) (sum string) {
	call := ""
	switch verb {
	case "decode":
		text, length := testio.Sequences(t, encoding, set)
		call = fmt.Sprintf("decode(%q, %q, %d)", encoding, base64.StdEncoding.EncodeToString(text), length)
	case "encode":
		first, last := testio.Between(t, set, 32)
		call = fmt.Sprintf("encode(%d, %d)", first, last)
	}
	b.inEncoding(t, encoding)
	if *full != "" {
		var text string
		noError(t, chromedp.Run(b.ctx, chromedp.Evaluate(call, &text)))
		noError(t, os.WriteFile(filepath.Join(*full, verb+" "+encoding+" "+set), []byte(text), 0o644))
	}
	wait := func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }
	if err := chromedp.Run(b.ctx, chromedp.Evaluate("checksum("+call+")", &sum, wait)); err != nil {
		t.Fatalf("%s %s %s: %v", verb, encoding, set, err)
	}
	return sum
}

// inEncoding shows an empty page in an encoding, on a host that browsers let compute
// checksums.
func (b *tab) inEncoding(t *testing.T, encoding string) {
	page := Page{URL: "http://localhost/", Type: "text/html; charset=" + encoding}
	b.mu.Lock()
	same := b.page.Type == page.Type
	b.page = page
	b.mu.Unlock()
	if same {
		return
	}
	noError(t, chromedp.Run(b.ctx, chromedp.Navigate(page.URL), chromedp.Evaluate(encodingsScript, nil)))
}

// The URLs of the cases in testdata/encodings are what Chromium resolves.
func TestEncodingCases(t *testing.T) {
	b := <-startChromium(t)
	checkTable(t, "cases.tsv", 3, func(f []string) {
		page := Page{URL: "http://h/", Type: "text/html; charset=" + f[0], HTML: caseDocument(t, f[0], f[1])}
		f[2] = b.evaluate(t, page, "document.links[0].href")
	})
}

// caseDocument returns a page with one link. The reference is written as in Go, between
// quotes; in UTF-16 the escape sequences are code units.
func caseDocument(t *testing.T, encoding, ref string) []byte {
	if encoding == "utf-16le" {
		return utf16Document(t, `<a href="`+ref+`">`)
	}
	bytes, err := strconv.Unquote(`"` + strings.ReplaceAll(ref, `"`, `\"`) + `"`)
	if err != nil {
		t.Fatalf("%s: %v", ref, err)
	}
	return []byte(`<a href="` + bytes + `">`)
}

func utf16Document(t *testing.T, text string) (document []byte) {
	for len(text) > 0 {
		unit := uint64(text[0])
		if hex, ok := strings.CutPrefix(text, `\u`); ok {
			unit, _ = testio.Between(t, hex[:4], 16)
			text = hex[4:]
		} else {
			text = text[1:]
		}
		document = append(document, byte(unit), byte(unit>>8))
	}
	return document
}

// The labels in testdata/encodings name the encodings that they name for Chromium.
func TestLabels(t *testing.T) {
	b := <-startChromium(t)
	checkTable(t, "labels.tsv", 2, func(f []string) {
		page := Page{URL: "http://h/", Type: "text/html; charset=\"" + f[0] + "\""}
		f[1] = strings.ToLower(b.evaluate(t, page, "document.characterSet"))
	})
}

// evaluate shows a page and returns what a script says.
func (b *tab) evaluate(t *testing.T, page Page, script string) (result string) {
	b.mu.Lock()
	b.page = page
	b.mu.Unlock()
	if err := chromedp.Run(b.ctx, chromedp.Navigate(page.URL), chromedp.Evaluate(script, &result)); err != nil {
		t.Fatalf("%s: %v", page.Type, err)
	}
	return result
}

// checkTable checks the last columns of a table, which ask sets to what the browser
// says, or writes them.
func checkTable(t *testing.T, name string, columns int, ask func(row []string)) {
	name = filepath.Join(encodings, name)
	in := must(os.ReadFile(name))(t)
	var out bytes.Buffer
	for line := range strings.Lines(string(in)) {
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(row) != columns {
			t.Fatalf("%q: want %d columns", line, columns)
		}
		was := strings.Join(row, "\t")
		ask(row)
		is := strings.Join(row, "\t")
		if is != was && !*update {
			t.Errorf("%q: Chromium has %q", was, is)
		}
		fmt.Fprintln(&out, is)
	}
	if strings.Count(out.String(), "\n") < 100 {
		t.Errorf("%s is short", name)
	}
	if *update {
		noError(t, os.WriteFile(name, out.Bytes(), 0o644))
	}
}
