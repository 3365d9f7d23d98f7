package main

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"absolink/cmd/absolink/internal/input"
	"absolink/cmd/absolink/internal/serve"
	"absolink/internal/size"
	"absolink/internal/usage"
)

// queryFlags returns the flags of a grammar that a query may set: the flags whose fields have
// the tag query, and the flags whose names are in more. No flag with the tag names a file.
func queryFlags(grammar *kong.Kong, more ...string) (flags []*kong.Flag) {
	for _, f := range grammar.Model.Flags {
		if f.Tag.Has("query") || slices.Contains(more, f.Name) {
			flags = append(flags, f)
		}
	}
	return flags
}

// maxOptions is how long the options in a query may be: thousands of rules take much time
// and memory.
const maxOptions = 4 << 10

// parseQuery sets the options of a grammar as a query says. Parameters have the names of the
// flags that queryFlags returns. The error is a [*serve.Problem].
func parseQuery(grammar any, query url.Values, more ...string) error {
	if n := len(query.Encode()); n > maxOptions {
		return badRequest("the options have %d bytes; they may have %d", n, maxOptions)
	}
	parser := kong.Must(grammar, kong.Name("absolink"), kong.NoDefaultHelp(), usage.Strings, usage.Durations)
	flags := queryFlags(parser, more...)
	var args []string
	for name, given := range query {
		i := slices.IndexFunc(flags, func(f *kong.Flag) bool { return f.Name == name })
		if i < 0 {
			var names []string
			for _, f := range flags {
				names = append(names, f.Name)
			}
			return badRequest("there is no parameter %q here: there are %s", name, strings.Join(names, ", "))
		}
		f := flags[i]
		if len(given) > 1 && !f.IsSlice() {
			return badRequest("the parameter %s is given %d times", name, len(given))
		}
		for _, value := range given {
			if f.IsBool() && value == "" {
				args = append(args, "--"+name)
			} else {
				args = append(args, "--"+name+"="+value)
			}
		}
	}
	_, err := parser.Parse(args)
	for _, f := range flags {
		if given, most, ok := bytesOf(f); ok && given > most && err == nil {
			return badRequest("%s may be at most %v here", f.Name, most)
		}
	}
	if err != nil {
		return badRequest("%s", usage.Message(err))
	}
	return nil
}

// bytesOf returns the value and the default of a flag that takes a number of bytes.
func bytesOf(f *kong.Flag) (given, byDefault size.Bytes, ok bool) {
	if given, ok = f.Target.Interface().(size.Bytes); ok {
		ok = byDefault.UnmarshalText([]byte(f.Default)) == nil
	}
	return given, byDefault, ok
}

func badRequest(format string, args ...any) *serve.Problem {
	return serve.Problemf(http.StatusBadRequest, format, args...)
}

// queryOptions are the options in the query of a request. They are never changed.
type queryOptions struct {
	*input.Settings
	format string
}

// maxParsed is about how many queries are kept with their options.
const maxParsed = 256

// options returns the options in the query of x. more are the names of parameters that only the
// endpoint of x has. The options are kept for requests with the same query to the same endpoint.
func (e *endpoints) options(x *serve.Exchange, more []string) (*queryOptions, error) {
	key := x.Request.URL.Path + "?" + x.Query.Encode()
	if o, ok := e.parsed.Load(key); ok {
		return o.(*queryOptions), nil
	}
	var c listCommand
	if err := parseQuery(&c, x.Query, more...); err != nil {
		return nil, err
	}
	c.FetchOptions = e.fetches
	o := &queryOptions{c.Settings(e.fetch), c.Format}
	if e.count.Add(1) > maxParsed {
		e.parsed.Clear()
		e.count.Store(1)
	}
	e.parsed.Store(key, o)
	return o, nil
}
