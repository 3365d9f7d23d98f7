package testio

import "unicode/utf16"

// UTF16 returns a text in UTF-16 after a byte order mark, which says the order of bytes:
// "\xff\xfe" or "\xfe\xff".
func UTF16(text, bom string) []byte {
	b := []byte(bom)
	for _, unit := range utf16.Encode([]rune(text)) {
		if bom == "\xfe\xff" {
			b = append(b, byte(unit>>8), byte(unit))
		} else {
			b = append(b, byte(unit), byte(unit>>8))
		}
	}
	return b
}
