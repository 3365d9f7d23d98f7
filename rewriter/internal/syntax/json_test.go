package syntax

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// ifJSON makes a syntax of JSON one that any value can be read with.
func ifJSON(read valueSyntax) valueSyntax {
	return func(dst []Reference, text []byte) []Reference {
		if checkJSON(text) != nil {
			return dst
		}
		return read(dst, text)
	}
}

var importMapRows = []syntaxRow{
	{`{"imports":{"./a":"/b","../c":"http://d"}}`, []string{"./a", "/b", "../c", "http://d"}},
	{`{"imports":{"a":"b","a/":"b/","@a/b":".c",".":"..","a:b":"c d:e"}}`, []string{"a:b"}},
	{`{"imports":{"a":null,"./b":1,"c":[ "./d" ],"e":{"./f":"./g"},"h":"./i"}}`, []string{"./b", "./i"}},
	{` { "imports" : { "a" : "./b" , "./c/" : "./d/" } } `, []string{"./b", "./c/", "./d/"}},
	{`{"imports":{"a":"./b","a":"./c"},"imports":{"d":"./e"}}`, []string{"./b", "./c", "./e"}},
	{`{"im\u0070orts":{"a":".\/b\u00e9\ud83d\ude00\ud83d"}}`, []string{"./b\u00e9\U0001f600\ufffd"}},
	{`{"imports":{"a":"./\ud83d\ude00","b":"./\ud83d\ude0","c":"./"}}`, nil},
	{`{"imports":{"a":"./\ud83d\ude00","b":"./\ude00\ud83d","c":"./\ud83d\ud83d\ude00"}}`, []string{"./\U0001f600", "./\ufffd\ufffd", "./\ufffd\U0001f600"}},
	{`{"imports":{"\u002e/a":"\u002fb\"c\""}}`, []string{"./a", `/b"c"`}},
	{`{"scopes":{"a":{"./b":"./c"},"":{"d":"./e"},"/f":{},"./g":1,"./h":"./i"}}`, []string{"a", "./b", "./c", "", "./e", "/f", "./g", "./h"}},
	{`{"integrity":{"./a":"./b","c":"./d","http://e/":"f"}}`, []string{"./a", "http://e/"}},
	{`{"Imports":{"a":"./b"},"x":{"imports":{"a":"./b"}},"scopes":["./a"],"integrity":"./a","imports":"./a"}`, nil},
	{`{"imports":{"a":1e999,"b":-0.1E-2,"c":true,"d":"./e"}}`, []string{"./e"}},
	{`[{"imports":{"a":"./b"}}]`, nil},
	{`"./a"`, nil},
	{`1`, nil},

	{`{"imports":{"a/":"./","b/":"../","c/":"./.","d/":"./a/..","e/":"/%2E","./f":"./b ","./a/..":"g","//c":"d","./e ":".\\f","./\\":"./\n"}}`,
		[]string{"./", "../", "./.", "./a/..", "/%2E", "./f", "./b ", "./a/..", "//c", "./e ", "./\\", "./\n"}},

	// A special scheme without slashes is relative in other places, not here.
	{`{"imports":{"a":"http:b","c":"https:/d","e":"data:f","g":"1:h","i":"http://j k"}}`, []string{"data:f", "http://j k"}},

	{`{"imports":{"a":"./b",}}`, nil},
	{`{"imports":{"a":"./b"}} x`, nil},
	{`{"imports":{"a":"./b<!--"}}`, nil},
	{"\ufeff{}", nil},
	{"", nil},
}

