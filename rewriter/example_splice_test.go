package rewriter_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"absolink/resolver"
	"absolink/rewriter"
)

// A jsonSplicer rewrites HTML in a JSON string. What stays keeps its escapes.
type jsonSplicer struct {
	raw     string // between the quotes
	at      []int  // where in raw each byte of the document begins, and the end
	passed  int    // in raw
	written strings.Builder
}

func (s *jsonSplicer) Keep(end int64) error {
	s.written.WriteString(s.raw[s.passed:s.at[end]])
	s.passed = s.at[end]
	return nil
}

func (s *jsonSplicer) Replace(end int64, b []byte) error {
	quoted, err := json.Marshal(string(b))
	s.written.Write(quoted[1 : len(quoted)-1])
	s.passed = s.at[end]
	return err
}

// newJSONSplicer returns a splicer for a string with no other escapes than \/ and \".
func newJSONSplicer(raw string) (s *jsonSplicer, document string) {
	s = &jsonSplicer{raw: raw}
	for i := 0; i < len(raw); i++ {
		s.at = append(s.at, i)
		if raw[i] == '\\' {
			i++
		}
		document += raw[i : i+1]
	}
	s.at = append(s.at, len(raw))
	return s, document
}

// A document in a JSON string is spliced: the escape <\/a> stays.
func ExampleRewriter_Splice() {
	s, document := newJSONSplicer(`<b>\"<\/b> <a href=\"x\">1<\/a>`)
	base, err := resolver.ParseBase("http://h/", resolver.RFC1808)
	if err != nil {
		fmt.Println(err)
		return
	}
	var rw rewriter.Rewriter
	_, err = rw.Splice(s, strings.NewReader(document), base)
	fmt.Println(s.written.String(), err)
	// Output: <b>\"<\/b> <a href=\"http://h/x\">1<\/a> <nil>
}
