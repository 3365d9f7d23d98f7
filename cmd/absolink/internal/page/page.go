// Package page is the page that shows what becomes of a document, as its hosts have it: a server,
// a report, and a file that needs neither.
package page

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
)

// files has the files of the page. Each HTML file becomes one document, with the style and the
// modules that it names in it.
//
//go:embed files
var files embed.FS

const (
	styleLink  = `<link rel="stylesheet" href="style.css">`
	scriptLink = `<script type="module" src="main.js"></script>`

	fetchHidden = `<button id="fetch-button" type="submit" hidden>`
	fetchShown  = `<button id="fetch-button" type="submit">`
	fileHidden  = `<a id="offline" href="/absolink.html" download hidden>`
	fileShown   = `<a id="offline" href="/absolink.html" download>`
)

// servedPolicy lets the page run its own script, ask its own server, and show the document
// below in a frame. It is for the hashes of its script and its style.
const servedPolicy = "default-src 'none'; script-src %s; style-src %s; img-src data:; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Index returns the page for a server, which fetches documents or does not, and its policy.
func Index(fetches bool) (html, policy string) {
	html, script, style := inlined("index.html")
	if fetches {
		html = strings.Replace(html, fetchHidden, fetchShown, 1)
	}
	if _, err := File(); err == nil {
		html = strings.Replace(html, fileHidden, fileShown, 1)
	}
	return html, fmt.Sprintf(servedPolicy, hash(script), hash(style))
}

// Frames returns the document in which a server has documents rendered.
func Frames() string {
	html, _, _ := inlined("frames.html")
	return html
}

// inlined returns an HTML file of the page with its style and its modules in it, and these
// two. A module that lacks the link in the file is not in the result.
func inlined(name string) (html, script, style string) {
	style = "\n" + pageFile("style.css")
	script = "\n" + moduleText("main.js", pageFile)
	html = strings.NewReplacer(
		styleLink, "<style>"+style+"</style>",
		scriptLink, `<script type="module">`+script+"</script>",
	).Replace(pageFile(name))
	return html, script, style
}

// alone returns the page for a host without a server, up to its end: a report or a file, as class
// says. Its policy is for the hash of its script.
func alone(class, policy string) string {
	html, script, _ := inlined("index.html")
	policy = fmt.Sprintf(policy, hash(script))
	html = strings.Replace(html, "<html ", `<html class="`+class+`" `, 1)
	html = strings.Replace(html, "<style>", `<meta http-equiv="Content-Security-Policy" content="`+policy+"\">\n<style>", 1)
	return strings.TrimSuffix(html, "</html>\n")
}

// hash returns the source of a policy that allows an inline script or style.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// pageFile returns a file of the page. It panics if there is none.
func pageFile(name string) string {
	b, err := files.ReadFile("files/" + name)
	if err != nil {
		panic(err)
	}
	return string(b)
}

var (
	importLine = regexp.MustCompile(`(?m)^import .* from '\./(.*)';\n`) // how the modules of the page import from one another
	exported   = regexp.MustCompile(`(?m)^export `)
)

// moduleText returns a module after those that it imports. All share one scope, so their names
// must differ.
func moduleText(name string, file func(name string) string) string {
	var b strings.Builder
	done := map[string]bool{}
	var add func(name string)
	add = func(name string) {
		if done[name] {
			return
		}
		done[name] = true
		module := file(name)
		for _, imported := range importLine.FindAllStringSubmatch(module, -1) {
			add(imported[1])
		}
		b.WriteString(exported.ReplaceAllString(importLine.ReplaceAllString(module, ""), ""))
	}
	add(name)
	return b.String()
}
