package idna

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// What the tables of the web-platform-tests do not have, or only among much else.
func TestAppendASCII(t *testing.T) {
	for _, test := range []struct{ name, domain, want string }{
		{"an ASCII domain is lower-cased", "EXAMPLE.Com", "example.com"},
		{"an ASCII domain is taken whatever its labels decode to", "xn--8I7CAA.xn--.xn--a-", "xn--8i7caa.xn--.xn--a-"},
		{"an empty domain", "", ""},
		{"a domain that is empty when mapped", "\u00AD", ""},
		{"empty labels stay", ".ü..", ".xn--tda.."},
		{"bytes that are not UTF-8", "ü\xFF", ""},
		{"a lone surrogate", "\xED\xA0\x80", ""},
		{"a full stop of another script", "a\u3002ü\uFF0Eb", "a.xn--tda.b"},
		{"xn-- in upper case", "XN--TDA.ü", "xn--tda.xn--tda"},
		{"xn-- that is made by mapping", "ｘｎ－－ｔｄａ", "xn--tda"},
		{"xn-- that does not decode", "xn--a.ü", ""},
		{"xn-- that decodes to nothing", "xn--.ü", ""},
		{"xn-- that decodes to ASCII", "xn--abc-.ü", ""},
		{"xn-- that decodes to xn--", "xn--xn---3ra.ü", ""},
		{"xn-- that decodes to what is mapped", "xn--8i7caa.ü", ""},
		{"xn-- that decodes to what is not normalized", "xn--u-ccb.ü", ""},
		{"xn-- that decodes above U+10FFFF", "xn--a99999999.ü", ""},
		{"xn-- that decodes to a surrogate", "xn--ib9b.ü", ""},
		{"xn-- with a number beyond 64 bits", "xn--99999999999999999999999999999999.ü", ""},
		{"a mark at the start", "a.\u0308ü", ""},
		{"decomposed twice", "u\u0308\u0304", "xn--1ja"},
		{"marks in another order", "q\u0307\u0323", "xn--q-9bb7f"},
		{"Hangul of three letters", "\u1112\u1161\u11AB", "xn--6q8b"},
		{"Unicode 16: Kirat Rai composes", "\U00016D67\U00016D67", "xn--bj0f"},
		{"Unicode 17: Arabic with Bidi class AL", "\u088F", "xn--7xb"},
		{"a joiner after a virama", "\u0915\u094D\u200D\u0937", "xn--11b2ezcw70k"},
		{"a non-joiner with transparent characters", "\u0628\u064B\u200C\u064B\u0628", "xn--ngba8ha8704a"},
		{"a joiner between letters", "\u0628\u200D\u0628", ""},
		{"a non-joiner at the end", "\u0628\u200C", ""},
		{"a number before a right-to-left label", "1.\u05D0", ""},
		{"a left-to-right label that ends in a hyphen", "a-.\u05D0", ""},
		{"both kinds of numbers", "\u0627\u0661\u06F1", ""},
		{"a right-to-left label that ends in a hyphen", "\u05D0-", ""},
		{"a right-to-left label with a left-to-right letter within", "\u05D0a\u05D0", ""},
		{"an Arabic number alone", "\u0661", ""},
		{"a mark that another of its class blocks", "a\u0305\u0300", "xn--a-vbbo"},
		{"Hangul with what stands for no consonant", "u\u0308\uAC00\u11A7", "xn--tda846f2w0j"},
		{"Hangul with a second trailing consonant", "\uAC01\u11A8", "xn--rud9310f"},
		{"xn-- with a delimiter after nothing", "xn---tda.ü", ""},
		{"xn-- with ASCII and others before the delimiter", "xn--š-eha", ""},
		{"right-to-left in xn-- alone", "1ü.xn--4db", ""},
	} {
		got, ok := AppendASCII([]byte("dst"), []byte(test.domain))
		if string(got) != "dst"+test.want || ok != (test.want != "") {
			t.Errorf("%s: %+q: %q, %t, want %q", test.name, test.domain, got, ok, test.want)
		}
	}
}

