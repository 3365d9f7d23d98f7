package compare

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"absolink/resolver"

	"github.com/chromedp/chromedp"
)

// labels are labels of domains in many scripts, and such as have a rule of their own.
var labels = append(strings.Fields(`
	example com org www localhost a Z EXAMPLE h-y -a a- a--b ab--c _a a_b a~b !$&'()*+,;= a1 1a 1 0 08 0x 0x1 0xg 256 4294967295 xn--
	münchen straße STRASSE GROẞE faß βόλος ΒΌΛΟΣ привет ЁЛКА україна հայ ქართ ᲥᲐᲠᲗ 例え 例子 예시 テスト ﾃｽﾄ ｅｘａｍｐｌｅ １２７ ½ ⁵ ① ℡ ™ ㎏ ﬃ ǆ İstanbul ı ſ K Å
	עברית אב1 1אב אa aא ابجد ١٢٣ ۱۲ اa ا١1 ا-١ فارسی हिन्दी ශ්රී தமிழ் ไทย ລາວ မြန်မာ ខ្មែរ བོད ᠮᠣᠩ ᏣᎳᎩ ꮳꮃꭹ አማርኛ ߒߞߏ ܣܘܪ ދިވެހި
	xn--1ug ﷺ ﷲ é é é à̖ ́a 가 가 각 ゛ が ☃ 😀 ♥️ 𝐚𝐛 𝟙𝟚 𐐨𐐀 ⒈ ＃ ％ ℀ ⅍ ‥ … 。 a。b ． ｡ ｘｎ－－ab
	xn--mnchen-3ya xn--strae-oqa xn--zca xn--p1ai XN--P1AI xn--e1afmkfd xn--a xn--a-yoc xn--ls8h xn--ls8h= xn--zn7c xn--1ch xn--0 xn--a- xn--- xn--é xn--teš xn--mgba3gch31f060k xn--53h`),
	"نامه\u200cای", "क\u094d\u200dष", "क\u094d\u200cष", "ශ\u0dca\u200dර\u0dd3", "a\u200cb", "a\u200db", "\u200d", "\u200c", "\u00ad", "a\u00adb", "\u00ad\u00ad", "x\u00adn--a", "👩\u200d💻", "🏳\ufe0f\u200d🌈", "\ufffd", "\ufdd0")

// addresses are IPv4 and IPv6 addresses in all forms, and what is almost one.
var addresses = strings.Fields(`
	127.0.0.1 127.1 127.0.1 0x7f.1 0x7F.0x0.0x1 0177.1 017700000001 2130706433 0x7f000001 0 0. 00 0x 0X 0x. 1.2.3.4. 1.2.3.4.. 1..2 .1.2.3 1.2.3 1.2 256.1 1.256 1.65536 1.16777216
	1.2.65535 1.2.65536 255.255.255.255 256.256.256.256 4294967295 4294967296 0xffffffff 0x100000000 037777777777 040000000000 99999999999999999999 08 09.1 0x1g 1.2.3.08 1.2.3.0xg
	a.1 a.0x a.0x1 a.0xg a.08 a.1. a.1.. 1a 1.2.3.4.5 1.2.3.4a ١٢٧.0.0.1 １２７.１ 1。2 %31%32%37.1 127.0.0.1% 1e3 -1 +1 1.-1 ² 1.² ⅷ.1
	[::] [::1] [1::] [1:2:3:4:5:6:7:8] [1:2:3:4:5:6:7::] [::2:3:4:5:6:7:8] [1:0:0:2:0:0:0:3] [1:0:0:2:0:0:3:4] [0:0:0:1:0:0:0:0] [::ffff:1.2.3.4] [::1.2.3.4] [1:2:3:4:5:6:1.2.3.4]
	[1:2:3:4:5:6:7:1.2.3.4] [::1.2.3] [::1.2.3.4.5] [::01.2.3.4] [::1.2.3.256] [::1.2.3.] [::.1.2.3] [1.2.3.4] [::1.2.3.4:5] [::ABCD] [::abcde] [::00001] [::g] [:1] [1:] [::1::] [:::] [1:::2]
	[] [ ] [::1 ::1] [::1]x x[::1] [%3A%3A1] [::1%25eth0] [::%31] [v1.x] [1:2:3:4:5:6:7] [1:2:3:4:5:6:7:8:9] [::1]. [a] [::é] [[::1]] %5B::1%5D`)

