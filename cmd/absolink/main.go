// Command absolink makes every link in HTML documents absolute and changes
// nothing else.
package main

import (
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Exit codes.
const (
	exitDone    = 0
	exitNotDone = 1 // a file could not be read or written, or a URL could not be used
	exitUsage   = 2
	exitStrict  = 3 // done, with warnings, under --strict
	exitDamaged = 4 // done, except what is damaged in the input
)

type commandLine struct {
	Rewrite rewriteCommand `cmd:"" default:"withargs" help:"Make the links in HTML documents absolute; what absolink does without a command."`
	List    listCommand    `cmd:"" help:"Print the places in HTML documents where URLs stand."`
	Base    baseCommand    `cmd:"" help:"Print the base URL of documents, and where it came from."`
	Tree    treeCommand    `cmd:"" help:"Make the links in all HTML files of a directory absolute: of a static site, or of a saved mirror."`
	Warc    warcCommand    `cmd:"" help:"Rewrite the pages in WARC archives."`
	Rules   rulesCommand   `cmd:"" help:"Print the table of places."`
	Resolve resolveCommand `cmd:"" help:"Print the absolute form of references."`
	Help    helpCommand    `cmd:"" help:"Print the help of a command."`
	Version versionCommand `cmd:"" help:"Print the version."`

	VersionFlag versionFlag `name:"version" help:"Print the version and exit."`
}

const description = `Makes every link in HTML documents absolute and changes nothing else.

Relative links are resolved against the base URL of the document: the BASE in its HEAD, otherwise what its message or feed gives, otherwise --url. Without --url, it is the URL that the document was fetched from, or the one that a browser left in it on saving. Without any of these, relative links stay as they are. absolink base prints the base URL.

Other commands: list, base, tree, warc, rules, resolve, help and version. absolink help list describes list, and so on.

Exit codes: 0 done; 1 something could not be read, written or resolved; 2 wrong usage; 3 done, with warnings, under --strict; 4 done, except what is damaged in an archive.`

func main() {
	limitGarbage()
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// limitGarbage has garbage collected earlier than by default, unless GOGC says when.
// What is held grows by copies, and the old copies should go soon.
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
	var cl commandLine
	parser := kong.Must(&cl,
		kong.Name("absolink"),
		kong.Description(description),
		kong.Vars{"kinds": strings.Join(kindNames(), ","), "kindHelp": kindHelp()},
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { panic(exitRequest(code)) }),
		kong.Help(help),
		kong.KindMapper(reflect.String, kong.MapperFunc(decodeString)),
	)
	ui := &ui{stdin: stdin, stdout: stdout, stderr: stderr}
	args = joinRules(args)
	ctx, err := parser.Parse(filesAfterDashes(parser, args))
	if err == nil {
		err = checkOrder(ctx.Selected().Name, args)
	}
	if err != nil {
		ui.errorf("%v (absolink --help shows the usage)", err)
		return exitUsage
	}
	if err := ctx.Run(ui, parser); err != nil {
		panic(fmt.Sprintf("absolink: %v", err)) // commands tell ui instead
	}
	return ui.code
}

// decodeString takes an argument as it is. The parser's own decoder goes by way of
// JSON, which changes the names of files that are not UTF-8.
func decodeString(ctx *kong.DecodeContext, target reflect.Value) error {
	token, err := ctx.Scan.PopValue("string")
	if err != nil {
		return err
	}
	target.SetString(fmt.Sprint(token.Value))
	return nil
}

// checkOrder refuses options before a command: the parser takes them for options of
// the default command, and drops them.
func checkOrder(command string, args []string) error {
	i := slices.Index(args, command)
	if command == "rewrite" || i <= 0 {
		return nil
	}
	return fmt.Errorf("%s comes before %s; options go after the command", args[0], command)
}

// filesAfterDashes has the arguments after -- taken as files if no command comes
// before it: the parser would take a file called resolve for the command.
func filesAfterDashes(parser *kong.Kong, args []string) []string {
	i := slices.Index(args, "--")
	if i < 0 || !slices.Contains([]string{"", "rewrite"}, selected(parser, args[:i])) || selected(parser, append(args[:i:i], "resolve")) != "resolve" {
		return args
	}
	return slices.Insert(slices.Clone(args), i, "rewrite")
}

// joinRules makes one argument of --rule and its value: the parser would take a value
// like -a[ping] for a flag.
func joinRules(args []string) []string {
	var joined []string
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(joined, args[i:]...)
		}
		if args[i] == "--rule" && i+1 < len(args) {
			i++
			joined = append(joined, "--rule="+args[i])
		} else {
			joined = append(joined, args[i])
		}
	}
	return joined
}

// selected returns the name of the command that args call.
func selected(parser *kong.Kong, args []string) string {
	ctx, err := kong.Trace(parser, args)
	if err != nil || ctx.Selected() == nil {
		return ""
	}
	return ctx.Selected().Name
}

// help prints the help of the command that was given. Without one, it prints what
// absolink is for, and the help of the default command.
func help(options kong.HelpOptions, ctx *kong.Context) error {
	if ctx.Selected() == nil {
		rewrite, err := kong.Trace(ctx.Kong, []string{"rewrite"})
		if err != nil {
			return err
		}
		rewrite.Selected().Help, rewrite.Selected().Detail = description, ""
		ctx = rewrite
	}
	return kong.DefaultHelpPrinter(options, ctx)
}