// The examples of RFC 3492 §7.1 in lower case.
func TestPunycode(t *testing.T) {
	for _, test := range []struct{ encoded, label string }{
		{"egbpdaj6bu4bxfgehfvwxn", "ليهمابتكلموشعربي؟"},
		{"ihqwcrb4cv8a8dqg056pqjye", "他们为什么不说中文"},
		{"proprostnemluvesky-uyb24dma41a", "pročprostěnemluvíčesky"},
		{"porqunopuedensimplementehablarenespaol-fmd56a", "porquénopuedensimplementehablarenespañol"},
		{"3b-ww4c5e180e575a65lsy2b", "3年b組金八先生"},
		{"d9juau41awczczp", "そのスピードで"},
	} {
		if got := string(appendEncoded(nil, []rune(test.label))); got != test.encoded {
			t.Errorf("%s: %s, want %s", test.label, got, test.encoded)
		}
		if got, ok := appendDecoded(nil, []rune(test.encoded)); !ok || string(got) != test.label {
			t.Errorf("%s: %s, %t, want %s", test.encoded, string(got), ok, test.label)
		}
	}
}

// Numbers that do not fit, of every length: they must not wrap around.
func TestPunycodeOverflow(t *testing.T) {
	for length := 6; length < 400; length++ {
		for _, last := range "abz" {
			label := strings.Repeat("9", length) + string(last)
			if got, ok := appendDecoded(nil, []rune(label)); ok {
				t.Errorf("%s: %+q", label, string(got))
			}
		}
	}
}

// Hostile domains of 1 MB. A quadratic step would take minutes.
func TestHostile(t *testing.T) {
	const size = 1 << 20
	var different []rune
	for r := rune(0x4E00); len(different) < size/3; r++ {
		if r > 0x9FFF {
			r = 0x4E00
		}
		different = append(different, r)
	}
	backwards := make([]rune, 0, len(different))
	for i := len(different) - 1; i >= 0; i-- {
		backwards = append(backwards, different[i])
	}
	// labels returns a domain of the longest labels that browsers take.
	labels := func(text []rune, size int) string {
		var b strings.Builder
		for part := range slices.Chunk(text, size) {
			b.WriteString(string(part) + ".")
		}
		return b.String()
	}
	encoded, ok := AppendASCII(nil, []byte(labels(different, maxLabel/2)))
	if !ok {
		t.Fatal("labels of 500 code points are refused")
	}
	repeat := func(s string) string { return strings.Repeat(s, size/len(s)) }
	for _, test := range []struct {
		name, domain string
		ok           bool
	}{
		{"different code points", string(different), false},
		{"different code points, backwards", string(backwards), false},
		{"labels of different code points", labels(different, maxLabel), true},
		{"labels of different code points, backwards", labels(backwards, maxLabel), true},
		{"labels that are too long", labels(different, maxLabel+1), false},
		{"xn-- that decodes to the same code points", "ü.xn--tda" + repeat("a"), false},
		{"xn-- labels that decode to the same code points", "ü" + repeat(".xn--tda"+strings.Repeat("a", maxEncoded-7)), true},
		{"xn-- labels that are too long", "ü" + repeat(".xn--tda"+strings.Repeat("a", maxEncoded-6)), false},
		{"xn-- labels that decode to different code points", "ü." + string(encoded), true},
		{"xn-- of random digits", "ü.xn--" + repeat("k1vq9z"), false},
		{"xn-- of delimiters", "ü.xn--" + repeat("-"), false},
		{"xn-- labels", "ü" + repeat(".xn--tda"), true},
		{"empty labels", "ü" + repeat("."), true},
		{"short labels", repeat("ü."), true},
		{"marks in reverse order", "a" + repeat("\u0301\u0323\u0334"), false},
		{"labels of marks in reverse order", repeat("a" + strings.Repeat("\u0301\u0323\u0334", 333) + "."), true},
		{"marks that compose", repeat("u\u0308\u0304"), false},
		{"labels of marks that compose", repeat(strings.Repeat("u\u0308\u0304", maxLabel) + "."), true},
		{"long mappings", repeat("\uFDF0"), false},
		{"labels of long mappings", repeat(strings.Repeat("\uFDF0", 300) + "."), true},
		{"the longest mapping", repeat("\uFDFA"), false},
		{"one long label", repeat("x") + ".ü", true},
		{"one long label that is not ASCII at its end", repeat("x") + "ü", false},
		{"ignored code points", repeat("\u00AD"), false},
		{"joiners", repeat(strings.Repeat("\u0628\u200C\u0628", 333) + "."), true},
		{"transparent characters", repeat("\u0628" + strings.Repeat("\u064B", 997) + "\u200C\u0628."), true},
		{"non-joiners after viramas", repeat("\u0915" + strings.Repeat("\u094D\u200C", 499) + "."), true},
		{"Hangul", repeat("\u1112\u1161\u11AB"), false},
		{"labels of Hangul", repeat(strings.Repeat("\u1112\u1161\u11AB", maxLabel) + "."), true},
	} {
		got, ok := AppendASCII(nil, []byte(test.domain))
		if ok != test.ok {
			t.Errorf("%s: ok is %t", test.name, ok)
		}
		if again, _ := AppendASCII(nil, got); !bytes.Equal(again, got) {
			t.Errorf("%s: the result is not its own ASCII form", test.name)
		}
		if ok && !isASCII(got) {
			t.Errorf("%s: the result is not ASCII", test.name)
		}
	}
}