// Labels that are not ASCII have no URL beyond 1,000 code points, as in the browser. The
// browser also refuses domains of several long labels, which absolink takes.
func TestLongLabels(t *testing.T) {
	b := <-startChromium(t)
	for host, browser := range map[string]bool{
		strings.Repeat("ü", 1000):                  true,
		strings.Repeat("ü", 1001):                  false,
		strings.Repeat("a", 999) + "ü":             true,
		strings.Repeat("a", 1000) + "ü":            false,
		strings.Repeat("\u3316", 166):              true, // six code points each
		strings.Repeat("\u3316", 167):              false,
		strings.Repeat("\uFDFA", 10):               false, // has spaces
		strings.Repeat("u\u0308", 600):             true,
		strings.Repeat("u\u0308", 1001):            false,
		strings.Repeat("a", 100_000):               true,
		"ü.xn--tda" + strings.Repeat("a", 500):     true,
		"ü.xn--tda" + strings.Repeat("a", 2000):    false,
		"xn--tda" + strings.Repeat("a", 2000):      true, // ASCII, which is not decoded
		"ü." + strings.Repeat("a", 1200):           true,
		strings.Repeat("\u00AD", 1200) + "ü":       true,
		strings.Repeat("\u1100\u1161\u11A8", 400):  true,
		strings.Repeat("\u1100\u1161\u11A8", 1001): false,
	} {
		url := "http://" + host + "/"
		want := "refused"
		script := fmt.Sprintf("(() => { try { return new URL(%q).href } catch { return %q } })()", url, want)
		noError(t, chromedp.Run(b.ctx, chromedp.Evaluate(script, &want)))
		got := "refused"
		if base, err := resolver.ParseBase(url, resolver.WHATWG); err == nil {
			got = base.String()
		}
		if got != want || (want != "refused") != browser {
			t.Errorf("%.60q: %.60q, the browser has %.60q", host, got, want)
		}
	}
}

// host returns a host, as a URL may have one or must not.
func (g *generator) host() string {
	switch g.IntN(10) {
	case 0:
		return g.pick(addresses)
	case 1:
		return g.mutated(g.pick(addresses))
	case 2:
		return g.number() + g.pick([]string{"", "", "", "."})
	case 3:
		return g.text(g.IntN(6))
	}
	domain := g.domain()
	if g.IntN(4) == 0 {
		domain = g.escaped(domain)
	}
	return domain
}

func (g *generator) number() string {
	var numbers []string
	for range 1 + g.IntN(5) {
		n := uint64(1) << g.IntN(36)
		n = n - 1 + g.Uint64N(3)
		numbers = append(numbers, fmt.Sprintf(g.pick([]string{"%d", "%d", "0%o", "0x%x", "0X%X", "00%o", "0x0%x"}), n))
	}
	return strings.Join(numbers, ".")
}

func (g *generator) domain() string {
	var domain strings.Builder
	for i := range 1 + g.IntN(3) {
		if i > 0 {
			domain.WriteString(g.pick([]string{".", ".", ".", ".", ".", "..", "。", "．", "｡"}))
		}
		domain.WriteString(g.label())
	}
	return domain.String() + g.pick([]string{"", "", "", "", "", ".", "..", "。"})
}

// label returns one of labels, changed or not, or one of characters that stand near each
// other in Unicode. Some have an ASCII form already, which some of the time is broken.
func (g *generator) label() string {
	label := g.pick(labels)
	switch g.IntN(8) {
	case 0:
		label = g.mutated(label)
	case 1, 2:
		label = g.script()
	case 3:
		label += g.pick(labels)
	}
	if g.IntN(6) > 0 {
		return label
	}
	base, err := resolver.ParseBase("http://"+label+"/", resolver.WHATWG)
	if err != nil {
		return label
	}
	ascii := []byte(strings.TrimSuffix(strings.TrimPrefix(base.String(), "http://"), "/"))
	if g.IntN(2) == 0 {
		ascii[g.IntN(len(ascii))] = "abcxyz0189-"[g.IntN(11)]
	}
	return string(ascii) + g.pick([]string{"", "", ".\u00e9"})
}

// script returns up to 6 characters from 128 in a row, and some of ASCII.
func (g *generator) script() string {
	first := rune(0x80 * (1 + g.IntN(0x3000/0x80)))
	if g.IntN(3) == 0 {
		first = rune(0x80 * (1 + g.IntN(0x20000/0x80)))
	}
	var label []rune
	for range 1 + g.IntN(6) {
		r := first + rune(g.IntN(128))
		if g.IntN(4) == 0 {
			r = []rune("abz019-\u200c\u200d\u00ad\u0301")[g.IntN(11)]
		}
		if utf8.ValidRune(r) {
			label = append(label, r)
		}
	}
	return string(label)
}

// escaped returns s with some of its bytes percent-encoded.
func (g *generator) escaped(s string) string {
	var out strings.Builder
	all := g.IntN(2) == 0
	for _, c := range []byte(s) {
		if all || c >= utf8.RuneSelf || g.IntN(4) == 0 {
			fmt.Fprintf(&out, g.pick([]string{"%%%02x", "%%%02X"}), c)
		} else {
			out.WriteByte(c)
		}
	}
	if g.IntN(8) == 0 {
		out.WriteString(g.pick([]string{"%", "%2", "%C3", "%FF", "%00", "%20", "%2F", "%3A", "%40", "%5B", "%25", "%7F", "%ED%A0%80"}))
	}
	return out.String()
}
