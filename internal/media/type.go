package media

import (
	"bytes"
	"compress/gzip"
	"io"
	"path"
	"regexp"
	"strings"
)

// Types of files that people take for pages or web archives, and that are
// neither.
const (
	WACZ   = "application/wacz"
	ARC    = "application/x-ia-arc"
	PDF    = "application/pdf"
	ZIP    = "application/zip"
	GZIP   = "application/x-gzip"
	Zstd   = "application/zstd"
	BZIP2  = "application/x-bzip2"
	XZ     = "application/x-xz"
	CSS    = "text/css"
	JSON   = "application/json"
	Script = "text/javascript"
	SVG    = "image/svg+xml"
)

// byName are the types of text files, which have no signature, by the ending of
// their name.
var byName = map[string]string{
	".arc": ARC, ".css": CSS, ".json": JSON, ".jsonl": JSON, ".js": Script, ".mjs": Script, ".ts": "TypeScript", ".svg": SVG,
	".md": "Markdown", ".csv": "text/csv", ".txt": "text/plain", ".xml": "application/xml", ".yaml": "YAML", ".yml": "YAML",
}

// Type returns the media type of a file that begins so, and has this name, or
// what else it is called; "" where neither tells.
func Type(start []byte, name string) string {
	if kind := compressed(start, name); kind != "" {
		return kind
	}
	if kind := signature(start); kind != "" {
		return kind
	}
	switch {
	case bytes.HasPrefix(start, []byte(arcMagic)):
		return ARC
	case hasTag(AfterProlog(start), "<svg"):
		return SVG
	case isJSON(start):
		return JSON
	}
	return byName[strings.ToLower(path.Ext(name))]
}

// arcMagic is what an ARC file begins with: the URL of its first record.
const arcMagic = "filedesc://"

// compressed returns the type of a file that begins as a compressed one.
func compressed(start []byte, name string) string {
	switch begins := func(magic string) bool { return bytes.HasPrefix(start, []byte(magic)) }; {
	case begins("PK\x03\x04") && isWACZ(start, name):
		return WACZ
	case begins("PK\x03\x04"):
		return ZIP
	case begins("\x1f\x8b") && isARC(start):
		return ARC
	case begins("\x1f\x8b"):
		return GZIP
	case begins("\x28\xb5\x2f\xfd"):
		return Zstd
	case begins("BZh") && len(start) > 9 && string(start[4:10]) == "1AY&SY":
		return BZIP2
	case begins("\xfd7zXZ\x00"):
		return XZ
	}
	return ""
}

// isWACZ reports whether a ZIP archive has the name of a WACZ, or its first file
// one of those that every WACZ has (WACZ 1.1.1 §5).
func isWACZ(start []byte, name string) bool {
	if strings.EqualFold(path.Ext(name), ".wacz") {
		return true
	}
	const header = 30 // the name follows it
	if len(start) < header {
		return false
	}
	first := start[header:]
	for _, known := range []string{"datapackage.json", "archive/", "indexes/", "pages/pages.jsonl"} {
		if bytes.HasPrefix(first, []byte(known)) {
			return true
		}
	}
	return false
}

// isARC reports whether what gzip has compressed is an ARC file.
func isARC(start []byte) bool {
	z, err := gzip.NewReader(bytes.NewReader(start))
	if err != nil {
		return false
	}
	magic := make([]byte, len(arcMagic))
	_, err = io.ReadFull(z, magic)
	return err == nil && string(magic) == arcMagic
}

// isJSON reports whether a file that begins so holds an object of JSON, or an array
// of them.
func isJSON(start []byte) bool { return jsonStart.Match(AfterProlog(start)) }

// jsonStart is how an object of JSON, or an array of them, begins.
var jsonStart = regexp.MustCompile(`^(?:\[\s*)*\{\s*["}]`)
