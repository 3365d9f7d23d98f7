package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// batchOptions spread archives over several jobs, which write different files.
type batchOptions struct {
	Manifest     string `placeholder:"LIST" help:"Read the names of more FILEs from LIST, one a line; - is standard input."`
	Shard        shard  `placeholder:"I/N" help:"Of all FILEs, take the Ith and every Nth after it: job I of N jobs, which are numbered from 1."`
	SkipExisting bool   `help:"Leave out FILEs whose output exists already."`
}

// A shard is a part of the inputs, such as 3 of 8. The zero value is all of them.
type shard struct{ number, of int }

// UnmarshalText reads "number/of".
func (s *shard) UnmarshalText(text []byte) error {
	var rest string
	if n, _ := fmt.Sscanf(string(text)+" ", "%d/%d%s", &s.number, &s.of, &rest); n != 2 || s.number < 1 || s.number > s.of {
		return fmt.Errorf("%q is no I/N with 1 ≤ I ≤ N, as 3/8", text)
	}
	return nil
}

// A batch is the inputs whose results go into one output.
type batch struct {
	inputs  []string
	output  string
	reading string // the input that is being read
}

// batches returns the batches of this job. Where output is a directory, each input is
// written to a file there, with its own name and the suffix.
func (o *batchOptions) batches(ui *ui, files []string, output, suffix string) ([]*batch, error) {
	files, err := o.inputs(ui, files)
	if err != nil {
		return nil, err
	}
	dir := strings.HasSuffix(output, "/") || strings.HasSuffix(output, string(filepath.Separator))
	if info, err := os.Stat(output); err == nil && info.IsDir() {
		dir = true
	} else if dir {
		return nil, fmt.Errorf("%s: no such directory; make it first", output)
	}
	if !dir {
		return o.left([]*batch{{inputs: o.shard(files), output: output}})
	}
	var batches []*batch
	from := map[string]string{} // the input of an output
	for _, name := range files {
		if name == "-" {
			return nil, errors.New("<stdin>: has no name to be written by; give --output a file")
		}
		to := filepath.Join(output, filepath.Base(inputName(name))+suffix)
		if other, ok := from[to]; ok {
			return nil, fmt.Errorf("%s and %s would both be written to %s; name one otherwise", other, name, to)
		}
		from[to] = name
		batches = append(batches, &batch{inputs: []string{name}, output: to})
	}
	var mine []*batch
	for i, b := range batches {
		if o.Shard.takes(i) {
			mine = append(mine, b)
		}
	}
	return o.left(mine)
}

// inputs returns the files, and after them those that the manifest names.
func (o *batchOptions) inputs(ui *ui, files []string) ([]string, error) {
	if o.Manifest == "" {
		return files, nil
	}
	f, err := openFile(ui, o.Manifest)
	if err != nil {
		return nil, fmt.Errorf("%s", describe(o.Manifest, "", err))
	}
	defer f.Close()
	files = append([]string{}, files...)
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if line := strings.TrimRight(lines.Text(), "\r"); line != "" {
			files = append(files, line)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: cannot read on: %v", inputName(o.Manifest), cause(err))
	}
	return files, nil
}

// takes reports whether the input with an index is part of the shard.
func (s shard) takes(index int) bool { return s.of == 0 || index%s.of == s.number-1 }

// shard returns the files that this job takes.
func (o *batchOptions) shard(files []string) (mine []string) {
	for i, name := range files {
		if o.Shard.takes(i) {
			mine = append(mine, name)
		}
	}
	return mine
}

// left returns the batches that are still to be written. One whose output is its own
// input is an error.
func (o *batchOptions) left(batches []*batch) (left []*batch, err error) {
	for _, b := range batches {
		info, err := os.Stat(b.output)
		if err == nil && o.SkipExisting && info.Mode().IsRegular() {
			continue
		}
		for _, name := range b.inputs {
			if in, inErr := os.Stat(name); err == nil && inErr == nil && os.SameFile(in, info) {
				return nil, fmt.Errorf("%s: is both read and written; give --output another name", name)
			}
		}
		if len(b.inputs) > 0 {
			left = append(left, b)
		}
	}
	return left, nil
}

// write writes a batch to its output, with a buffer.
func (b *batch) write(ui *ui, write func(w io.Writer) error) error {
	return writeOutput(ui, b.output, func(w io.Writer) error {
		out := bufio.NewWriterSize(w, 256<<10)
		if err := write(out); err != nil {
			return err
		}
		return out.Flush()
	})
}

// openFile opens a file, or standard input.
func openFile(ui *ui, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(ui.stdin), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, cannot("open", name, err)
	}
	return f, nil
}
