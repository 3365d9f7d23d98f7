package serve

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strings"
)

// reportPolicy lets a report run its own script, and show documents in frames without
// scripts, and nothing else. It is for the hash of the script.
const reportPolicy = "default-src 'none'; script-src 'sha256-%s'; style-src 'unsafe-inline'; img-src data:; frame-src 'none'; base-uri 'none'; form-action 'none'"

// A report is a page with its data.
type report struct {
	out    *bufio.Writer
	base64 io.WriteCloser
	gzip   *gzip.Writer
}

// NewReport writes the page as one file to w, with the lines of JSON in it that are
// written to data. Whatever is in the data, the page has only characters of base64 for it.
func NewReport(w io.Writer) (data io.WriteCloser, err error) {
	html, err := reportPage()
	if err != nil {
		return nil, err
	}
	r := &report{out: bufio.NewWriter(w)}
	r.out.WriteString(html)
	r.out.WriteString(`<script type="application/gzip" id="data">`)
	r.base64 = base64.NewEncoder(base64.StdEncoding, r.out)
	r.gzip = gzip.NewWriter(r.base64)
	return r, r.out.Flush()
}

func (r *report) Write(p []byte) (int, error) { return r.gzip.Write(p) }

// Close ends the page.
func (r *report) Close() error {
	if err := r.gzip.Close(); err != nil {
		return err
	}
	if err := r.base64.Close(); err != nil {
		return err
	}
	r.out.WriteString("</script>\n</html>\n")
	return r.out.Flush()
}

// reportPage returns the page with its style and its modules in it, without the end.
func reportPage() (string, error) {
	html, err := fs.ReadFile(page, "page/index.html")
	if err != nil {
		return "", err
	}
	style, err := fs.ReadFile(page, "page/style.css")
	if err != nil {
		return "", err
	}
	var modules bytes.Buffer
	modules.WriteByte('\n')
	if err := appendModule(&modules, "main.js", map[string]bool{}); err != nil {
		return "", err
	}
	hash := sha256.Sum256(modules.Bytes())
	policy := fmt.Sprintf(reportPolicy, base64.StdEncoding.EncodeToString(hash[:]))
	return strings.NewReplacer(
		`<link rel="stylesheet" href="/page/style.css">`, `<meta http-equiv="Content-Security-Policy" content="`+policy+`">`+"\n<style>\n"+string(style)+"</style>",
		`<script type="module" src="/page/main.js"></script>`, `<script type="module">`+modules.String()+"</script>",
		"</html>\n", "",
	).Replace(string(html)), nil
}

// importLine is how the modules of the page import from one another.
var importLine = regexp.MustCompile(`(?m)^import .* from '\./(.*)';\n`)

// appendModule appends a module after those that it imports. All share one scope, so their
// names must differ.
func appendModule(b *bytes.Buffer, name string, done map[string]bool) error {
	if done[name] {
		return nil
	}
	done[name] = true
	module, err := fs.ReadFile(page, "page/"+name)
	if err != nil {
		return err
	}
	for _, imported := range importLine.FindAllSubmatch(module, -1) {
		if err := appendModule(b, string(imported[1]), done); err != nil {
			return err
		}
	}
	module = importLine.ReplaceAll(module, nil)
	b.Write(regexp.MustCompile(`(?m)^export `).ReplaceAll(module, nil))
	return nil
}
