package tree

import (
	"path"
	"slices"
	"strings"

	"absolink/internal/local"
	"absolink/resolver"
	"absolink/rewriter/internal/ascii"
)

// An address maps the paths in a tree to URLs and back.
type address struct {
	url     string // of the tree, with a slash at its end
	profile resolver.Profile
	index   []string
	clean   bool
}

func (r *Rewriter) address() address {
	url := r.URL.String()
	if !strings.HasSuffix(url, "/") {
		url += "/"
	}
	return address{url, r.URL.Profile(), r.Index, r.CleanURLs}
}

// page returns the retrieval URL of the page with a path. A question mark in the name begins the
// query, as in the names that wget gives, unless only dots stand before it.
func (a *address) page(name string) (*resolver.Base, error) {
	dir, file := path.Split(name)
	whole := file
	file, query, hasQuery := strings.Cut(file, "?")
	switch {
	case slices.Contains(a.index, file):
		file = ""
	case a.clean && len(file) > len(".html"):
		file = strings.TrimSuffix(file, ".html")
	}
	if file == "." || file == ".." { // would lead to a directory
		file, hasQuery = whole, false
	}
	url := make([]byte, 0, len(a.url)+len(name)+16)
	url = append(url, a.url...)
	url = appendEscaped(url, dir)
	url = appendEscaped(url, file)
	if hasQuery {
		url = appendEscaped(append(url, '?'), query)
	}
	return resolver.ParseBase(string(url), a.profile)
}

// appendEscaped percent-encodes a path. The characters that stay as they are, apart
// from the slash, are a part of a segment in every profile (RFC 3986 §3.3). A semicolon
// is encoded: in RFC 1808 §2.1 it begins params.
func appendEscaped(dst []byte, p string) []byte {
	for i := range len(p) {
		switch c := p[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("/-._~!$&'()*+,:=@", c) >= 0:
			dst = append(dst, c)
		default:
			dst = append(dst, '%', ascii.HexDigits[c>>4], ascii.HexDigits[c&15])
		}
	}
	return dst
}

// path returns the path in the tree to which a URL leads: percent-decoded, without
// query and fragment, and with a slash at its end if the URL has one there. ok is
// false if the URL is not in the tree.
func (a *address) path(url string) (name string, ok bool) {
	root, rootPath := cutPath(a.url)
	at, p := cutPath(local.WithoutQuery(url))
	if !strings.EqualFold(withoutPort(at), withoutPort(root)) {
		return "", false
	}
	p, inside := clean(p)
	rootPath, _ = clean(rootPath)
	if p+"/" == rootPath {
		return "", true
	}
	name, ok = strings.CutPrefix(p, rootPath)
	return name, ok && inside
}

// queryOf returns the query of a URL with its question mark, percent-decoded.
func queryOf(url string) string {
	url, _, _ = strings.Cut(url, "#")
	if i := strings.IndexByte(url, '?'); i >= 0 {
		return local.Unescape(url[i:])
	}
	return ""
}

// withoutPort removes the default port from the scheme and host of a URL.
func withoutPort(s string) string {
	scheme, _, _ := strings.Cut(s, ":")
	switch {
	case strings.EqualFold(scheme, "http"):
		return strings.TrimSuffix(s, ":80")
	case strings.EqualFold(scheme, "https"):
		return strings.TrimSuffix(s, ":443")
	}
	return s
}

// cutPath cuts a URL at the start of its path.
func cutPath(url string) (before, path string) {
	i := strings.Index(url, "://")
	if i < 0 {
		i = strings.IndexByte(url, ':') + 1
		return url[:i], url[i:]
	}
	i += len("://")
	if j := strings.IndexByte(url[i:], '/'); j >= 0 {
		return url[:i+j], url[i+j:]
	}
	return url, "/"
}

// clean returns a path with its segments decoded, and without empty and dot segments.
// ok is false if a decoded segment cannot be the name of a file.
func clean(p string) (string, bool) {
	segments, ok := local.Segments(strings.TrimPrefix(p, "/"))
	cleaned := path.Clean("/" + strings.Join(segments, "/"))
	last := segments[len(segments)-1]
	if cleaned != "/" && (last == "" || last == "." || last == "..") {
		cleaned += "/"
	}
	return cleaned, ok
}
