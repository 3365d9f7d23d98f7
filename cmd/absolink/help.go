package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"absolink/cmd/absolink/internal/console"
	"absolink/internal/usage"
)

const oneLine = "Makes every link in HTML documents absolute and changes nothing else."

// details are what the help of absolink itself says after the list of commands, and
// what its man page says.
const details = `Relative links are resolved against the base URL of the document: the BASE in
its HEAD, otherwise the base that its message or feed gives, otherwise --url.
Without --url, the base is the URL that the document was fetched from, or the
URL that a browser left in it on saving. Without any of these, relative links
stay as they are. The command base prints the base URL.

The first argument that is not an option names the command; options may stand
before it. A FILE that begins with - or has the name of a command goes after
--, as in absolink -- list.

A SIZE is a number of bytes, such as 4096, 64KiB, 16MiB or 16M. A TIME is such
as 30s or 2m; a number alone is seconds.
`

// examples are in the help and in the man page.
const examples = mostCommon + `# a page on the web
absolink https://example.org/ > absolute.html
`

// mostCommon are the three most common calls.
const mostCommon = `# a page, and the URL that it comes from
absolink -u https://example.org/a/page.html page.html > absolute.html
# in place: files that tell their own URL
absolink -w saved.html message.eml feed.xml
# a site: all pages of the directory public, written to the directory absolute
absolink tree -u https://example.org/ public absolute
`

// firstCalls returns what absolink prints on a terminal where it is called without arguments.
func firstCalls() string {
	return oneLine + "\n\n" + indented(mostCommon) + "\nabsolink --help shows all options; absolink - reads what is typed.\n"
}

// exitCodes are the same for all commands.
const exitCodes = `0  done
1  not done, such as a file that cannot be read; dead links under tree --check
2  wrong usage
3  done, with something to look at, under --strict
4  done, except what is damaged in the input
`

// groups are the groups of options, in the order of the help. The tag group on an
// option names one; an option without this tag is in the first group.
var groups = []kong.Group{
	{Key: "main", Title: "Options:"},
	{Key: "listening", Title: "Listening:"},
	{Key: "limits", Title: "Limits:"},
	{Key: "fetching", Title: "Fetching:"},
	{Key: "output", Title: "Output:"},
	{Key: "base", Title: "Base URL:"},
	{Key: "links", Title: "Links:"},
	{Key: "input", Title: "Input:"},
	{Key: "messages", Title: "Messages:"},
	{Key: "advanced", Title: "Advanced:"},
}

// arrangeOptions sorts the options of each command by their groups.
func arrangeOptions(parser *kong.Kong) error {
	rank := func(key string) int {
		return slices.IndexFunc(groups, func(g kong.Group) bool { return g.Key == key })
	}
	help := parser.Model.HelpFlag
	help.Help, help.Group = "Print this help and exit.", &groups[rank("messages")]
	for _, command := range parser.Model.Children {
		for _, f := range command.Flags {
			f.Group = cmp.Or(f.Group, &groups[0])
			f.Hidden = f.Hidden || command.Name == "base" && (f.Group.Key == "links" || f.Name == "base-tag") // which matter little there
		}
		slices.SortStableFunc(command.Flags, func(a, b *kong.Flag) int { return rank(a.Group.Key) - rank(b.Group.Key) })
	}
	return nil
}

