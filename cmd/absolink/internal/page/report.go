package page

import (
	"bufio"
	"compress/gzip"
	"encoding/base64"
	"io"
)

// reportPolicy lets a report run its own script, and show documents in frames without
// scripts, and nothing else. It is for the hash of the script.
const reportPolicy = "default-src 'none'; script-src %s; style-src 'unsafe-inline'; img-src data:; frame-src 'none'; base-uri 'none'; form-action 'none'"

// A report is a page with its data.
type report struct {
	out    *bufio.Writer
	base64 io.WriteCloser
	gzip   *gzip.Writer
}

// NewReport writes the page as one file to w, with the lines of JSON in it that are
// written to data. Whatever is in the data, the page has only characters of base64 for it.
func NewReport(w io.Writer) (data io.WriteCloser, err error) {
	r := &report{out: bufio.NewWriter(w)}
	r.out.WriteString(alone("report", reportPolicy))
	r.out.WriteString(`<script type="application/gzip" id="data">`)
	r.base64 = base64.NewEncoder(base64.StdEncoding, r.out)
	r.gzip = gzip.NewWriter(r.base64)
	return r, r.out.Flush()
}

func (r *report) Write(p []byte) (int, error) { return r.gzip.Write(p) }

// Close ends the page.
func (r *report) Close() error {
	r.gzip.Close() // its error, and that of the next, come again from Flush
	r.base64.Close()
	r.out.WriteString("</script>\n</html>\n")
	return r.out.Flush()
}
