package syntax

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// moduleTexts returns the references in a script, as they stand there.
func moduleTexts(script string) (texts []string) {
	for _, r := range moduleReferences(nil, []byte(script)) {
		texts = append(texts, string(r.Of([]byte(script))))
	}
	return texts
}

func TestModuleReferences(t *testing.T) {
	for _, row := range []struct {
		script string
		want   []string
	}{
		{`import "./a"; import x from '../b'; import {y, z as w,} from"/c"; import * as v from /**/ "./d"`, []string{"./a", "../b", "/c", "./d"}},
		{"import x, {default as y} from './a'\nimport u, * as w from './b'\nimport './c'\nimport('./d')", []string{"./a", "./b", "./c", "./d"}},
		{`import {"a b" as c, from, as as from} from "./a"; import from from "./b"; import as from "./c"`, []string{"./a", "./b", "./c"}},
		{`import {} from "./a"; import type, {} from "./b"; import source x from "./c"; import defer * as y from "./d"`, []string{"./a", "./b", "./c", "./d"}},
		{`import x from "./a" with {type: "json"}; import "./b" with {type: "css"}`, []string{"./a", "./b"}},
		{`export {a, b as default} from "./a"; export * from "./b"; export * as from from "./c"; export {} from './d'`, []string{"./a", "./b", "./c", "./d"}},
		{"export {a}\nimport './b'\nexport {from}\n'./c'\nexport const from = './d'; export default './e'; export function from() {'./f'}", []string{"./b"}},
		{`export default import("./a")`, []string{"./a"}},
		{`import a from "a"; import "b"; import(".x"); import c from "https://c/d"; import "node:fs"; import ""`, []string{"https://c/d", "node:fs"}},
		{`x = () => import("./a"); {import ( /**/ "./b" /**/ , {with: {}})}; f(import('./c')); import.source("./d")`, []string{"./a", "./b", "./c", "./d"}},
		{"import(`./a`); import(`./${b}`); import(`./b` + c); import('./c' + d); import('./d'.e); import(x, './e')", []string{"./a"}},
		{`a.import("./b"); a?.import("./c"); a ?. /**/ import("./d"); ({import: "./e"}); this.#import("./f"); [...import("./g")]`, []string{"./g"}},
		{`import.meta.url; new URL("./a", import.meta.url); import.meta.resolve("./b")`, nil},
		{`export; from "./a"; {import "./b"}; function f() { import x from "./c" }`, nil},

		// Escapes.
		{`import ".\/a"; import "\x2e/b"; import "\u002e/c"; import "\u{2e}/d"; import ".\
/e"; import "./\'f"`, []string{`.\/a`, `\x2e/b`, `\u002e/c`, `\u{2e}/d`, ".\\\n/e", `./\'f`}},
		{`import "./\x4"; import "./\u{110000}"; import "./\u{}"; import "./\ud83d"; import "./\ude00\ud83d"; import "./\u{d83d}"; import "./\ud83d\u{de00}"; import "./\01"; import "./\é"; import "\\./a"`, nil},
		{`import "./\ud83d\ude00"; import "./\u{1f600}"`, []string{`./\ud83d\ude00`, `./\u{1f600}`}},
		{"imp\\u006frt('./a'); \\u{69}mport('./b'); a\\u{62}c / import('./c') / d", []string{"./c"}},

		// What stands in strings, templates, comments and regular expressions is not code.
		{`"import './a'"; 'import("./b")'; // import './c'` + "\n/* import './d' */ import './e'", []string{"./e"}},
		{"`import './a' ${import('./b') + `${{a: `import('./c')`}.a + import('./d')}`} import('./e')`; import './f'", []string{"./b", "./d", "./f"}},
		{"/import('.\\/a')/.test(import('./b')); x = /[/]import('.[/]c')/; x = /\\/import('.\\/d')/g; import './e'", []string{"./b", "./e"}},
		{"a / import('./a') / b; a[0] / import('./b') / c; (a) / import('./c') / d; 1 / import('./d') / 2; this / import('./e') / f", []string{"./a", "./b", "./c", "./d", "./e"}},
		{"return_ / import('./a') / x.return / import('./b') / x", []string{"./a", "./b"}},
		{"if (a) /import('./a')/.x; while (a) /'/.x; for await (a of b) /\"/.x; import './b'", []string{"./b"}},
		{"a.if(b) / import('./a') / c; `${a}` / import('./b') / c; a++ / import('./c') / 2", []string{"./a", "./b", "./c"}},
		{"typeof /'/; void /\"/; x = y => /'/; x = [/'/, /\"/, ...a]; !/'/; case_: /`/; import './a'", []string{"./a"}},
		{"{} /'/.x; if (a) {} else {} /'/.x; x = () => {}\n/'/.x; import './a'", []string{"./a"}},
		{"x = {a: 1} / import('./a') / 2; f({} / import('./b')); `${{} / import('./c')}`", []string{"./a", "./b", "./c"}},
		{"async () => { for (const x of a) {} await import('./a') }; class A { static { import('./b') } if() { return import('./c') } }", []string{"./a", "./b", "./c"}},

		// Where a slash is unclear, or the syntax is wrong, the rest stays.
		{"import './a'; function f() {} /'/; import './b'", []string{"./a"}},
		{"import './a'; x = function () {} / 2; import './b'", []string{"./a"}},
		{"import './a'; a\n++/'/.x; import './b'", []string{"./a"}},
		{"import './a'; while (1) { continue b\n/'/ } import './b'", []string{"./a"}},
		{"import './a'; return\u00a0/'/; import './b'", []string{"./a"}},
		{"import './a'; \u00a0if (x) /'/; import './b'", []string{"./a"}},
		{"import './a'; // \u2028 ` \nimport './b' // `", []string{"./a"}},
		{"import './a'; 'x\nimport './b'", []string{"./a"}},
		{"import './a'; /x\nimport './b'", []string{"./a"}},
		{"import './a'; (]; import './b'", []string{"./a"}},
		{"import './a'; } import './b'", []string{"./a"}},
		{"import './a'; /* import './b'", []string{"./a"}},
		{"import './a'; ` import './b'", []string{"./a"}},
		{"import './a'; import './b", []string{"./a"}},
		{"import('./a'", nil},
		{"import('./a')", []string{"./a"}},
	} {
		if got := moduleTexts(row.script); !slices.Equal(got, row.want) {
			t.Errorf("%s\n%s", row.script, cmp.Diff(row.want, got))
		}
	}
}

