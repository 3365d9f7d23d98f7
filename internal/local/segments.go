package local

import (
	"strconv"
	"strings"
)

// Segments returns the segments of the path of a URL, percent-decoded. They are not ok
// if one of them cannot be the name of a file.
func Segments(path string) (segments []string, ok bool) {
	segments, ok = strings.Split(path, "/"), true
	for i, s := range segments {
		segments[i] = Unescape(s)
		ok = ok && !strings.ContainsAny(segments[i], "/\x00")
	}
	return segments, ok
}

// Unescape percent-decodes. A percent sign without two hexadecimal digits stays.
func Unescape(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if c, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b = append(b, byte(c))
				i += 2
				continue
			}
		}
		b = append(b, s[i])
	}
	return string(b)
}
