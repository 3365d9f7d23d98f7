package rewriter

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"absolink/internal/test/soak"
	"absolink/resolver"
	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/syntax"
)

func TestPattern(t *testing.T) {
	for _, row := range []struct{ base, pattern, want string }{
		{"http://h/a/p?q#f", "/x*", "http://h/x*"},
		{"http://h/a/p?q#f", "x*", "http://h/a/x*"},
		{"http://h/a/p", "*", "http://h/a/*"},
		{"http://h", "*", "http://h/*"},
		{"http://h", "/*", "http://h/*"},
		{"http://h/a/p", "../x", "http://h/a/../x"},
		{"http://h/a/p", "./x?a=*#b", "http://h/a/./x?a=*#b"},
		{"http://h/a/p", "//x", "http://h//x"},
		{"http://h/a/p", "/:id/(\\d+)?{/y}*", "http://h/:id/(\\d+)?{/y}*"},
		{"http://h/a/p", ":id(.*)", "http://h/a/:id(.*)"},
		{"http://h/a/p", "data:x", "http://h/a/data:x"}, // a name after "data"
		{"HTTPS://H.example:8080/a/", "/x", "HTTPS://H.example:8080/x"},
		{"http://h/a+(b):c*/p", "x", `http://h/a\+\(b\)\:c\*/x`},
		{"http://h/a+(b):c*/p", "/x", "http://h/x"},
		{"http://h/{a}/p/", "x", `http://h/\{a\}/p/x`},
		{"http://h/\u00e9/p", "/x", "http://h/x"},

		// Absolute.
		{"http://h/a/p", "http://*/x", "http://*/x"},
		{"http://h/a/p", "a+b://:h/x", "a+b://:h/x"},

		// Not certainly paths.
		{"http://h/a/p", "", ""},
		{"http://h/a/p", "?x", ""},
		{"http://h/a/p", "#x", ""},
		{"http://h/a/p", `\?x`, ""},
		{"http://h/a/p", `\/x`, ""},
		{"http://h/a/p", "{/x}?", ""},
		{"http://h/a/p", "(x)", ""},
		{"http://h/a/p", "+x", ""},
		{"http://h/a/p", "http{s}?://x/", ""},
		{"http://h/a/p", "*://x/", ""},
		{"http://h/a/p", "/x:", ""},
		{"http://h/a/p", `/x\:y`, ""},
		{"http://h/a/p", "/x:80", ""},
		{"http://h/a/p", "/:\u00e9", ""},
		{"http://h/a/p", " /x", ""},
		{"http://h/a/p", "/{x", ""},
		{"http://h/a/p", "/x}{", ""},
		{"http://h/a/p", `/{x\}`, ""},
		{"http://h/a/p", "/{(})", ""},

		// Bases that are not certain.
		{"http://u@h/a/p", "/x", ""},
		{"http://[::1]/a/p", "/x", ""},
		{"http://h:/a/p", "/x", ""},
		{"http://\u00e9/a/p", "/x", ""},
		{"file:///a/p", "/x", ""},
		{"ftp://h/a/p", "/x", ""},
		{"http://h/a;b/p", "x", ""},
		{"http://h/a;b/p", "/x", "http://h/x"},
		{"http://h/a/\u00e9/p", "x", ""},
		{"http://h/a b/p", "x", ""},
		{`http://h/a\b/p`, "x", ""},
	} {
		e := newEngine(defaults())
		e.base = mustParse(t, row.base, resolver.RFC1808)
		url, what, err := e.resolvePattern([]byte(row.pattern))
		if string(url) != row.want || err != nil || (what == left) != (row.want == "") || (what == absolute) != (row.want == row.pattern && row.want != "") {
			t.Errorf("%q on %s: %q, %d, %v, want %q", row.pattern, row.base, url, what, err, row.want)
		}
	}
}

func TestPatternWithoutBase(t *testing.T) {
	const in = `<script type=speculationrules>{"prefetch":[{"where":{"href_matches":["/a","?b","http://c"]}}]}</script>`
	var errs []string
	visit := func(p *Place) error { errs = append(errs, fmt.Sprint(p.Err)); return nil }
	rw := jsonRewriter(resolver.RFC1808).With(Hooks{Visit: visit})
	for before, want := range map[string]string{
		"": fmt.Sprint([]string{ErrNoBase.Error(), "<nil>", "<nil>"}),
		"<base href=urn:x>": fmt.Sprint([]string{
			(&resolver.Error{Base: "urn:x", Err: resolver.ErrOpaqueBase}).Error(), "<nil>", "<nil>"}),
	} {
		errs = nil
		got, _ := rewrite(t, rw, before+in, nil)
		if got != before+in || before == "" && fmt.Sprint(errs) != want || before != "" && !strings.Contains(errs[0], "urn:x") {
			t.Errorf("%s: errors %q, want %s", got, errs, want)
		}
	}
}

