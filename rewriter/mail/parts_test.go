package mail

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// Time is linear in the number of parts, and of lines that look like boundaries of the open
// multiparts: with quadratic time each of these would take minutes.
func TestLinearParts(t *testing.T) {
	const n = 100_000
	part := "--b\nContent-Type: text/html\nContent-Location: p\n\n<a href=x>\n"
	var nested strings.Builder
	for i := range 99 {
		fmt.Fprintf(&nested, "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i)
	}
	for name, in := range map[string]string{
		"parts":          "Content-Type: multipart/related; boundary=b\n\n" + strings.Repeat(part, n/2),
		"boundaries":     nested.String() + "\n" + strings.Repeat("--b\n", n),
		"long ones":      nested.String() + "\n" + strings.Repeat("--b"+strings.Repeat("1", 90)+"\n", n/10),
		"empty entities": nested.String() + "\n" + strings.Repeat("--b98\n\n", n),
	} {
		if _, err := new(Rewriter).Rewrite(io.Discard, strings.NewReader(in), mustParse(t, "http://h/", 0)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