var speculationRows = []syntaxRow{
	{`{"prefetch":[{"urls":["a","","?b","#c","http://d","http:e"]}]}`, []string{"a", "", "?b", "#c", "http://d", "http:e"}},
	{`{"prerender":[{"urls":["a"]},{"source":"list","urls":["b"]}],"prerender_until_script":[{"urls":["c"]}]}`, []string{"a", "b", "c"}},
	{`{"prefetch":[{"urls":[1,null,["a"],{"b":"c"},"d"]},{"urls":"e"},"f",["g"]],"tag":"h","urls":["i"]}`, []string{"d"}},
	{`{"prefetch":{"urls":["a"]}}`, nil},
	{`{"prefetch":[{"where":{"href_matches":"a"}},{"where":{"href_matches":["b","c",{"pathname":"d"},["e"],1,"f"]}}]}`, []string{"a", "b", "c", "f"}},
	{`{"prefetch":[{"where":{"and":[{"href_matches":"a"},{"not":{"or":[{"href_matches":"b"},{"selector_matches":"c"}]}}],"not":[{"href_matches":"d"}],"or":{"href_matches":"e"}}}]}`, []string{"a", "b"}},
	{`{"prefetch":[{"where":{"href_matches":{"pathname":"/a","baseURL":"b"},"relative_to":"document"},"eagerness":"eager","requires":["c"]}]}`, nil},
	{`{"prefetch":[{"where":"a","where":{"href_matches":"b"}}]}`, []string{"b"}},
	{`[]`, nil},
	{`{"prefetch":[`, nil},
}

func TestImportMap(t *testing.T) { testRows(t, ifJSON(importMapReferences), importMapRows) }

func TestSpeculation(t *testing.T) {
	testRows(t, ifJSON(speculationReferences), speculationRows)
}

func TestAppendJSON(t *testing.T) {
	for url, want := range map[string]string{
		"http://h/a?b&c='d'>` e": `http://h/a?b&c=\u0027d\u0027\u003e\u0060 e`,
		`"\` + "\x00\n\x1f\x7f":  `\u0022\\\u0000\u000a\u001f` + "\x7f",
		"</script><!--":          `\u003c/script\u003e\u003c!--`,
		"\u00e9\u2028\U0001f600": `\u00e9\u2028\ud83d\ude00`,
		"\xff\xc3":               "\xff\xc3",
		"\xed\xb3\xa9\ufffd":     "\xed\xb3\xa9" + `\ufffd`, // a mark
	} {
		for _, f := range []Form{FormJSON, FormSpecifier, FormPattern} {
			if got := string(f.Append(nil, []byte(url), true)); got != want {
				t.Errorf("%q in form %d: %q, want %q", url, f, got, want)
			}
		}
	}
}

// Time is linear in the text, and depth is bounded. Nothing is timed: with quadratic time
// each of these would take minutes.
func TestJSONIsLinear(t *testing.T) {
	const n = 1 << 20
	for _, text := range []string{
		`{"imports":{` + strings.Repeat(`"./":"",`, n/8) + `"":""}}`,
		`{"imports":{"./` + strings.Repeat(`\u0000`, n/6) + `":""}}`,
		`{"x":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`,
		`{"prefetch":[{"where":` + strings.Repeat(`{"not":`, 9000) + "1" + strings.Repeat("}", 9000) + `}]}`,
		`{"prefetch":[{"urls":[` + strings.Repeat(`"",`, n/3) + `""]}]}`,
		strings.Repeat(" ", n) + "{}",
	} {
		ifJSON(importMapReferences)(nil, []byte(text))
		ifJSON(speculationReferences)(nil, []byte(text))
	}
}

func fuzzJSON(f *testing.F, read valueSyntax, rows []syntaxRow) {
	for _, row := range rows {
		f.Add(row.value, "a\"\\\u00e9<")
		f.Add(row.value, "\xed\xb2\"\xed\xb2\x80\"")
	}
	f.Fuzz(func(t *testing.T, text, path string) {
		url := absoluteURL(path)
		checkSyntax(t, ifJSON(read), text, url)
		written := FormJSON.Append(nil, []byte(url), true)
		var back string
		if err := json.Unmarshal([]byte(`"`+string(written)+`"`), &back); err != nil || utf8.ValidString(url) && back != url || strings.Contains(string(written), "<") {
			t.Fatalf("%q is written as %q, which reads %q, %v", url, written, back, err)
		}
		for _, r := range ifJSON(read)(nil, []byte(text)) {
			var s string
			if err := json.Unmarshal([]byte(text[r.Start-1:r.End+1]), &s); err != nil || utf8.ValidString(text) && s != string(in(r, []byte(text))) {
				t.Fatalf("%q in %q reads %q, %v", in(r, []byte(text)), text, s, err)
			}
		}
	})
}

func FuzzImportMap(f *testing.F) { fuzzJSON(f, importMapReferences, importMapRows) }

func FuzzSpeculation(f *testing.F) { fuzzJSON(f, speculationReferences, speculationRows) }
