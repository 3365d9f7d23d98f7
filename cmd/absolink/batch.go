package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/input"
	"absolink/cmd/absolink/internal/outfile"
	"absolink/rewriter"
)

// batchOptions are the options for many FILEs.
type batchOptions struct {
	Manifest     string `placeholder:"LIST" group:"input" help:"Read the names of more FILEs from LIST, one per line; a line that begins with # is a comment, and - is standard input. A tab and the URL that the FILE was retrieved from may follow, unless the FILE is an archive."`
	Shard        shard  `placeholder:"I/N" group:"advanced" help:"Of all FILEs, take the Ith and every Nth after it: job I of N jobs, which are numbered from 1."`
	SkipExisting bool   `group:"output" help:"Leave out FILEs whose output exists already."`
	Jobs         int    `short:"j" placeholder:"N" group:"input" help:"How many FILEs, or pages of an archive, to work on at a time. By default one for each processor."`
}

func (o *batchOptions) check(output string) error {
	switch {
	case output == "":
		return errors.New("--output has an empty name; give it a FILE, or - for standard output")
	case o.Jobs < 0 || o.Jobs > console.MaxJobs:
		return console.ErrJobs
	case o.SkipExisting && outfile.IsStdout(output):
		return errors.New("--skip-existing needs an --output, which may exist")
	}
	return nil
}

// A shard is a part of the inputs, such as 3 of 8. The zero value is all of them.
type shard struct{ number, of int }

func (s *shard) UnmarshalText(text []byte) error {
	var rest string
	if n, _ := fmt.Sscanf(string(text)+" ", "%d/%d%s", &s.number, &s.of, &rest); n != 2 || s.number < 1 || s.number > s.of {
		return fmt.Errorf("%q is not I/N with 1 ≤ I ≤ N, such as 3/8", text)
	}
	return nil
}

// take returns the entries that are part of the shard, in the memory of all entries.
func (s shard) take(entries []input.Entry) []input.Entry {
	if s.of == 0 {
		return entries
	}
	mine := entries[:0]
	for i, e := range entries {
		if i%s.of == s.number-1 {
			mine = append(mine, e)
		}
	}
	return mine
}

// A plan is what a run reads, and where it writes.
type plan struct {
	entries []input.Entry
	output  string // of all entries together; where dir is set, the directory with a file for each
	dir     bool
	suffix  string // what the names of the files in the directory end in
}

// plan returns the plan of this run. The directory for its output is there then. Where
// plan is not ok, it has said why, and nothing is done.
func (o *batchOptions) plan(ui *console.UI, files []string, output, suffix string, check func(input.Entry) error) (p *plan, ok bool) {
	p = &plan{entries: input.EntriesOf(files), output: output, dir: strings.HasSuffix(output, "/") || strings.HasSuffix(output, string(filepath.Separator)), suffix: suffix}
	if o.Manifest != "" {
		entries, ok := o.readManifest(ui, check)
		if !ok {
			return nil, false
		}
		p.entries = append(p.entries, entries...)
	}
	if info, err := os.Stat(output); err == nil && info.IsDir() && !outfile.IsStdout(output) {
		p.dir = true
	}
	if err := p.check(); err != nil {
		ui.Usagef("%v", err)
		return nil, false
	}
	if p.dir {
		if err := os.MkdirAll(output, 0o777); err != nil {
			ui.Errorf("%s: cannot make the directory: %v", output, console.Cause(err))
			return nil, false
		}
	}
	p.entries = o.Shard.take(p.entries)
	return p, true
}

// check refuses entries that would be written to the same file, or read twice from
// standard input.
func (p *plan) check() error {
	from := map[string]int{} // the entry that an output is of
	stdin := false
	for i, e := range p.entries {
		switch {
		case e.Name != "-":
		case stdin:
			return errors.New("<stdin>: is named twice; standard input can be read once")
		case p.dir:
			return errors.New("<stdin>: has no name to be written under; give --output a file")
		default:
			stdin = true
		}
		if !p.dir {
			continue
		}
		name := outfile.FileName(e.Name)
		if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
			name = strings.ToLower(name) // a.html and A.html are usually one file there
		}
		if other, ok := from[name]; ok {
			return fmt.Errorf("%s and %s would both be written to %s; write one of them elsewhere, in a run of its own",
				console.InputName(p.entries[other].Name), console.InputName(e.Name), p.to(e))
		}
		from[name] = i
	}
	return nil
}

// to returns the name of the output of an entry.
func (p *plan) to(e input.Entry) string {
	if !p.dir {
		return p.output
	}
	return filepath.Join(p.output, outfile.FileName(e.Name)+p.suffix)
}

// A batch is the inputs whose results go into one output.
type batch struct {
	inputs  []input.Entry
	output  string
	reading string // the input that is being read
}

func (p *plan) count() int {
	if p.dir {
		return len(p.entries)
	}
	return min(len(p.entries), 1)
}

func (p *plan) batch(i int) *batch {
	if p.dir {
		return &batch{inputs: p.entries[i : i+1], output: p.to(p.entries[i])}
	}
	return &batch{inputs: p.entries, output: p.output}
}

// overwrites returns an error if the output of a batch is also one of its inputs.
func (b *batch) overwrites() error {
	info, err := os.Stat(b.output)
	if err != nil {
		return nil
	}
	for _, e := range b.inputs {
		if in, err := os.Stat(e.Name); err == nil && os.SameFile(in, info) {
			b.reading = e.Name
			return errors.New("is both read and written; give --output another name")
		}
	}
	return nil
}

// write writes a batch to its output, with a buffer, unless the options leave it out.
func (o *batchOptions) write(ui *console.UI, b *batch, write func(w io.Writer) error) error {
	if o.SkipExisting && outfile.IsFile(b.output) {
		ui.Progress.Add(len(b.inputs))
		return nil
	}
	if err := b.overwrites(); err != nil {
		return err
	}
	return outfile.WriteOutput(ui, b.output, func(w io.Writer) error {
		out := bufio.NewWriterSize(w, 256<<10)
		if err := write(out); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return &rewriter.Error{Op: "write", Err: err}
		}
		return nil
	})
}

func openFile(ui *console.UI, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(ui.Stdin), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, console.Cannot("open", name, err)
	}
	return f, nil
}
