package main

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/kong"
)

// arranged returns the arguments as the parser takes them: the command comes first, and
// options that stood before it come after it. Without a command, rewrite goes
// before --: otherwise the parser would take a FILE after -- for a command.
func arranged(app *kong.Application, args []string) []string {
	args = joinRules(args)
	if i := commandIndex(app, args); i >= 0 {
		return slices.Concat(args[i:i+1], args[:i], args[i+1:])
	}
	if slices.Contains(args, "--") {
		return append([]string{"rewrite"}, args...)
	}
	return args
}

// joinRules makes one argument of --rule and its value: the parser would take a value
// like -a[ping] for an option.
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

// commandIndex returns the index of the command in args, or -1. The command is the
// first argument that is neither an option nor the value of one, if a command has that
// name.
func commandIndex(app *kong.Application, args []string) int {
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "--":
			return -1
		case len(arg) < 2 || arg[0] != '-':
			if commandOf(app, arg) != nil {
				return i
			}
			return -1
		case valueFollows(app, arg):
			i++
		}
	}
	return -1
}

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