// help prints the help of the command that was given. Without a command, it prints the
// help of absolink itself, with the options of rewrite.
func help(options kong.HelpOptions, ctx *kong.Context) error {
	app, command := ctx.Model, ctx.Selected()
	options.NoAppSummary = true
	if command != nil {
		fmt.Fprintf(ctx.Stdout, "Usage: absolink %s\n", usageOf(command))
		command.Flags, app.Flags = append(command.Flags, app.Flags...), nil
		return kong.DefaultHelpPrinter(options, ctx)
	}
	rewrite, err := kong.Trace(ctx.Kong, []string{"rewrite"})
	if err != nil {
		return err
	}
	command = rewrite.Selected()
	fmt.Fprintf(ctx.Stdout, "Usage: absolink%s\n       absolink COMMAND [OPTIONS] ...\n\n%s\n\nCommands:\n", strings.TrimPrefix(usageOf(command), command.Name), oneLine)
	for _, c := range app.Children {
		fmt.Fprintf(ctx.Stdout, "  %-9s %s\n", c.Name, c.Help)
	}
	fmt.Fprintf(ctx.Stdout, "\nabsolink help COMMAND describes a command.\n\nExamples:\n%s\n%s", indented(examples), details)
	command.Help = ""
	command.Flags, app.Flags = append(command.Flags, app.Flags...), nil
	if err := kong.DefaultHelpPrinter(options, rewrite); err != nil {
		return err
	}
	_, err = fmt.Fprintf(ctx.Stdout, "\nExit codes:\n%s", indented(exitCodes))
	return err
}

// indented returns lines, each two columns further to the right.
func indented(lines string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(lines, "\n"), "\n", "\n  ") + "\n"
}

// usageOf returns a command with what goes after it.
func usageOf(command *kong.Command) string {
	words := []string{command.Name}
	if required := command.FlagSummary(true); required != "" {
		words = append(words, required)
	}
	words = append(words, "[OPTIONS]")
	for _, arg := range command.Positional {
		words = append(words, arg.Summary())
	}
	return strings.Join(words, " ")
}

type helpCommand struct {
	Command string `arg:"" optional:"" name:"COMMAND" help:"A command. Without it, the help of absolink itself is printed."`
}

// Run prints what --help prints after the command, and exits.
func (c *helpCommand) Run(ui *console.UI, parser *kong.Kong) error {
	args := []string{c.Command, "--help"}
	if c.Command == "" {
		args = args[1:]
	} else if commandOf(parser.Model, c.Command) == nil {
		ui.Usagef("%s is not a command%s (absolink help lists them)", c.Command, resembles(c.Command))
		return nil
	}
	_, err := parser.Parse(args)
	ui.Wrote(err)
	return nil
}

// commandIn returns the command that an error of the parser is about, after a space; ""
// if no command was named.
func commandIn(err error) string {
	if of, ok := errors.AsType[*kong.ParseError](err); ok && of.Context != nil {
		if command := of.Context.Selected(); command != nil && command.Name != "rewrite" {
			return " " + command.Name
		}
	}
	return ""
}

// hints say what to write instead of an option that other programs have.
var hints = map[string]string{
	"-i":          "-w rewrites files in place",
	"--check":     "absolink tree --check DIR lists the broken links of a site",
	"--base-url":  "--url gives the base URL",
	"--recursive": "absolink tree DIR rewrites all files in a directory",
	"-r":          "absolink tree DIR rewrites all files in a directory",
}

// hinted returns an error of the parser with a hint at what the user may mean.
func hinted(err error) string {
	const unknown = "unknown option "
	message := usage.Message(err)
	option, _, _ := strings.Cut(strings.TrimPrefix(message, unknown), ";")
	if hint, ok := hints[option]; ok && strings.HasPrefix(message, unknown) {
		return unknown + option + "; " + hint
	}
	return message
}

// distance returns how many letters have to be added, removed, replaced or swapped with
// the next to make b of a. Names longer than a command's are far from all.
func distance(a, b string) int {
	if len(a) > 2*len(b) {
		return len(a)
	}
	d := make([][]int, len(a)+1) // from the first i letters of a to the first j of b
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			if i == 0 || j == 0 {
				d[i][j] = i + j
				continue
			}
			replaced := d[i-1][j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, replaced)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

// resembles returns the command that a name may be a slip for, as the end of a message;
// "" if there is none.
func resembles(name string) string {
	if name == "check" {
		return "; " + hints["--check"]
	}
	names := []string{"rewrite"}
	for _, c := range commands {
		names = append(names, c.name)
	}
	for _, command := range names {
		if distance(strings.ToLower(name), command) <= 1+len(command)/5 {
			return fmt.Sprintf("; did you mean the command %s?", command)
		}
	}
	return ""
}
