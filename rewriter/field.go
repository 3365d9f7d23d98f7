package rewriter

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"absolink/resolver"
)

var errSpace = errors.New("white space inside the URL; write it as %20")

// ParseBaseField parses the base URL in a field of a header that gives one to an entity
// (RFC 1808 §3.1): Base, Content-Base, Content-Location or another Location. value is what
// [FieldURL] reads. outer, which may be nil, is what a relative URL is resolved against: the
// base URL that an earlier field of the header gives, otherwise the base URL of what the
// entity is in.
//
// It returns nil if the field gives no base. A Location also serves as a name: that a name
// cannot be a base, as cid:x cannot, is not an error. As in [Rewriter.ParseBase], there may
// be both a base and an error. The error begins with the name of the field.
func (rw *Rewriter) ParseBaseField(outer *resolver.Base, name, value string) (*resolver.Base, error) {
	rw = cmp.Or(rw, &unset)
	b, err := rw.baseInField(outer, value, strings.HasSuffix(name, "Location"))
	switch {
	case err == nil:
		return b, nil
	case b == nil:
		return nil, fmt.Errorf("%s gives no base: %w", name, err)
	}
	return b, fmt.Errorf("%s: %w", name, err)
}

func (rw *Rewriter) baseInField(outer *resolver.Base, value string, isName bool) (*resolver.Base, error) {
	url, err := FieldURL(value)
	switch {
	case err != nil:
		return nil, err
	case url == "":
		return nil, nil
	case rw.Profile != resolver.WHATWG && strings.Contains(url, `\`):
		return nil, fmt.Errorf("%q has a backslash, which no URL has", resolver.Redact(url))
	}
	b, err := rw.ParseBaseOn(outer, url)
	switch {
	case errors.Is(err, resolver.ErrOpaqueBase) && isName, errors.Is(err, resolver.ErrNotAbsolute) && isName && outer == nil:
		return nil, nil
	case b.IsOpaque() && isName:
		return nil, nil
	case b.IsOpaque():
		return nil, &resolver.Error{Profile: rw.Profile, Base: url, Err: resolver.ErrOpaqueBase}
	}
	return b, err
}

// FieldURL returns the URL in the value of a field, as a string that does not keep the
// value in memory. [resolver.Unwrap] takes the URL out of its brackets. White space and
// quotes around the URL are ignored. The error says that the URL is longer than MaxBase or
// has white space in it.
func FieldURL(value string) (string, error) {
	url := strings.Trim(strings.TrimSpace(resolver.Unwrap(value)), `"`)
	switch {
	case len(url) > MaxBase:
		return "", ErrLongBase
	case strings.ContainsAny(url, whiteSpace):
		return "", errSpace
	}
	return strings.Clone(url), nil
}

// ResponseBase returns the base URL that a response of HTTP or a similar protocol gives the
// document in it: with the header Base, in the RFC profiles (RFC 1808 §3.1). fields are the
// values of all fields of that name, and the first that gives a base counts. outer, which
// may be nil, is the retrieval URL. References in the header are resolved against the
// result, too.
//
// The URL of the result is nil if there is no base. The error is the first of
// [Rewriter.ParseBaseField].
func (rw *Rewriter) ResponseBase(outer *resolver.Base, fields []string) (base Base, err error) {
	rw = cmp.Or(rw, &unset)
	if rw.Profile == resolver.WHATWG {
		return Base{}, nil
	}
	for _, field := range fields {
		b, fault := rw.ParseBaseField(outer, "Base", field)
		err = cmp.Or(err, fault)
		if b != nil {
			return Base{URL: b, Source: EntityBase, Name: "Base", Offset: -1}, err
		}
	}
	return Base{}, err
}