// The URL Pattern Standard makes of a pattern on a base, component by
// component, what it makes of the absolute pattern.
func FuzzPattern(f *testing.F) {
	for _, s := range []string{"/x*", "x", "../a?b#c", "/:id?/{b}*", "*?a", `\?`, "a:b", "a:/", "(a:/)", "{a:/}", "http://*:80/", "?a", "/{", "/}", "/((a)"} {
		f.Add(s, "a+(b):c*/d?e")
	}
	f.Fuzz(checkPattern)
}

func TestRandomPatterns(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	parts := []string{"/", "a", "B", ":", ":a", "?", "#", "*", "+", "(", ")", "(a)", "{", "}", "{a}", `\`, ".", "..", "//", "@", "[", "]", "1", "é", "%2e", " "}
	some := func() (s string) {
		for range rnd.IntN(7) {
			s += parts[rnd.IntN(len(parts))]
		}
		return s
	}
	for range soak.N(20_000) {
		checkPattern(t, some(), some())
	}
}

func checkPattern(t *testing.T, pattern, path string) {
	base, err := resolver.ParseBase("http://h:81/"+path, resolver.WHATWG)
	if err != nil {
		return
	}
	e := newEngine(defaults())
	e.base = base
	url, what, _ := e.resolvePattern([]byte(pattern))
	switch what {
	case rewritten:
		// Components as the constructor has them for both: every base here has the
		// same scheme, host and port.
		relative, absolute := constructPattern(pattern), constructPattern(string(url))
		if relative["protocol"] != "" || relative["hostname"] != "" {
			t.Fatalf("%q is no relative pattern: %q", pattern, relative)
		}
		for name, want := range map[string]string{"protocol": "http", "hostname": "h", "port": "81"} {
			if absolute[name] != want {
				t.Fatalf("%q on %s is %q: %s is %q", pattern, base, url, name, absolute[name])
			}
			delete(absolute, name)
		}
		if p := relative["pathname"]; !strings.HasPrefix(p, "/") && !strings.HasPrefix(p, `\/`) && !strings.HasPrefix(p, "{/") {
			path, _, _ := strings.Cut(strings.TrimPrefix(base.String(), "http://h:81"), "#")
			path, _, _ = strings.Cut(path, "?")
			escaped := string(syntax.AppendPattern(nil, path))
			relative["pathname"] = escaped[:strings.LastIndexByte(escaped, '/')+1] + p
		}
		if fmt.Sprintf("%q", relative) != fmt.Sprintf("%q", absolute) {
			t.Fatalf("%q on %s is %q\nconstructs %q\nand        %q", pattern, base, url, relative, absolute)
		}
	case absolute:
		if string(url) != pattern || constructPattern(pattern)["protocol"] == "" {
			t.Fatalf("%q is absolute", pattern)
		}
	}
}

// A patternToken is what the standard's tokenizer makes of part of a pattern.
type patternToken struct {
	kind  string
	index int
	value string
}

// patternTokens is that tokenizer, lenient.
func patternTokens(input []rune) (tokens []patternToken) {
	add := func(kind string, index, next, from, to int) int {
		tokens = append(tokens, patternToken{kind, index, string(input[from:to])})
		return next
	}
	isName := func(r rune, first bool) bool {
		return unicode.IsLetter(r) || r == '$' || r == '_' || !first && unicode.IsDigit(r)
	}
	for i := 0; i < len(input); {
		switch c := input[i]; {
		case c == '*':
			i = add("asterisk", i, i+1, i, i+1)
		case c == '+' || c == '?':
			i = add("other-modifier", i, i+1, i, i+1)
		case c == '\\' && i == len(input)-1:
			i = add("invalid-char", i, i+1, i, i+1)
		case c == '\\':
			i = add("escaped-char", i, i+2, i+1, i+2)
		case c == '{':
			i = add("open", i, i+1, i, i+1)
		case c == '}':
			i = add("close", i, i+1, i, i+1)
		case c == ':':
			end := i + 1
			for end < len(input) && isName(input[end], end == i+1) {
				end++
			}
			if end == i+1 {
				i = add("invalid-char", i, i+1, i, i+1)
			} else {
				i = add("name", i, end, i+1, end)
			}
		case c == '(':
			if end := patternRegexp(input, i); end < 0 {
				i = add("invalid-char", i, i+1, i, i+1)
			} else {
				i = add("regexp", i, end, i+1, end-1)
			}
		default:
			i = add("char", i, i+1, i, i+1)
		}
	}
	return append(tokens, patternToken{"end", len(input), ""})
}

// patternRegexp returns where the regular expression at i ends, -1 if it is none.
func patternRegexp(input []rune, i int) int {
	depth, start := 1, i+1
	for p := start; p < len(input); p++ {
		switch c := input[p]; {
		case c > unicode.MaxASCII, p == start && c == '?':
			return -1
		case c == '\\':
			if p++; p == len(input) || input[p] > unicode.MaxASCII {
				return -1
			}
		case c == ')':
			if depth--; depth == 0 {
				if p == start {
					return -1
				}
				return p + 1
			}
		case c == '(':
			if depth++; p+1 == len(input) || input[p+1] != '?' {
				return -1
			}
		}
	}
	return -1
}

// constructPattern is the standard's "parse a constructor string".
func constructPattern(pattern string) map[string]string {
	input := []rune(pattern)
	tokens := patternTokens(input)
	result := make(map[string]string)
	state := "init"
	start, index, increment, depth, brackets := 0, 0, 1, 0, 0
	special := false
	at := func(i int) patternToken { return tokens[min(i, len(tokens)-1)] }
	is := func(i int, value string) bool {
		tok := at(i)
		return tok.value == value && (tok.kind == "char" || tok.kind == "escaped-char" || tok.kind == "invalid-char")
	}
	isSearch := func() bool {
		if is(index, "?") {
			return true
		}
		if at(index).value != "?" {
			return false
		}
		if index == 0 {
			return true
		}
		switch at(index - 1).kind {
		case "name", "regexp", "close", "asterisk":
			return false
		}
		return true
	}
	in := func(s string, states ...string) bool { return slices.Contains(states, s) }
	set := func(name, value string) {
		if _, ok := result[name]; !ok {
			result[name] = value
		}
	}
	change := func(next string, skip int) {
		if !in(state, "init", "authority", "done") {
			result[state] = string(input[at(start).index:at(index).index])
		}
		if state != "init" && next != "done" {
			if in(state, "protocol", "authority", "username", "password") && in(next, "port", "pathname", "search", "hash") {
				set("hostname", "")
			}
			if in(state, "protocol", "authority", "username", "password", "hostname", "port") && in(next, "search", "hash") {
				if special {
					set("pathname", "/")
				} else {
					set("pathname", "")
				}
			}
			if in(state, "protocol", "authority", "username", "password", "hostname", "port", "pathname") && next == "hash" {
				set("search", "")
			}
		}
		state = next
		index += skip
		start, increment = index, 0
	}
	rewind := func() { index, increment = start, 0 }
	pathEnd := func() bool {
		switch {
		case isSearch():
			change("search", 1)
		case is(index, "#"):
			change("hash", 1)
		default:
			return false
		}
		return true
	}
	for ; index < len(tokens); index += increment {
		increment = 1
		tok := tokens[index]
		if tok.kind == "end" {
			if state == "init" {
				rewind()
				switch {
				case is(index, "#"):
					change("hash", 1)
				case isSearch():
					change("search", 1)
				default:
					change("pathname", 0)
				}
				continue
			}
			if state == "authority" {
				rewind()
				state = "hostname"
				continue
			}
			change("done", 0)
			break
		}
		if tok.kind == "open" {
			depth++
			continue
		}
		if depth > 0 {
			if tok.kind != "close" {
				continue
			}
			depth--
		}
		switch state {
		case "init":
			if is(index, ":") {
				rewind()
				state = "protocol"
			}
		case "protocol":
			if is(index, ":") {
				special = ascii.IsSpecial([]byte(string(input[at(start).index:tok.index])))
				switch {
				case is(index+1, "/") && is(index+2, "/"):
					change("authority", 3)
				case special:
					change("authority", 1)
				default:
					change("pathname", 1)
				}
			}
		case "authority":
			if is(index, "@") {
				rewind()
				state = "username"
			} else if is(index, "/") || isSearch() || is(index, "#") {
				rewind()
				state = "hostname"
			}
		case "username":
			if is(index, ":") {
				change("password", 1)
			} else if is(index, "@") {
				change("hostname", 1)
			}
		case "password":
			if is(index, "@") {
				change("hostname", 1)
			}
		case "hostname":
			switch {
			case is(index, "["):
				brackets++
			case is(index, "]"):
				brackets--
			case is(index, ":") && brackets == 0:
				change("port", 1)
			case is(index, "/"):
				change("pathname", 0)
			default:
				pathEnd()
			}
		case "port":
			if is(index, "/") {
				change("pathname", 0)
			} else {
				pathEnd()
			}
		case "pathname":
			pathEnd()
		case "search":
			if is(index, "#") {
				change("hash", 1)
			}
		}
	}
	if _, ok := result["hostname"]; ok {
		set("port", "")
	}
	return result
}
