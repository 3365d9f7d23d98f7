// Package pages writes the man pages and the completions for shells of a command line,
// from its definition in kong. Only a build with the tag pages imports it: the command that
// is released does not carry it.
package pages

import (
	"bytes"
	"embed"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/alecthomas/kong"
)

// A Text is what the man page of a command line says, in addition to its definition.
// Paragraphs are separated by empty lines.
type Text struct {
	Date      string // of the release
	Details   string
	Examples  string // a line of shell each; comments begin with #
	ExitCodes string // a line each: the code, two spaces, the meaning
}

// templates are written in the languages that they make. What they insert goes through
// a function that quotes it for that language.
//
//go:embed *.tmpl
var templates embed.FS

// A page is a command line as the templates see it.
type page struct {
	Text
	Name, Help string
	Commands   []command
	ValueFlags []string // all options that take a value, as they are written
	Command    command  // that a man page is about
}

// A command is one that is shown.
type command struct {
	Name, Help, Detail string
	Default            bool
	Args               []*kong.Positional
	Groups             []group
}

// A group is options under a title.
type group struct {
	Title   string
	Options []option
}

// An option is one that is shown.
type option struct {
	*kong.Flag
}

// Write writes the man pages to dir/man, and the completions to dir/completions. It
// makes both directories.
func Write(dir string, app *kong.Application, text Text) error {
	p := page{Text: text, Name: app.Name, Help: app.Help}
	for _, node := range app.Children {
		if !node.Hidden {
			p.Commands = append(p.Commands, newCommand(app, node))
		}
	}
	for _, c := range p.Commands {
		for _, o := range c.Options() {
			if o.TakesValue() {
				p.ValueFlags = append(p.ValueFlags, o.Written()...)
			}
		}
	}
	slices.Sort(p.ValueFlags)
	p.ValueFlags = slices.Compact(p.ValueFlags)
	files := map[string]string{"absolink.bash": "bash.tmpl", "_absolink": "zsh.tmpl", "absolink.fish": "fish.tmpl"}
	for name, from := range files {
		if err := p.write(filepath.Join(dir, "completions", name), from); err != nil {
			return err
		}
	}
	for _, c := range p.Commands {
		name := p.Name + "-" + c.Name
		if c.Default {
			name = p.Name
		}
		p.Command = c
		if err := p.write(filepath.Join(dir, "man", name+".1"), "man.tmpl"); err != nil {
			return err
		}
	}
	return nil
}

func newCommand(app *kong.Application, node *kong.Command) command {
	c := command{Name: node.Name, Help: node.Help, Detail: node.Detail, Args: node.Positional}
	c.Default = app.DefaultCmd == node
	for _, f := range slices.Concat(node.Flags, app.Flags) {
		if f.Hidden {
			continue
		}
		i := slices.IndexFunc(c.Groups, func(g group) bool { return g.Title == f.Group.Title })
		if i < 0 {
			i = len(c.Groups)
			c.Groups = append(c.Groups, group{Title: f.Group.Title})
		}
		c.Groups[i].Options = append(c.Groups[i].Options, option{f})
	}
	return c
}

// Options returns the options of all groups.
func (c command) Options() (all []option) {
	for _, g := range c.Groups {
		all = append(all, g.Options...)
	}
	return all
}

// TakesValue reports whether the next argument is the value of the option.
func (o option) TakesValue() bool { return !o.IsBool() && !o.IsCounter() }

// Values returns the values that the option can have; nil where that is any. The tag modes has
// them for an option that may also stand alone, and the tag values for one that takes a list.
func (o option) Values() []string {
	switch {
	case o.Enum != "":
		return o.EnumSlice()
	case o.Tag.Has("modes"):
		return strings.Split(o.Tag.Get("modes"), ",")
	case o.Tag.Has("values"):
		return strings.Split(o.Tag.Get("values"), ",")
	}
	return nil
}

// Letter returns the short form of the option without its hyphen, or "".
func (o option) Letter() string {
	if o.Short == 0 {
		return ""
	}
	return string(o.Short)
}

// LongNames returns the name of the option, and the name that switches it off.
func (o option) LongNames() []string {
	switch o.Tag.Negatable {
	case "":
		return []string{o.Name}
	case "_": // kong's word for the default
		return []string{o.Name, "no-" + o.Name}
	}
	return []string{o.Name, o.Tag.Negatable}
}

// Written returns the forms of the option: -o and --output.
func (o option) Written() (forms []string) {
	if o.Short != 0 {
		forms = append(forms, "-"+o.Letter())
	}
	for _, name := range o.LongNames() {
		forms = append(forms, "--"+name)
	}
	return forms
}

// write writes a file that a template makes.
func (p page) write(path, from string) error {
	t, err := template.New(from).Funcs(functions).ParseFS(templates, from)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := t.Execute(&text, p); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, text.Bytes(), 0o666)
}

var functions = template.FuncMap{
	"join":      strings.Join,
	"lower":     strings.ToLower,
	"upper":     strings.ToUpper,
	"roff":      roff,
	"sh":        sh,
	"zshText":   zshText.Replace,
	"fish":      fish,
	"sentence":  sentence,
	"lines":     func(s string) []string { return strings.Split(strings.TrimSpace(s), "\n") },
	"cutColumn": func(s string) []string { return strings.SplitN(s, "  ", 2) },
}

// sentence returns the first sentence of a help, without its full stop, or the part
// before its semicolon or colon.
func sentence(help string) string {
	for _, end := range []string{". ", "; ", ": "} {
		help, _, _ = strings.Cut(help, end)
	}
	return strings.TrimSuffix(help, ".")
}

// sh returns s in the quotes of bash and zsh.
func sh(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// fish returns s in the quotes of fish.
func fish(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}

// zshText escapes what _arguments and _describe take for the end of a text.
var zshText = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, ":", `\:`)

// roff escapes text for a man page. Each line of it is a line of text there, and an
// empty one begins a paragraph.
func roff(s string) string {
	s = roffCharacters.Replace(strings.TrimSpace(s))
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		switch {
		case line == "":
			lines[i] = ".PP"
		case line[0] == '.' || strings.HasPrefix(line, `\(aq`):
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

var roffCharacters = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`)
