package serve

import (
	"embed"
	"io/fs"
	"net/http"
)

//go:embed page
var embedded embed.FS

// page has the files of the page at /. They are served as /page/NAME; index.html is /.
var page fs.FS = embedded

// pagePolicy lets the page load its own files and show documents in frames without
// scripts, and nothing else.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self' blob: data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// servePage serves a file of the page.
func servePage(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache")
	if r.URL.Path == "/" {
		http.ServeFileFS(w, r, page, "page/index.html")
		return
	}
	if info, err := fs.Stat(page, r.URL.Path[1:]); err != nil || info.IsDir() {
		Problemf(http.StatusNotFound, "%s is not here", r.URL.Path).write(w)
		return
	}
	http.ServeFileFS(w, r, page, r.URL.Path[1:])
}
