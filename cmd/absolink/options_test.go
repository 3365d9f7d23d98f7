package main

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"absolink/rewriter"
)

// Every field of a Rewriter has a row in testdata/options.tsv with its names: in the command, in
// a query, in JavaScript, in Python and in Caddy; "-" is where it is absent on purpose. Each
// door has these options, and no others that are a Rewriter's.
func TestOptions(t *testing.T) {
	read := func(name string) string {
		b, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	// found returns the names in a part of a file, up to end.
	found := func(file, begin, end, name string) (names []string) {
		_, text, ok := strings.Cut(read(file), begin)
		if !ok {
			t.Errorf("%s: there is no %q", file, begin)
		}
		text, _, _ = strings.Cut(text, end)
		for _, m := range regexp.MustCompile(name).FindAllStringSubmatch(text, -1) {
			names = append(names, m[1])
		}
		return names
	}
	doors := map[string][][]string{ // by the column: in each of these lists every option is
		"command": {flagsOfRewrite()},
		"query":   {documentParameters()},
		"js": {
			found("bindings/js/index.d.ts", "export interface RewriterOptions {", "\n}", `(?m)^\t(\w+)(?:\?:|\?\()`),
			fieldsInModule(read("bindings/js/wasm/main.go")),
		},
		"python": {found("bindings/python/absolink/__init__.py", "def __init__(\n        self,", ") -> None", `(?m)^        (\w+): `)},
		"caddy":  {found("contrib/caddy/absolink.go", "switch option := d.Val(); option {", "default:", `"(\w+)"[,:]`)},
	}
	others := map[string][]string{ // not a Rewriter's
		"query": {"type", "charset"}, "caddy": {"public"}, "command": nil,
	}
	lines := strings.Split(strings.TrimSpace(read("testdata/options.tsv")), "\n")
	columns := strings.Split(lines[0], "\t")
	rows := map[string][]string{}
	for _, line := range lines[1:] {
		cells := strings.Split(line, "\t")
		rows[cells[0]] = cells
	}
	var fields []string
	for f := range reflect.TypeFor[rewriter.Rewriter]().Fields() {
		if f.IsExported() {
			fields = append(fields, f.Name)
		}
	}
	if listed := slices.Sorted(maps.Keys(rows)); !slices.Equal(listed, slices.Sorted(slices.Values(fields))) {
		t.Errorf("testdata/options.tsv has rows for %q; the fields are %q", listed, fields)
	}
	for i, column := range columns[1:] {
		var want []string
		for _, cells := range rows {
			for name := range strings.FieldsSeq(cells[i+1]) {
				if name != "-" {
					want = append(want, name)
				}
			}
		}
		slices.Sort(want)
		for _, names := range doors[column] {
			if column == "command" { // which has many others
				names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(want, name) })
			}
			got := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(others[column], name) })
			slices.Sort(got)
			if got = slices.Compact(got); !slices.Equal(got, want) {
				t.Errorf("%s: the options are %q; testdata/options.tsv has %q", column, got, want)
			}
		}
	}
}

// fieldsInModule returns the options of the WebAssembly module, which takes them from the
// fields, except those that its source names.
func fieldsInModule(source string) (names []string) {
	for f := range reflect.TypeFor[rewriter.Rewriter]().Fields() {
		if f.IsExported() && !strings.Contains(source, fmt.Sprintf("f.Name != %q", f.Name)) {
			names = append(names, strings.ToLower(f.Name[:1])+f.Name[1:])
		}
	}
	return names
}

// flagsOfRewrite returns the options of the command that rewrites.
func flagsOfRewrite() (names []string) {
	for _, f := range newParser(allCommands).Model.Children[0].Flags {
		names = append(names, f.Name)
	}
	return names
}

// documentParameters returns the names of the options that a query for a document may set.
func documentParameters() (names []string) {
	for _, f := range queryFlags(kong.Must(new(listCommand), values)) {
		names = append(names, f.Name)
	}
	return names
}
