package main

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"

	"absolink/cmd/absolink/internal/console"
)

type versionCommand struct{}

func (versionCommand) Run(ui *console.UI) error {
	if _, err := fmt.Fprintln(ui.Stdout, version()); err != nil {
		ui.CannotWriteOn(err)
	}
	return nil
}

// A versionFlag is --version.
type versionFlag bool

// BeforeReset prints the version, and exits.
func (versionFlag) BeforeReset(parser *kong.Kong) error {
	_, err := fmt.Fprintln(parser.Stdout, version())
	if err == nil {
		parser.Exit(console.ExitDone)
	}
	return err
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
