package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"absolink/cmd/absolink/internal/console"
	"absolink/internal/usage"
)

// A commandLine is what every command line has: the default command, and --version.
type commandLine struct {
	Rewrite rewriteCommand `cmd:"" default:"withargs" help:"Make the links in documents absolute (the default command)."`

	VersionFlag versionFlag `name:"version" group:"messages" help:"Print the version and exit."`
}

// commands are the other commands.
var commands = []struct {
	name, help string
	new        func() any
}{
	{"list", "Print the places in documents where URLs stand.", func() any { return new(listCommand) }},
	{"base", "Print the base URL of documents, and where it came from.", func() any { return new(baseCommand) }},
	{"tree", "Make the links in all pages of a site or mirror absolute.", func() any { return new(treeCommand) }},
	{"warc", "Rewrite the pages in WARC archives.", func() any { return new(warcCommand) }},
	{"rules", "Print the table of places.", func() any { return new(rulesCommand) }},
	{"resolve", "Print the absolute form of references.", func() any { return new(resolveCommand) }},
	{"serve", "Rewrite documents over HTTP, for programs in any language.", func() any { return new(serveCommand) }},
	{"proxy", "Run a proxy that rewrites the pages of a server.", func() any { return new(proxyCommand) }},
	{"help", "Print the help of a command.", func() any { return new(helpCommand) }},
	{"version", "Print the version.", func() any { return new(versionCommand) }},
}

// limitGarbage makes the garbage collector run earlier than by default, unless GOGC says
// when. Buffers grow by copying, and the collector should free the old copies soon.
func limitGarbage() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
}

// An exitRequest is the panic by which the parser exits, after --help and --version.
type exitRequest int

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	defer func() {
		if r := recover(); r != nil {
			request, ok := r.(exitRequest)
			if !ok {
				panic(r)
			}
			code = int(request)
		}
	}()
	ui := (&console.UI{Stdin: stdin, Stdout: stdout, Stderr: stderr}).Colored()
	parser := newParser(mayName(args), kong.Writers(ui.Headings(), stderr), kong.Exit(func(code int) { panic(exitRequest(code)) }))
	if len(args) == 0 && console.Terminal(stdin) != nil {
		ui.Code = console.ExitUsage
		_, err := fmt.Fprint(parser.Stdout, firstCalls())
		ui.Wrote(err)
		return ui.Code
	}
	if slip := modeApart(parser.Model, args); slip != "" {
		ui.Usagef("%s", slip)
		return ui.Code
	}
	ctx, err := parser.Parse(arranged(parser.Model, args))
	if _, ok := errors.AsType[*fs.PathError](err); ok { // of --help or --version
		ui.Wrote(err)
		return ui.Code
	}
	if err != nil {
		ui.Usagef("%s (absolink help%s shows the usage)", hinted(err), commandIn(err))
		return ui.Code
	}
	if err := ctx.Run(ui, parser); err != nil {
		panic(fmt.Sprintf("absolink: %v", err)) // commands tell ui instead
	}
	return ui.Code
}

// newParser returns the parser of the command line: the command rewrite, and the other
// commands for which has is true. The parser's model is the one definition of commands and
// options. The help, the man pages and the completions come from it too.
func newParser(has func(command string) bool, options ...kong.Option) *kong.Kong {
	for _, c := range commands {
		if has(c.name) {
			options = append(options, kong.DynamicCommand(c.name, c.help, "", c.new()))
		}
	}
	return kong.Must(&commandLine{}, append(options,
		kong.Name("absolink"),
		kong.Description(oneLine),
		usage.Strings,
		usage.Durations,
		kong.Help(help),
		kong.ExplicitGroups(groups),
		kong.PostBuild(arrangeOptions),
	)...)
}

// allCommands has newParser define every command.
func allCommands(string) bool { return true }

// mayName returns a function that reports whether the arguments may call a command. The
// definition of all commands takes a third of the time in which the program starts, and
// only the help needs it.
func mayName(args []string) func(command string) bool {
	if slices.ContainsFunc(args, mayAskForHelp) {
		return allCommands
	}
	return func(command string) bool { return slices.Contains(args, command) }
}

func mayAskForHelp(arg string) bool {
	return arg == "help" || strings.HasPrefix(arg, "--help") || isOption(arg) && arg[1] != '-' && strings.Contains(arg, "h")
}
