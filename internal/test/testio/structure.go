package testio

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// CheckStructure checks the promise that the structure of a document stays; see
// [StructureError].
func CheckStructure(t testing.TB, before, after []byte) {
	t.Helper()
	if err := StructureError(before, after); err != nil {
		t.Fatalf("%v", err)
	}
}

// StructureError says where a document has lost its structure: the quotes, the backquotes,
// "<" and ">" of a document are the same bytes in the same order afterwards, and no white
// space is added between them.
func StructureError(before, after []byte) error {
	const structure, space = "\"'`<>", " \t\n\f\r"
	rest := before
	for i, c := range after {
		next := structure
		if strings.IndexByte(space, c) >= 0 {
			next += string(c)
		} else if strings.IndexByte(structure, c) < 0 {
			continue
		}
		n := bytes.IndexAny(rest, next)
		if n < 0 || rest[n] != c {
			return fmt.Errorf("structure: in\n%q\nthere is %q at byte %d, which is not next in\n%q", after, c, i, before)
		}
		rest = rest[n+1:]
	}
	if n := bytes.IndexAny(rest, structure); n >= 0 {
		return fmt.Errorf("structure:\n%q\nhas lost the %q at byte %d of\n%q", after, rest[n], len(before)-len(rest)+n, before)
	}
	return nil
}
