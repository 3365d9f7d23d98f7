package syntax

import (
	"bytes"

	"absolink/rewriter/internal/ascii"
)

// Refresh is the syntax of the content of meta refresh.
var Refresh = Syntax{Name: "refresh", Find: withoutOptions(refreshReferences)}

// refreshReferences appends the reference in the content of meta refresh, if there is
// one (HTML Standard §4.2.5.3, "shared declarative refresh steps"). The reference may be
// empty, as in "0; url=". If nothing follows the time there is no reference, and the
// document itself is loaded again.
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
	// The URL parser ignores white space at the end: it is not part of the reference.
	end := ascii.TrimSpaceRight(value, i, len(value))
	return append(dst, newReference(i, end, FormRefresh))
}

// skipRefreshTime returns where the time at the start of value ends. ok reports whether
// there is a time, of digits and dots, and whether the byte after it may follow a time.
func skipRefreshTime(value []byte) (end int, ok bool) {
	i := ascii.SkipSpace(value, 0)
	start := i
	for i < len(value) && ('0' <= value[i] && value[i] <= '9' || value[i] == '.') {
		i++
	}
	return i, i > start && (i == len(value) || value[i] == ';' || value[i] == ',' || ascii.IsSpace(value[i]))
}

// skipRefreshKeyword returns where the URL begins: after "url=" if that stands at i, and
// otherwise at i.
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

// quotedRefresh returns the reference after the quote at i, up to the next quote of the
// same kind or the end.
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
