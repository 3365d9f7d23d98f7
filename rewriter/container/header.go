package container

import (
	"bytes"
	"iter"
	"strings"

	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/internal/mark"
	"absolink/rewriter/internal/syntax"
)

// headerRules has the fields of an HTTP response in which URLs stand. No element has the name
// that their places have. A fragment alone is resolved, whatever KeepFragments says: no page
// shows where a header stands.
var headerRules = func() map[string]*rewriter.Rule {
	rules := map[string]*rewriter.Rule{}
	for _, name := range []string{"location", "content-location", "link", "refresh"} {
		rules[name] = &rewriter.Rule{Element: "#http", Attr: name, Empty: rewriter.EmptyBase, Outer: true}
	}
	rules["refresh"].Syntax = rewriter.SyntaxRefresh
	return rules
}()

// FieldPlaces yields the places in the value of a field of an HTTP response, in order. The
// fields with places are Location, Content-Location, Link (RFC 8288) and Refresh (HTML
// Standard). Each place is ready for [rewriter.Rewriter.Reference]: its Element is "#http", its
// Attr is the name of the field in lower case, and its Offset is one in the value. A header has
// no encoding, so bytes that are not UTF-8 are percent-encoded in Ref.
func FieldPlaces(name string, value []byte) iter.Seq[rewriter.Place] {
	return func(yield func(rewriter.Place) bool) {
		fieldReferences(name, value, func(_ syntax.Reference, p rewriter.Place) bool { return yield(p) })
	}
}

// RewriteField returns the value of a field of an HTTP response with the references in it made
// absolute by [rewriter.Rewriter.Reference], except that an empty one stays. What would end a
// URL in the field is percent-encoded in it. The error is that of Reference; the value then
// stays from there on.
func RewriteField(html *rewriter.Rewriter, name, value string, base *resolver.Base) (became string, result rewriter.Result, err error) {
	var b []byte
	kept := 0 // where what follows in value is not yet in b
	fieldReferences(name, []byte(value), func(r syntax.Reference, p rewriter.Place) bool {
		if p.Ref == "" {
			return true
		}
		var one rewriter.Result
		one, err = html.Reference(&p, base)
		if result.Add(one); one.Rewritten > 0 {
			b = append(b, value[kept:r.Start]...)
			b = r.Form.Append(b, []byte(p.URL), true)
			kept = int(r.End)
		}
		return err == nil
	})
	return string(b) + value[kept:], result, err
}

// fieldReferences yields the references in the value of a field with their places.
func fieldReferences(name string, value []byte, yield func(syntax.Reference, rewriter.Place) bool) {
	rule := headerRules[strings.ToLower(name)]
	if rule == nil {
		return
	}
	found := func(r syntax.Reference, rel string) bool {
		raw := string(r.Of(value))
		return yield(r, rewriter.Place{
			Offset: int64(r.Start), Element: rule.Element, Attr: rule.Attr, Rule: rule, Rel: rel,
			Raw: raw, Ref: string(mark.AppendOutside(nil, raw)),
		})
	}
	switch rule.Attr {
	case "link":
		syntax.Links(value, found)
	case "refresh":
		for _, r := range syntax.Refresh.Find(nil, value, syntax.Options{}) { // at most one
			found(r, "")
		}
	default:
		const space = " \t\r\n"
		url := bytes.TrimLeft(value, space)
		start := len(value) - len(url)
		if url = bytes.TrimRight(url, space); len(url) > 0 {
			found(syntax.Reference{Start: int32(start), End: int32(start + len(url))}, "")
		}
	}
}