func TestAllocations(t *testing.T) {
	dst := make([]byte, 0, 256)
	for _, domain := range []string{
		"EXAMPLE.com", "bücher.de", "www.例え.テスト", "xn--fa-hia.faß.de",
		"u\u0308.\u0628\u064B\u200C\u0628", strings.Repeat("ü", short),
	} {
		in := []byte(domain)
		if n := testing.AllocsPerRun(100, func() { AppendASCII(dst, in) }); n > 0 {
			t.Errorf("%s: %v allocations", domain, n)
		}
	}
}

// Memory is linear, with about the factors that the package documents.
func TestMemory(t *testing.T) {
	const size = 1 << 18
	for name, test := range map[string]struct {
		domain string
		limit  uint64 // bytes for a byte, with half as much again for the race detector
	}{
		"mapped to many":        {strings.Repeat("\uFDFA", size/3), 1},
		"labels mapped to many": {strings.Repeat("\uFDF0.", size/4), 30},
		"decoded":               {"ß" + strings.Repeat(".xn--tda"+strings.Repeat("a", 1900), size/1908), 90},
		"marks":                 {strings.Repeat("a"+strings.Repeat("\u0315\u0300\u0316", 333)+".", size/2000), 90},
		"labels":                {strings.Repeat("ß.", size/3), 30},
		"long labels":           {strings.Repeat(strings.Repeat("ß", 1000)+".", size/2001), 60},
		"one label":             {strings.Repeat("x", size) + ".ß", 60},
		"a label ended late":    {strings.Repeat("x", size) + "ß", 60},
	} {
		domain := []byte(test.domain)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		AppendASCII(nil, domain)
		runtime.ReadMemStats(&after)
		if per := (after.TotalAlloc - before.TotalAlloc) / size; per > test.limit {
			t.Errorf("%s: %d bytes for a byte", name, per)
		}
	}
}

func FuzzAppendASCII(f *testing.F) {
	for _, s := range []string{
		"", "example.com", "Bücher.de", "xn--fa-hia.ß", "xn--a.ß", "\u0628\u200C\u0628", "a.\u05D0\u0308",
		"u\u0308\u0304.\u1112\u1161\u11AB", "\xFFü", "xn--99999999999.ü", "\U00016D67\U00016D67",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, domain []byte) {
		before := bytes.Clone(domain)
		got, ok := AppendASCII([]byte("dst."), domain)
		rest, kept := bytes.CutPrefix(got, []byte("dst."))
		if !kept || !bytes.Equal(before, domain) {
			t.Fatalf("%q: dst is now %q, domain %q", before, got, domain)
		}
		if ok != (len(rest) > 0) {
			t.Fatalf("%q: %q, %t", domain, rest, ok)
		}
		if !isASCII(rest) || bytes.ContainsFunc(rest, func(r rune) bool { return 'A' <= r && r <= 'Z' }) {
			t.Fatalf("%q: %q is not lower-case ASCII", domain, rest)
		}
		if again, _ := AppendASCII(nil, rest); !bytes.Equal(again, rest) {
			t.Fatalf("%q: %q, and from this %q", domain, rest, again)
		}
		// What is valid when written in Unicode is the same in Punycode, also beside
		// another label that is not ASCII.
		const beside = ".xn--tda"
		again, okAgain := AppendASCII(nil, append(bytes.Clone(rest), ".ü"...))
		if ok && !isASCII(domain) && utf8.Valid(domain) && okAgain && string(again) != string(rest)+beside {
			t.Fatalf("%q: %q, and beside ü %q", domain, rest, again)
		}
	})
}
