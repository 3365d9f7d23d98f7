package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"absolink/internal/test/docs"
	"absolink/internal/usage"
	"absolink/rewriter"
)

// Every field of a Rewriter has a row in testdata/options.tsv with its names: in the command, in
// a query, in JavaScript, in Python and in Caddy; "-" is where it is absent on purpose. Each
// door has these options, and no others that are a Rewriter's.
func TestOptions(t *testing.T) {
	others := map[string][]string{ // not a Rewriter's
		"query": {"type", "charset", "attachments", "item-base"}, "caddy": {"public"}, "command": nil,
		"js": {"done"}, "python": {"done"},
	}
	found := func(file, begin, end, pattern string) (list named) {
		list.where = file
		for _, name := range docs.Names(t, file, begin, end, pattern) {
			list.names = append(list.names, strings.Split(strings.ReplaceAll(name, "`", ""), ", ")...)
		}
		return list
	}
	doors := map[string][]named{ // by the column: in each of these lists every option is
		"command": {{"cmd/absolink", flagsOfRewrite()}},
		"query": {
			{"cmd/absolink, by the tag query", documentParameters()},
			found("docs/serve.md", "**Parameters** ", "; for `/list`", "`([a-z-]+)`"),
		},
		"js": {
			found("bindings/js/index.d.ts", "export interface RewriterOptions {", "\n}", `(?m)^\t(\w+)(?:\?:|\?\()`),
			{"bindings/js/wasm/main.go", fieldsInModule(readFile(t, "../../bindings/js/wasm/main.go"))},
			found("docs/javascript.md", "| option | what it does |", "| `charset`", "(?m)^\\| (`[^|]+) \\|"),
		},
		"python": {
			found("bindings/python/absolink/__init__.py", "def __init__(\n        self,", ") -> None", `(?m)^        (\w+): `),
			found("bindings/python/absolink/__init__.py", "class Rewriter:", "def __init__", `(?m)^    ([a-z_, ]+): `),
			found("bindings/python/absolink/__init__.py", "class Options(", "\n\n\n", `(?m)^    ([a-z_]+): `),
			found("docs/python.md", "| option | what it does |", "\n\n", "(?m)^\\| (`[^|]+) \\|"),
		},
		"caddy": {
			found("contrib/caddy/absolink.go", "switch option := d.Val(); option {", "default:", `"(\w+)"[,:]`),
			found("contrib/caddy/absolink.go", "; absolink has ", `"`, `\b(\w+)(?:,| and|$)`),
			found("contrib/caddy/README.md", "| option | what it does |", "\n\n", "(?m)^\\| `(\\w+)"),
		},
	}
	columns, rows := optionRows(t)
	var fields, inCaddy []string
	for _, f := range configurable() {
		fields = append(fields, f.Name)
	}
	for field, cells := range rows {
		if cells[slices.Index(columns, "caddy")] != "-" {
			inCaddy = append(inCaddy, field)
		}
	}
	slices.Sort(inCaddy)
	set := docs.Names(t, "contrib/caddy/absolink.go", ") Provision(", "warn :=", `(?:\b|html\.)(\w+)(?:: h\.| = append)`)
	slices.Sort(set)
	if difference := docs.Difference(set, inCaddy); difference != "" {
		t.Errorf("the Rewriter that Provision makes in contrib/caddy/absolink.go, compared with the column caddy of testdata/options.tsv, %s", difference)
	}
	slices.Sort(fields)
	if difference := docs.Difference(slices.Sorted(maps.Keys(rows)), fields); difference != "" {
		t.Errorf("testdata/options.tsv, compared with the options and hooks of package rewriter, %s", difference)
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
		for _, list := range doors[column] {
			names := list.names
			if column == "command" { // which has many others
				names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(want, name) })
			}
			got := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(others[column], name) })
			slices.Sort(got)
			if difference := docs.Difference(slices.Compact(got), want); difference != "" {
				t.Errorf("%s, compared with the column %s of testdata/options.tsv, %s", list.where, column, difference)
			}
		}
	}
}

// configurable returns the fields of the options and hooks of a Rewriter.
func configurable() []reflect.StructField {
	return slices.AppendSeq(slices.Collect(reflect.TypeFor[rewriter.Options]().Fields()), reflect.TypeFor[rewriter.Hooks]().Fields())
}

