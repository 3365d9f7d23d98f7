package syntax

import (
	"fmt"
	"strings"
	"testing"
)

// The rows of the trap table on srcset, and some more.
var srcsetRows = []syntaxRow{
	{"a.png,b.png", []string{"a.png,b.png"}},
	{"a.png 1x,b.png 2x", []string{"a.png", "b.png"}},
	{"a.png, b.png 2x", []string{"a.png", "b.png"}},
	{",a.png,, 2x", []string{"a.png", "2x"}},
	{"/w_300,h_200/a.jpg 300w, b.jpg", []string{"/w_300,h_200/a.jpg", "b.jpg"}},
	{"data:image/svg+xml,%3Csvg/%3E, b.png 2x", []string{"data:image/svg+xml,%3Csvg/%3E", "b.png"}},
	{"a.png foo(1,2) 2x, b.png", []string{"a.png", "b.png"}},
	{"a.png (1, b.png 2x", []string{"a.png"}},
	{"a.png\u00a02x", []string{"a.png\u00a02x"}},

	{"", nil},
	{" ,\t,\n", nil},
	{"a.png ", []string{"a.png"}},
	{"a.png,", []string{"a.png"}},
	{"a.png ,b.png", []string{"a.png", "b.png"}},
	{"a.png ((1),b.png", []string{"a.png", "b.png"}}, // parentheses do not nest
	{"a.png 1x), b.png", []string{"a.png", "b.png"}},
	{"a.png 1x(,", []string{"a.png"}},
	{"a(b,c.png 1x, d.png", []string{"a(b,c.png", "d.png"}}, // in a URL they are nothing
	{"a.png\f1x\r,\nb.png", []string{"a.png", "b.png"}},
	{"\xff\x00,, \xfe", []string{"\xff\x00", "\xfe"}},
}

func TestSrcset(t *testing.T) {
	testRows(t, srcsetReferences, srcsetRows)
	for _, row := range srcsetRows {
		checkCandidates(t, row.value, ",http://h/ a,,")
	}
	noAllocations(t, srcsetReferences, "a.png 1x, b.png foo(1,2) 2x, c.png")
}

// A candidate is what the standard's algorithm splits a srcset into.
type candidate struct {
	url         string
	descriptors []string
}

// srcsetCandidates is that algorithm, step by step, up to the descriptor
// parser.
func srcsetCandidates(input string) (candidates []candidate) {
	isSpace := func(c byte) bool { return strings.IndexByte("\t\n\f\r ", c) >= 0 }
	position := 0
	for {
		for position < len(input) && (isSpace(input[position]) || input[position] == ',') { // 4
			position++
		}
		if position == len(input) { // 5
			return candidates
		}
		start := position
		for position < len(input) && !isSpace(input[position]) { // 6
			position++
		}
		c := candidate{url: input[start:position]}
		if strings.HasSuffix(c.url, ",") { // 8
			c.url = strings.TrimRight(c.url, ",")
			candidates = append(candidates, c)
			continue
		}
		current, state := "", "in descriptor"
		flush := func() {
			if current != "" {
				c.descriptors = append(c.descriptors, current)
			}
			current = ""
		}
	tokenizer:
		for ; ; position++ {
			if position == len(input) {
				flush()
				break
			}
			b := input[position]
			switch state {
			case "in descriptor":
				switch {
				case isSpace(b):
					flush()
					state = "after descriptor"
				case b == ',':
					position++
					flush()
					break tokenizer
				case b == '(':
					current += "("
					state = "in parens"
				default:
					current += string(b)
				}
			case "in parens":
				current += string(b)
				if b == ')' {
					state = "in descriptor"
				}
			case "after descriptor":
				if !isSpace(b) {
					state = "in descriptor"
					position--
				}
			}
		}
		candidates = append(candidates, c)
	}
}

// checkCandidates tests that the candidates are the standard's, and that url in
// the place of each leaves them their descriptors.
func checkCandidates(t *testing.T, value, url string) {
	t.Helper()
	references, want := srcsetReferences(nil, []byte(value)), srcsetCandidates(value)
	var urls []string
	for _, c := range want {
		urls = append(urls, c.url)
	}
	if got := texts(value, references); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", urls) {
		t.Fatalf("candidates in %q: %q, want %q", value, got, urls)
	}
	written := replaceAll(value, references, true, func(Reference) []byte { return []byte(url) })
	for i := range want {
		want[i].url = readsBack(url, FormCandidate)
	}
	if got := srcsetCandidates(written); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Fatalf("%q written as %q has candidates %q, want %q", value, written, got, want)
	}
}

func FuzzSrcset(f *testing.F) {
	for _, row := range srcsetRows {
		f.Add(row.value, "a,b c,")
	}
	f.Fuzz(func(t *testing.T, value, path string) {
		checkSyntax(t, srcsetReferences, value, absoluteURL(path))
		checkCandidates(t, value, absoluteURL(path))
	})
}
