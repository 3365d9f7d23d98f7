package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"absolink/resolver"
)

type resolveCommand struct {
	Profile resolver.Profile `placeholder:"PROFILE" default:"rfc1808" help:"The standard to resolve by: rfc1808 (the default), rfc3986 or whatwg."`
	Explain bool             `help:"Print the steps of the resolution, each with the value after it."`

	Base string   `arg:"" name:"BASE" help:"The base URL."`
	Refs []string `arg:"" optional:"" name:"REF" help:"References. Without any they are read from standard input, one a line, an empty line being the empty reference. One that begins with - goes after --."`
}

func (c *resolveCommand) Run(ui *ui) error {
	base, err := resolver.ParseBase(c.Base, c.Profile)
	if err != nil {
		ui.errorf("%v", err)
		return nil
	}
	out := bufio.NewWriter(ui.stdout)
	if len(c.Refs) > 0 {
		for _, ref := range c.Refs {
			c.resolve(ui, out, base, ref)
		}
	} else if err := c.resolveLines(ui, out, base); err != nil {
		ui.errorf("<stdin>: cannot read on: %v", err)
	}
	if err := out.Flush(); err != nil {
		ui.errorf("cannot write the output: %v", err)
	}
	return nil
}

func (c *resolveCommand) resolveLines(ui *ui, out *bufio.Writer, base *resolver.Base) error {
	in := bufio.NewReader(ui.stdin)
	for {
		line, err := in.ReadString('\n')
		if err == nil || line != "" {
			c.resolve(ui, out, base, strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"))
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if in.Buffered() == 0 {
			out.Flush() // whoever writes line by line may wait for the answer
		}
	}
}

// resolve prints one line, or the steps. The line of a reference that has no
// absolute form is empty.
func (c *resolveCommand) resolve(ui *ui, out io.Writer, base *resolver.Base, ref string) {
	url, err := base.Resolve(ref)
	if err != nil {
		ui.errorf("%v", err)
	}
	if !c.Explain {
		fmt.Fprintln(out, url)
		return
	}
	fmt.Fprintf(out, "%q on %s, by %s\n", ref, base, base.Profile())
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, step := range base.Explain(ref) {
		fmt.Fprintf(table, "  %s\t%s\t%s\n", step.Name, step.Value, step.Text)
	}
	table.Flush()
}