// fieldsInModule returns the options of the WebAssembly module, which takes them from the
// fields, except those that its source names.
func fieldsInModule(source string) (names []string) {
	for _, f := range configurable() {
		if !strings.Contains(source, fmt.Sprintf("f.Name != %q", f.Name)) {
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
	for _, f := range queryFlags(kong.Must(new(listCommand), usage.Strings)) {
		names = append(names, f.Name)
	}
	return names
}

// Each option of the command that is a field of a Rewriter changes this field, and no other.
func TestOptionsAreSet(t *testing.T) {
	settingsOf := func(args ...string) reflect.Value {
		var c rewriteCommand
		if _, err := kong.Must(&c, usage.Strings).Parse(args); err != nil {
			t.Fatal(err)
		}
		return reflect.ValueOf(c.Settings(nil).HTML).Elem()
	}
	other := map[string]string{"rules": "legacy", "rule": "p[x]=url", "keep": "x*"} // values that no default and no list of values gives
	byDefault := settingsOf()
	flags := newParser(allCommands).Model.Children[0].Flags
	columns, rows := optionRows(t)
	for field, cells := range rows {
		for name := range strings.FieldsSeq(cells[slices.Index(columns, "command")]) {
			i := slices.IndexFunc(flags, func(f *kong.Flag) bool { return f.Name == name })
			if i < 0 {
				continue // it is "-", or TestOptions says so
			}
			f, value := flags[i], "1"
			switch {
			case f.IsBool():
				value = "true"
			case f.Enum != "":
				value = f.EnumSlice()[len(f.EnumSlice())-1]
			case other[name] != "":
				value = other[name]
			}
			set := settingsOf("--" + name + "=" + value)
			for i := range set.NumField() {
				of := set.Type().Field(i)
				if !of.IsExported() || of.Type.Kind() == reflect.Func {
					continue
				}
				if changes := !reflect.DeepEqual(set.Field(i).Interface(), byDefault.Field(i).Interface()); changes != (of.Name == field) {
					t.Errorf("--%s=%s changes Rewriter.%s: %v, not %v; by testdata/options.tsv, settings.go sets %s alone", name, value, of.Name, changes, !changes, field)
				}
			}
		}
	}
}

// CHANGELOG.md has each field of a Rewriter, each option of the command that sets one, and
// each command.
func TestChangelog(t *testing.T) {
	changelog := readFile(t, "../../CHANGELOG.md")
	var names []string
	columns, rows := optionRows(t)
	for _, field := range slices.Sorted(maps.Keys(rows)) {
		names = append(names, "(?:Options|Hooks)."+field)
		for name := range strings.FieldsSeq(rows[field][slices.Index(columns, "command")]) {
			if name != "-" {
				names = append(names, "--"+name)
			}
		}
	}
	for _, c := range commands {
		names = append(names, "absolink "+c.name)
	}
	for _, name := range names {
		short := strings.TrimPrefix(name, "(?:Options|Hooks).") // where the line says whose field it is
		if !regexp.MustCompile("`(" + name + "|" + short + ")\\b").MatchString(changelog) {
			t.Errorf("CHANGELOG.md has no line with `%s`", name)
		}
	}
}

// A named list is the options that a file has.
type named struct {
	where string
	names []string
}

// Each command is in main.go, in a script of its tests and in a page of the documentation.
func TestCommandsAreTried(t *testing.T) {
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatal("no scripts", err)
	}
	var inScripts, inDocs strings.Builder
	for _, name := range scripts {
		inScripts.WriteString(readFile(t, name))
	}
	for _, page := range docs.Pages(t) {
		fmt.Fprintln(&inDocs, strings.Join(page.Lines, "\n"))
	}
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	inMain := docs.Names(t, "cmd/absolink/main.go", "type commandLine struct", "// limitGarbage", `\b(\w+)Command\b`)
	for _, name := range sources {
		for _, m := range regexp.MustCompile(`(?m)^type (\w+)Command struct`).FindAllStringSubmatch(readFile(t, name), -1) {
			if !slices.Contains(inMain, m[1]) {
				t.Errorf("main.go has no line with the command of %s, %sCommand", name, m[1])
			}
		}
	}
	for _, c := range commands {
		if called := regexp.MustCompile(`(?m)^[?!& ]*exec absolink( .*)? ` + c.name + `( |$)`); !called.MatchString(inScripts.String()) {
			t.Errorf("no script in testdata/script has a line with: exec absolink %s", c.name)
		}
		if named := regexp.MustCompile(`absolink ` + c.name + `\b`); c.name != "version" && !named.MatchString(inDocs.String()) { // the help has --version
			t.Errorf("no page in docs has: absolink %s", c.name)
		}
	}
}

// optionRows returns the names of the columns of testdata/options.tsv, and its other rows by
// their fields.
func optionRows(t *testing.T) (columns []string, rows map[string][]string) {
	t.Helper()
	rows = map[string][]string{}
	for i, line := range strings.Split(strings.TrimSpace(readFile(t, "../../testdata/options.tsv")), "\n") {
		if cells := strings.Split(line, "\t"); i == 0 {
			columns = cells
		} else {
			rows[cells[0]] = cells
		}
	}
	return columns, rows
}
