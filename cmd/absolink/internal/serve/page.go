package serve

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// page has the files of the page at /. Each HTML file is served as one document, with the
// style and the modules that it names in it.
//
//go:embed page
var page embed.FS

// pagePolicy lets the page run its own script, ask its own server, and show the document
// below in a frame. It is for the hashes of its script and its style.
const pagePolicy = "default-src 'none'; script-src %s; style-src %s; img-src data:; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

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
	index, script, style := inlined("index.html")
	if fetches {
		index = strings.Replace(index, fetchHidden, fetchShown, 1)
	}
	frames, _, _ := inlined("frames.html")
	for path, document := range map[string]struct {
		html   []byte
		policy string
	}{
		"/{$}":                 {[]byte(index), fmt.Sprintf(pagePolicy, hash(script), hash(style))},
		"/page/quiet.html":     {[]byte(frames), quietPolicy},
		"/page/elsewhere.html": {[]byte(frames), elsewherePolicy},
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
}

const (
	styleLink  = `<link rel="stylesheet" href="style.css">`
	scriptLink = `<script type="module" src="main.js"></script>`

	fetchHidden = `<button id="fetch-button" type="submit" hidden>`
	fetchShown  = `<button id="fetch-button" type="submit">`
)

// inlined returns an HTML file of the page with its style and its modules in it, and these
// two. A module that lacks the link in the file is not in the result.
func inlined(name string) (html, script, style string) {
	style = "\n" + pageFile("style.css")
	var modules bytes.Buffer
	modules.WriteByte('\n')
	appendModule(&modules, "main.js", map[string]bool{})
	script = modules.String()
	html = strings.NewReplacer(
		styleLink, "<style>"+style+"</style>",
		scriptLink, `<script type="module">`+script+"</script>",
	).Replace(pageFile(name))
	return html, script, style
}

// hash returns the source of a policy that allows an inline script or style.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// pageFile returns a file of the page. It panics if there is none.
func pageFile(name string) string {
	b, err := page.ReadFile("page/" + name)
	if err != nil {
		panic(err)
	}
	return string(b)
}

var (
	importLine = regexp.MustCompile(`(?m)^import .* from '\./(.*)';\n`) // how the modules of the page import from one another
	exported   = regexp.MustCompile(`(?m)^export `)
)

// appendModule appends a module after those that it imports. All share one scope, so their
// names must differ.
func appendModule(b *bytes.Buffer, name string, done map[string]bool) {
	if done[name] {
		return
	}
	done[name] = true
	module := pageFile(name)
	for _, imported := range importLine.FindAllStringSubmatch(module, -1) {
		appendModule(b, imported[1], done)
	}
	b.WriteString(exported.ReplaceAllString(importLine.ReplaceAllString(module, ""), ""))
}
