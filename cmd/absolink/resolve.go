package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"absolink/cmd/absolink/internal/console"
	"absolink/internal/listing"
	"absolink/resolver"
)

type resolveCommand struct {
	Profile resolver.Profile `placeholder:"PROFILE" enum:"rfc1808,rfc3986,whatwg" default:"rfc1808" env:"ABSOLINK_PROFILE" group:"base" help:"The standard to resolve by: rfc1808 (the default), rfc3986 or whatwg." query:""`
	Explain bool             `group:"output" help:"Print the steps of the resolution, each with the value after it." query:""`

	URL  *string  `short:"u" placeholder:"URL" group:"base" help:"The base URL, as for other commands; then no BASE is given."`
	Base string   `arg:"" optional:"" name:"BASE" help:"The base URL."`
	Refs []string `arg:"" optional:"" name:"REF" help:"References. Without any, each line of standard input is a reference; an empty line is the empty reference. A REF that begins with - goes after --."`
}

func (c *resolveCommand) Run(ui *console.UI) error {
	switch {
	case c.URL != nil && c.Base != "": // the parser has taken the first REF for BASE
		c.Refs = append([]string{c.Base}, c.Refs...)
		c.Base = *c.URL
	case c.URL != nil:
		c.Base = *c.URL
	case c.Base == "":
		ui.Usagef("resolve: name the base URL, as in absolink resolve http://example.org/a/ ../b")
		return nil
	}
	base, err := resolver.ParseBase(resolver.Unwrap(c.Base), c.Profile)
	if err != nil {
		ui.Usagef("%v", err)
		return nil
	}
	out := bufio.NewWriter(ui.Stdout)
	for _, ref := range c.Refs {
		if c.resolve(ui, out, base, "", ref) != nil {
			break
		}
	}
	if len(c.Refs) == 0 {
		c.resolveLines(ui, out, base)
	}
	ui.Wrote(out.Flush())
	return nil
}

// resolveLines resolves the references in the lines of standard input, until out fails.
func (c *resolveCommand) resolveLines(ui *console.UI, out *bufio.Writer, base *resolver.Base) {
	in := bufio.NewReader(ui.Stdin)
	for n := 1; ; n++ {
		line, readErr := in.ReadString('\n')
		if readErr == nil || line != "" {
			ref := strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
			if c.resolve(ui, out, base, fmt.Sprintf("<stdin>:%d:1: ", n), ref) != nil {
				return
			}
		}
		if readErr != nil {
			if readErr != io.EOF {
				ui.Errorf("<stdin>:%d:%d: cannot read further: %v", n, len(line)+1, readErr)
			}
			return
		}
		if in.Buffered() == 0 && out.Flush() != nil { // a program that writes line by line may wait for the answer
			return
		}
	}
}

// resolve prints the absolute form of ref as one line, or the steps of its resolution.
// Where there is no absolute form the line is empty, and the reason goes to standard
// error, after where; the last of the steps gives the reason, too. It returns the error of
// out, which out keeps.
func (c *resolveCommand) resolve(ui *console.UI, out *bufio.Writer, base *resolver.Base, where, ref string) error {
	url, err := base.Resolve(ref)
	if c.Explain {
		if err != nil {
			ui.Code = console.ExitNotDone
		}
		return printSteps(out, base, ref)
	}
	if err == nil && strings.ContainsAny(url, "\r\n") {
		url, err = "", fmt.Errorf("reference %.200q: a line cannot hold the line break of its absolute form; --explain shows it", ref)
	}
	if err != nil {
		ui.Errorf("%s%v", where, err)
	}
	_, err = fmt.Fprintln(out, url)
	return err
}

// printSteps prints a table, its columns as wide as their widest cells. It returns the first
// error of out: a bufio.Writer returns its first error again at each later write.
func printSteps(out *bufio.Writer, base *resolver.Base, ref string) error {
	fmt.Fprintf(out, "%q on %s, by %s\n", ref, printable(base.String()), base.Profile())
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, s := range base.Explain(ref) {
		fmt.Fprintf(table, "  %s\t%s\t%s\n", s.Name, printable(s.Value), s.Text)
	}
	return table.Flush()
}

// printable returns s, in quotes if it would not stay in its line or cell.
func printable(s string) string {
	if listing.Visible(s) != s {
		return fmt.Sprintf("%q", s)
	}
	return s
}
