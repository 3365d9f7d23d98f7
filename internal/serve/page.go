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

// pagePolicy lets the page load its own modules and style, and ask its own server.
// Documents in its frames inherit the policy: they may have style of their own, and ask
// nobody for anything.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; connect-src 'self'; frame-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// elsewherePolicy is for the page with documents that may ask any server for images,
// styles and fonts. They still run no scripts.
const elsewherePolicy = "default-src 'none'; script-src 'self'; style-src * 'unsafe-inline'; img-src * data:; font-src * data:; media-src * data:; frame-src 'none'; form-action 'none'; frame-ancestors 'none'"

// servePage serves a file of the page.
func servePage(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", pagePolicy)
	if r.URL.Path == "/page/render.html" {
		h.Set("Content-Security-Policy", elsewherePolicy)
	}
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