// A URL in a literal reads back as the same URL, and ends neither the literal nor the
// script.
func TestFormScript(t *testing.T) {
	for _, url := range []string{"http://h/a", "http://h/'\"`${x}\\", "http://h/</script><!-- -->", "http://h/\u00e9\u2028\U0001f600", "http://h/\x01\x7f"} {
		written := string(FormScript.Append(nil, []byte(url), true))
		if strings.ContainsAny(written, "<>\u2028\u00e9") {
			t.Errorf("%q is written %s", url, written)
		}
		for _, quote := range []string{"'", `"`, "`"} {
			script := "import(" + quote + written + quote + ")"
			refs := moduleReferences(nil, []byte(script))
			if len(refs) != 1 || string(FormScript.AppendDecoded(nil, refs[0].Of([]byte(script)))) != url {
				t.Errorf("%s has %v", script, refs)
			}
		}
	}
}

// Time is linear in the text. Nothing is timed: with quadratic time each of these would
// take minutes.
func TestModuleIsLinear(t *testing.T) {
	const n = 1 << 20
	for _, s := range []string{
		"`", "`${", "${", "`${`", "(", "{", "[", "import(", "import('./a'", "import('./a');", "import{", "import", "import ", "import.", "export{", "export*", "export{}from",
		"/", "a/", "/[", "/\\", "//", "/*", "'", "'\\", "\\u{", "\\u", "\\", "++", "1e+", "#", "=>", "if(", "class{", ";/a/", "\u2028", "import'./a';", "`${import(`./a`)}`",
	} {
		for _, before := range []string{"", "import './a';", "x={a(){"} {
			text := []byte(before + strings.Repeat(s, n/len(s)))
			if refs := moduleReferences(nil, text); len(refs) > 2*n/len("'./a'") {
				t.Errorf("%q: %d references", s, len(refs))
			}
		}
	}
}

// The references stand in order, in literals, and none of them ends its literal.
func FuzzModule(f *testing.F) {
	for _, s := range []string{
		"import x from './a'", "import(`./a`)", "`${import('./a')}`", "x = /'/; import './a'", "export * from \"\\x2e/a\"", "{}/'/;import'./a'", "a++/import('./b')/c",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, script string) {
		text, end := []byte(script), int32(0)
		for _, r := range moduleReferences(nil, text) {
			if r.Start <= end || r.End < r.Start || !strings.ContainsRune("'\"`", rune(text[r.Start-1])) || text[r.End] != text[r.Start-1] {
				t.Fatalf("%q: %v", script, r)
			}
			end = r.End
			decoded := r.Form.AppendDecoded(nil, r.Of(text))
			if !isModuleURL(decoded) {
				t.Fatalf("%q: %q is not a URL", script, decoded)
			}
		}
		if !strings.Contains(script, "\\") { // another literal in its place changes nothing else
			var changed []byte
			at := int32(0)
			refs := moduleReferences(nil, text)
			for _, r := range refs {
				changed = append(changed, text[at:r.Start]...)
				changed = FormScript.Append(changed, fmt.Appendf(nil, "http://h/'\"`${<%s", r.Of(text)), true)
				at = r.End
			}
			changed = append(changed, text[at:]...)
			again := moduleReferences(nil, changed)
			if len(again) != len(refs) {
				t.Fatalf("%q: %d references\n%q: %d", script, len(refs), changed, len(again))
			}
		}
	})
}
