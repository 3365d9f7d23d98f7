package syntax

import (
	"bytes"

	"absolink/rewriter/internal/ascii"
)

// Refresh is the syntax of the content of meta refresh.
var Refresh = Syntax{Name: "refresh", Find: withoutOptions(refreshReferences)}

// refreshReferences appends the reference in the content of meta refresh, if
// it has one (HTML Standard §4.2.5.3, "shared declarative refresh steps"). An
// empty one, as in "0; url=", is a reference; where nothing follows the time
// there is none, and the document's own URL is meant.
func refreshReferences(dst []Reference, value []byte) []Reference {
	i, ok := skipRefreshTime(value)
	if !ok {
		return dst
	}
	i = ascii.SkipSpace(value, i)
	if i < len(value) && (value[i] == ';' || value[i] == ',') {
		i = ascii.SkipSpace(value, i+1)
	}
	if i == len(value) {
		return dst
	}
	i = skipRefreshKeyword(value, i)
	if i < len(value) && ascii.IsQuote(value[i]) {
		return append(dst, quotedRefresh(value, i))
	}
	// The URL parser takes white space off the end: it stays outside.
	end := ascii.TrimSpaceRight(value, i, len(value))
	return append(dst, newReference(i, end, FormRefresh))
}

// skipRefreshTime returns where the time ends that value begins with, and
// whether there is one that something may follow: digits, then digits and
// dots, of which the first may be missing before a dot.
func skipRefreshTime(value []byte) (end int, ok bool) {
	i := ascii.SkipSpace(value, 0)
	start := i
	for i < len(value) && ('0' <= value[i] && value[i] <= '9' || value[i] == '.') {
		i++
	}
	return i, i > start && (i == len(value) || value[i] == ';' || value[i] == ',' || ascii.IsSpace(value[i]))
}

// skipRefreshKeyword returns where the URL begins after "url=" at i, which is
// i where that is not all there.
func skipRefreshKeyword(value []byte, i int) int {
	const keyword = "url"
	if len(value)-i < len(keyword) || !ascii.EqualFold(value[i:i+len(keyword)], keyword) {
		return i
	}
	equals := ascii.SkipSpace(value, i+len(keyword))
	if equals == len(value) || value[equals] != '=' {
		return i
	}
	return ascii.SkipSpace(value, equals+1)
}

// quotedRefresh returns the reference after the quote at i, up to the next such
// quote or the end.
func quotedRefresh(value []byte, i int) Reference {
	f := FormRefreshDouble
	if value[i] == '\'' {
		f = FormRefreshSingle
	}
	start, end := i+1, len(value)
	if n := bytes.IndexByte(value[start:], value[i]); n >= 0 {
		end = start + n
	}
	return newReference(start, end, f)
}
