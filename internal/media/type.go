package media

import (
	"bytes"
	"compress/gzip"
	"io"
	"path"
	"slices"
	"strings"
)

// Media types of files that people take for pages or web archives, but that are
// neither.
const (
	WACZ       = "application/wacz"
	ARC        = "application/x-ia-arc"
	PDF        = "application/pdf"
	PostScript = "application/postscript"
	GIF        = "image/gif"
	ZIP        = "application/zip"
	GZIP       = "application/x-gzip"
	Zstd       = "application/zstd"
	BZIP2      = "application/x-bzip2"
	XZ         = "application/x-xz"
	CSS        = "text/css"
	JSON       = "application/json"
	Script     = "text/javascript"
	SVG        = "image/svg+xml"
)

// byName maps the extension of a file's name to the type of the file. It is for text
// files, which have no signature.
var byName = map[string]string{
	".arc": ARC, ".css": CSS, ".json": JSON, ".jsonl": JSON, ".js": Script, ".mjs": Script, ".ts": "TypeScript", ".svg": SVG,
	".md": "Markdown", ".csv": "text/csv", ".txt": "text/plain", ".xml": "application/xml", ".yaml": "YAML", ".yml": "YAML",
}

// Type returns the media type of a file that begins with start and has this name, or
// the common name of its format where it has no media type. "" means that it is
// unknown.
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
	case hasTag(AfterProlog(start), "<svg", tagEnds):
		return SVG
	case isJSON(start):
		return JSON
	}
	return byName[strings.ToLower(path.Ext(name))]
}

// arcMagic is what an ARC file begins with: the URL of its first record.
const arcMagic = "filedesc://"

// compressed returns the type of a compressed file that begins with start, or "".
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

// isWACZ reports whether a ZIP archive is a WACZ: by its name, or because its first
// file is one that every WACZ has (WACZ 1.1.1 §5).
func isWACZ(start []byte, name string) bool {
	const header = 30 // bytes before the name of the first file
	first := start[min(header, len(start)):]
	files := []string{"datapackage.json", "archive/", "indexes/", "pages/pages.jsonl"}
	return HasExt(name, ".wacz") || slices.ContainsFunc(files, func(file string) bool { return bytes.HasPrefix(first, []byte(file)) })
}

// isARC reports whether start is an ARC file compressed with gzip.
func isARC(start []byte) bool {
	z, err := gzip.NewReader(bytes.NewReader(start))
	if err != nil {
		return false
	}
	magic := make([]byte, len(arcMagic))
	_, err = io.ReadFull(z, magic)
	return err == nil && string(magic) == arcMagic
}

// isJSON reports whether a file that begins with start holds a JSON object, or an
// array of objects.
func isJSON(start []byte) bool {
	const whiteSpace = " \t\n\f\r"
	b := AfterProlog(start)
	for bytes.HasPrefix(b, []byte("[")) {
		b = bytes.TrimLeft(b[1:], whiteSpace)
	}
	b, object := bytes.CutPrefix(b, []byte("{"))
	b = bytes.TrimLeft(b, whiteSpace)
	return object && len(b) > 0 && (b[0] == '"' || b[0] == '}')
}
