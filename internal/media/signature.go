package media

import (
	"bytes"
	"slices"
)

// signatures are what files of binary formats begin with (MIME Sniffing Standard
// §6; RAR as its makers say).
var signatures = []struct{ magic, kind string }{
	{"%PDF-", PDF},
	{"%!PS-Adobe-", PostScript},
	{"\x00\x00\x01\x00", "image/x-icon"},
	{"\x00\x00\x02\x00", "image/x-icon"},
	{"BM", "image/bmp"},
	{"GIF87a", GIF},
	{"GIF89a", GIF},
	{"\x89PNG\r\n\x1a\n", "image/png"},
	{"\xff\xd8\xff", "image/jpeg"},
	{"ID3", "audio/mpeg"},
	{"OggS\x00", "application/ogg"},
	{"MThd\x00\x00\x00\x06", "audio/midi"},
	{"\x1a\x45\xdf\xa3", "video/webm"},
	{"\x00\x01\x00\x00", "font/ttf"},
	{"OTTO", "font/otf"},
	{"ttcf", "font/collection"},
	{"wOFF", "font/woff"},
	{"wOF2", "font/woff2"},
	{"\x1f\x8b\x08", GZIP},
	{"PK\x03\x04", ZIP},
	{"Rar!\x1a\x07\x00", "application/x-rar-compressed"},
	{"Rar!\x1a\x07\x01\x00", "application/x-rar-compressed"},
	{"\x00asm", "application/wasm"},
}

// framed are formats that say what they are after four bytes, or after a first word
// and four bytes: the length of a frame.
var framed = []struct{ first, magic, kind string }{
	{"RIFF", "WEBPVP", "image/webp"},
	{"RIFF", "AVI ", "video/avi"},
	{"RIFF", "WAVE", "audio/wave"},
	{"FORM", "AIFF", "audio/aiff"},
	{"", "ftyp", "ISO base media, such as MP4 or AVIF"},
}

// signature returns the media type that the signature of a binary format gives,
// or "". Many signatures are letters that a text may begin with, such as "BM" and
// "ID3". Those count only where a byte follows that no text has.
func signature(start []byte) string {
	switch kind := signed(start); {
	case kind == PDF, kind == PostScript, kind == GIF, hasBinary(start):
		return kind
	}
	return ""
}

// signed returns the media type of the signature that start begins with, or "".
func signed(start []byte) string {
	for _, s := range signatures {
		if bytes.HasPrefix(start, []byte(s.magic)) {
			return s.kind
		}
	}
	for _, s := range framed {
		rest, ok := bytes.CutPrefix(start, []byte(s.first))
		if ok && len(rest) >= 4 && bytes.HasPrefix(rest[4:], []byte(s.magic)) {
			return s.kind
		}
	}
	return ""
}

// hasBinary reports whether there is a binary data byte (MIME Sniffing Standard
// §3) in what a file begins with.
func hasBinary(start []byte) bool {
	return slices.ContainsFunc(start, func(c byte) bool { return c < ' ' && binary>>c&1 != 0 })
}

// binary has a bit for each binary data byte.
const binary uint32 = 1<<' ' - 1 - (1<<'\t' | 1<<'\n' | 1<<'\f' | 1<<'\r' | 1<<0x1b)
