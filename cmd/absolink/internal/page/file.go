package page

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/base64"
	"io"
	"io/fs"
)

// filePolicy lets the file run its own script, and the module in a worker, and show documents in
// frames without scripts. It forbids every connection. It is for the hash of the script.
const filePolicy = "default-src 'none'; script-src %s 'wasm-unsafe-eval'; worker-src blob:; style-src 'unsafe-inline'; img-src data:; frame-src 'none'; base-uri 'none'; form-action 'none'"

// WriteFile writes absolink.html: the page, with the module in its own text. wasi is the text of
// bindings/js/wasi.js.
func WriteFile(w io.Writer, module []byte, wasi string) error {
	worker := moduleText("worker.js", func(name string) string {
		if name == "wasi.js" {
			return wasi
		}
		return pageFile(name)
	})
	var packed bytes.Buffer
	z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	z.Write(module) // to memory, which does not fail
	z.Close()
	_, err := io.WriteString(w, alone("file", filePolicy)+`<script type="text/worker" id="worker">`+worker+
		`</script>
<script type="application/gzip" id="module">`+base64.StdEncoding.EncodeToString(packed.Bytes())+"</script>\n</html>\n")
	return err
}

// made has absolink.html.gz, if build has made it before this program was built.
//
//go:embed all:made
var made embed.FS

// File opens absolink.html, compressed by gzip. The error is fs.ErrNotExist if this program was
// built without it.
func File() (fs.File, error) { return made.Open("made/absolink.html.gz") }
