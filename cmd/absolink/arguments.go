package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/kong"
)

// arranged returns the arguments as the parser takes them: the command, the options,
// the FILEs. The parser itself takes no FILE after an option that follows a FILE. Without a
// command, rewrite goes before --: otherwise the parser would take a FILE after -- for
// a command.
func arranged(app *kong.Application, args []string) []string {
	var command, options, files []string
	for len(args) > 0 {
		n := 1
		if isOption(args[0]) && valueFollows(app, args[0]) {
			n = 2
		}
		switch arg := args[0]; {
		case arg == "--":
			if command == nil {
				command = []string{"rewrite"}
			}
			return slices.Concat(command, options, args[:1], files, args[1:])
		case arg == "--rule" && n <= len(args): // as one argument: -a[ping] is not an option
			options = append(options, "--rule="+args[1])
		case isOption(arg) && n <= len(args):
			options = append(options, args[:n]...)
		case isOption(arg): // without its value, it stays at the end
			return slices.Concat(command, options, files, args)
		case command == nil && files == nil && commandOf(app, arg) != nil:
			command = args[:1]
		default:
			files = append(files, arg)
		}
		args = args[n:]
	}
	return slices.Concat(command, options, files)
}

// modeApart says that the value of an option stands after a space, as in --check fragments, where
// it is not a file either; "" where none does. Such a value goes after an equals sign, because the
// option may also stand alone.
func modeApart(app *kong.Application, args []string) string {
	for i, arg := range args[:max(0, len(args)-1)] {
		if arg == "--" {
			break
		}
		name, ok := strings.CutPrefix(arg, "--")
		value := args[i+1]
		if !ok || value == "" || !slices.ContainsFunc(app.Children, func(command *kong.Node) bool { return hasMode(command, name, value) }) {
			continue
		}
		if _, err := os.Lstat(value); err != nil {
			return fmt.Sprintf("the value of --%s goes after an equals sign: write --%[1]s=%s", name, value)
		}
	}
	return ""
}

// hasMode reports whether an option of a command may stand alone, and may have this value.
func hasMode(command *kong.Node, name, value string) bool {
	return slices.ContainsFunc(command.Flags, func(f *kong.Flag) bool {
		return f.Name == name && slices.Contains(strings.Split(f.Tag.Get("modes"), ","), value)
	})
}

// isOption reports whether an argument is an option; - is a FILE.
func isOption(arg string) bool { return len(arg) > 1 && arg[0] == '-' }

// commandOf returns the command with a name, or nil.
func commandOf(app *kong.Application, name string) *kong.Command {
	for _, command := range app.Children {
		if command.Name == name {
			return command
		}
	}
	return nil
}

// valueFollows reports whether the argument after an option is the option's value. An
// option takes a value in all commands that have it, or in none of them.
func valueFollows(app *kong.Application, arg string) bool {
	if name, ok := strings.CutPrefix(arg, "--"); ok {
		return takesValue(app, func(f *kong.Flag) bool { return f.Name == name || slices.Contains(f.Aliases, name) })
	}
	for i, letter := range arg[1:] { // -qo is -q and -o
		if takesValue(app, func(f *kong.Flag) bool { return f.Short == letter }) {
			return 1+i+utf8.RuneLen(letter) == len(arg)
		}
	}
	return false
}

// takesValue reports whether one of the options that match is not a switch.
func takesValue(app *kong.Application, match func(*kong.Flag) bool) bool {
	for _, command := range app.Children {
		for _, f := range command.Flags {
			if match(f) {
				return !f.IsBool() && !f.IsCounter()
			}
		}
	}
	return false
}
