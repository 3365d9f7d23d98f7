package main

import (
	"fmt"

	"github.com/alecthomas/kong"

	"absolink/cmd/absolink/internal/console"
)

type versionCommand struct{}

func (versionCommand) Run(ui *console.UI) error {
	_, err := fmt.Fprintln(ui.Stdout, console.Version())
	ui.Wrote(err)
	return nil
}

// A versionFlag is --version.
type versionFlag bool

// BeforeReset prints the version, and exits.
func (versionFlag) BeforeReset(parser *kong.Kong) error {
	_, err := fmt.Fprintln(parser.Stdout, console.Version())
	if err == nil {
		parser.Exit(console.ExitDone)
	}
	return err
}
