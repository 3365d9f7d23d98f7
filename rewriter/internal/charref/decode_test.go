package charref

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// tokenizerValue is what the Tokenizer reads from a double-quoted value.
func tokenizerValue(t *testing.T, raw string) string {
	t.Helper()
	z := html.NewTokenizer(strings.NewReader(`<a b="` + raw + `">`))
	if z.Next() != html.StartTagToken {
		t.Fatalf("no start tag around %q", raw)
	}
	_, value, _ := z.TagAttr()
	return string(value)
}

// The rows of the trap table on decoding.
func TestDecodeTraps(t *testing.T) {
	for raw, want := range map[string]string{
		"&#47foo":                           "/foo",
		"&#x2ffoo":                          "˿oo",
		"&#x2f;foo":                         "/foo",
		"&#128;&#x9F;":                      "€Ÿ",
		"&#x8d;&#129":                       "\u008d\u0081",
		"&#0;&#xD800;":                      "��",
		"&#x110000;":                        "�",
		"&#4294967343;":                     "�",
		"&#;&#x;&#xg;&#":                    "&#;&#x;&#xg;&#",
		"?a=1&copy=2":                       "?a=1&copy=2",
		"&copy2":                            "&copy2",
		"&notit;":                           "&notit;",
		"&ampx":                             "&ampx",
		"?a=1&copy":                         "?a=1©",
		"&copy-x":                           "©-x",
		"&lt\"":                             "<\"",
		"&amp#x":                            "&#x",
		"&amp;amp;":                         "&amp;",
		"&nLt;&nGt;&fjlig;":                 "≪⃒≫⃒fj", // package html of the standard library does not know the first
		"&semi;&semi":                       ";&semi",
		"&NotEqualTilde;":                   "≂̸",
		"&CounterClockwiseContourIntegral;": "∳",
		"&":                                 "&",
		"&;":                                "&;",
		"a\x00b":                            "a�b",
		"a\r\nb\rc\n":                       "a\nb\nc\n",
		"&#13;&#10;":                        "\r\n",
	} {
		if got := string(AppendDecoded(nil, []byte(raw), nil)); got != want {
			t.Errorf("decoded %q = %q, want %q", raw, got, want)
		}
		if !strings.Contains(raw, `"`) {
			if got := tokenizerValue(t, raw); got != want {
				t.Errorf("the Tokenizer reads %q as %q, the table says %q", raw, got, want)
			}
		}
	}
}

func TestDecodeIsLinear(t *testing.T) {
	raw := strings.Repeat("&", 1<<20) + strings.Repeat("a", 1<<20)
	if got := AppendDecoded(nil, []byte(raw), nil); string(got) != raw {
		t.Error("changed")
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{"", "&amp;&lt&copy=&copy;", "&#x80;&#0&#xd800;", "a\x00\r\n\r", "&notit;&NotEqualTilde;&semi;", "&AMP&Aacutex&Aacute"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if strings.Contains(raw, `"`) {
			t.Skip()
		}
		got := AppendDecoded(nil, []byte(raw), nil)
		if want := tokenizerValue(t, raw); string(got) != want {
			t.Fatalf("decoded %q = %q, the Tokenizer reads %q", raw, got, want)
		}
		if _, value := AppendValue(nil, []byte(raw), nil); !bytes.Equal(value, got) {
			t.Fatalf("%q reads %q, and %q", raw, value, got)
		}
	})
}
