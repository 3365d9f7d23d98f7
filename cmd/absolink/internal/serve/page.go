package serve

import (
	"compress/gzip"
	"io"
	"net/http"

	"absolink/cmd/absolink/internal/page"
)

// quietPolicy is for the document in which documents are rendered that ask nobody. They
// inherit it: they may have style of their own. It names no server and allows no script, so
// nothing can be asked for, by whatever element.
const quietPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

// elsewherePolicy is for the document in which documents are rendered that may ask any
// server for images, styles and fonts. They still run no scripts.
const elsewherePolicy = "default-src 'none'; style-src * 'unsafe-inline'; img-src * data:; font-src * data:; media-src * data:; form-action 'none'; frame-ancestors 'none'"

// servePages has on serve the documents of the page, for a server that fetches documents or
// does not.
func servePages(on func(pattern string, do http.HandlerFunc), fetches bool) {
	index, policy := page.Index(fetches)
	for path, document := range map[string]struct {
		html   []byte
		policy string
	}{
		"/{$}":                 {[]byte(index), policy},
		"/page/quiet.html":     {[]byte(page.Frames()), quietPolicy},
		"/page/elsewhere.html": {[]byte(page.Frames()), elsewherePolicy},
	} {
		on("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			h := w.Header()
			h.Set("Content-Security-Policy", document.policy)
			h.Set("Content-Type", "text/html; charset=utf-8")
			h.Set("Referrer-Policy", "no-referrer")
			h.Set("Cache-Control", "no-cache")
			w.Write(document.html)
		})
	}
	on("GET /absolink.html", func(w http.ResponseWriter, _ *http.Request) { serveFile(w) })
}

// serveFile answers with absolink.html, for people to save.
func serveFile(w http.ResponseWriter) {
	packed, err := page.File()
	if err != nil {
		http.Error(w, "this program was built without absolink.html, which a release has", http.StatusNotFound)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="absolink.html"`)
	z, err := gzip.NewReader(packed)
	if err != nil {
		panic(err) // build made it
	}
	io.Copy(w, z)
}
