package charset

import (
	"bytes"
	"cmp"

	htmlcharset "golang.org/x/net/html/charset"
)

// setSheetLabel sets Label to the encoding of a style sheet (CSS Syntax 3 §3.2): what the
// transport gives, otherwise what @charset gives, otherwise UTF-8. A byte order mark
// counts before all of these.
func (s *Source) setSheetLabel() {
	if s.Sheet && !s.labelled {
		if enc, _ := htmlcharset.Lookup(s.Label); enc == nil {
			label, _ := sheetLabel(s.Start)
			s.Label = cmp.Or(label, "utf-8")
		}
		s.labelled, s.plain = true, plainUnknown
	}
}

// isSheetDeclared reports whether Start already says what the encoding of a style sheet
// is.
func (s *Source) isSheetDeclared() bool {
	if _, known := sheetLabel(s.Start); !known || len(s.Start) < len("\ufeff") {
		return false
	}
	s.setSheetLabel()
	return true
}

// sheetLabel returns the encoding that @charset names at the start of a style sheet, or
// "". known says that more of the start would not change that.
func sheetLabel(start []byte) (label string, known bool) {
	const rule = `@charset "`
	if len(start) < len(rule) {
		return "", !bytes.HasPrefix([]byte(rule), start)
	}
	rest, ok := bytes.CutPrefix(start, []byte(rule))
	if !ok {
		return "", true
	}
	name, after, ok := bytes.Cut(rest, []byte(`"`))
	if !ok || len(after) == 0 {
		return "", false
	}
	switch enc, name := htmlcharset.Lookup(string(name)); {
	case enc == nil || after[0] != ';':
		return "", true
	case name == "utf-16be", name == "utf-16le": // the rule itself is not in UTF-16
		return "utf-8", true
	default:
		return name, true
	}
}
