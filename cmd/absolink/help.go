package main

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"
)

type helpCommand struct {
	Command string `arg:"" optional:"" name:"COMMAND" help:"A command. Without it, the help of absolink itself is printed."`
}

// Run prints what --help prints after the command, and exits.
func (c *helpCommand) Run(ui *ui, parser *kong.Kong) error {
	args := []string{c.Command, "--help"}
	if c.Command == "" {
		args = args[1:]
	} else if selected(parser, args[:1]) != c.Command {
		ui.usagef("%s is not a command%s (absolink help lists them)", c.Command, resembles(parser, c.Command))
		return nil
	}
	_, err := parser.Parse(args)
	return err
}

// resembles returns the command that a name may be a slip for, as the end of a message;
// "" if there is none.
func resembles(parser *kong.Kong, name string) string {
	for _, command := range parser.Model.Children {
		if distance(strings.ToLower(name), command.Name) <= 1+len(command.Name)/5 {
			return fmt.Sprintf("; did you mean the command %s?", command.Name)
		}
	}
	return ""
}

// distance returns how many letters have to be added, removed, replaced or swapped with
// the next to make b of a. Names longer than a command's are far from all.
func distance(a, b string) int {
	if len(a) > 2*len(b) {
		return len(a)
	}
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := before
		before, row = row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(before[j+1]+1, row[j]+1, before[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], last[j-1]+1)
			}
		}
	}
	return row[len(b)]
}

type versionCommand struct{}

// Run prints the version.
func (versionCommand) Run(ui *ui) error {
	if _, err := fmt.Fprintln(ui.stdout, version()); err != nil {
		ui.cannotWriteOn(err)
	}
	return nil
}

// A versionFlag is --version.
type versionFlag bool

// BeforeReset prints the version, and exits.
func (versionFlag) BeforeReset(parser *kong.Kong) error {
	fmt.Fprintln(parser.Stdout, version())
	parser.Exit(exitDone)
	return nil
}

// release returns the version of the module that the build recorded, or devel.
func release() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return strings.TrimPrefix(info.Main.Version, "v")
}

// version returns the release, and the revision that the build recorded.
func version() string {
	text := "absolink " + release()
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return text
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			text += " " + s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			text += " (modified)"
		}
	}
	return text
}
