package outfile

import (
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"absolink/cmd/absolink/internal/console"
	"absolink/internal/listing"
	"absolink/internal/local"
)

// FileName returns the name that the result of a FILE has in a directory.
func FileName(name string) string {
	if !console.IsURL(name) {
		return filepath.Base(name)
	}
	_, path, _ := strings.Cut(local.WithoutQuery(listing.WithoutLogin(name)), "://")
	_, path, _ = strings.Cut(path, "/") // after the host
	segment := path[strings.LastIndexByte(path, '/')+1:]
	if text, err := url.PathUnescape(segment); err == nil {
		segment = text
	}
	return safeName(segment)
}

// maxName is how long the name of a file from the web may be. A file system takes 255
// bytes; the names of temporary files, and .jsonl at the end, need some of them.
const maxName = 200

// safeName returns a name like the segment of a path that a stranger may have chosen.
// The name means the same on every system: it is the name of a file in the directory
// itself, neither hidden nor a device, and not mistaken for an option.
func safeName(segment string) string {
	if segment == "" {
		return "index.html"
	}
	name := strings.Map(func(c rune) rune {
		if c == utf8.RuneError || listing.IsHidden(c) || strings.ContainsRune(`/\:*?"<>|`, c) {
			return '_'
		}
		return c
	}, segment)
	if ext := filepath.Ext(name); len(name) >= maxName {
		if len(ext) > 20 {
			ext = ""
		}
		name = strings.ToValidUTF8(name[:maxName-1-len(ext)], "") + ext
	}
	if trimmed := strings.TrimRight(name, ". "); trimmed != name { // Windows drops them
		name = trimmed + "_"
	}
	if strings.IndexAny(name, ".- ~") == 0 || device.MatchString(name) {
		name = "_" + name
	}
	return name
}

// device matches the names that are devices on Windows, in every directory and
// whatever their extension is.
var device = regexp.MustCompile(`(?i)^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)`)
