package charset

import (
	"strings"
	"testing"
)

// Each label of the Encoding Standard names its encoding, in any case and in white space.
func TestLabels(t *testing.T) {
	for _, row := range table(t, "labels.tsv", 2) {
		for _, label := range []string{row[0], "\n " + strings.ToUpper(row[0]) + "\t"} {
			d := EncodingOf{Label: label}
			if d.Find(); d.name != row[1] {
				t.Errorf("%q is %q, want %q", label, d.name, row[1])
			}
		}
		d := EncodingOf{Start: []byte("<meta charset='" + row[0] + "'>\u00e9")}
		want := row[1]
		switch want {
		case "utf-16be", "utf-16le":
			want = "utf-8"
		case "x-user-defined":
			want = "windows-1252"
		}
		if d.Find(); d.name != want {
			t.Errorf("a meta of %q is %q, want %q", row[0], d.name, want)
		}
	}
}
