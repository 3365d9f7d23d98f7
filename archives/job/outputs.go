package job

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"absolink/internal/coding"
	"absolink/internal/conversion"
	"absolink/rewriter"
	"absolink/rewriter/warc"
)

// An archive is a web archive in an input, which is read any number of times.
type archive struct {
	name string // in a WACZ, after a colon; "" for the input itself
	open func() (io.ReadCloser, error)
	file *os.File // the input, for --replace
}

// open opens an input, which has to begin like an archive: all archives in it, if it is a
// WACZ.
func (w *Worker) open(ctx context.Context, t Task, src *Source) (archives []archive, close func(), err error) {
	start := make([]byte, 4096)
	n, err := src.ReadAt(ctx, start, 0)
	if err != nil && err != io.EOF {
		return nil, nil, err
	}
	packed := bytes.HasPrefix(start[:n], []byte("PK\x03\x04"))
	if !packed && !warc.Is(start[:n], t.Name) {
		return nil, nil, errNoRecord
	}
	var file *os.File
	if packed || w.options.Replace {
		if file, err = src.File(ctx); err != nil {
			return nil, nil, err
		}
	}
	close = func() { file.Close() } // or of no file
	if !packed {
		return []archive{{"", func() (io.ReadCloser, error) { return src.whole(ctx) }, file}}, close, nil
	}
	files, err := warc.Archives(file, src.Size)
	for _, f := range files {
		archives = append(archives, archive{":" + f.Name, func() (io.ReadCloser, error) { return io.NopCloser(f.Reader()), nil }, nil})
	}
	if err != nil {
		close()
	}
	return archives, close, err
}

// rewriter returns a rewriter of an archive. It gives the same bytes each time.
func (w *Worker) rewriter(t Task, a archive, run *Report) *warc.Rewriter {
	warn := func(offset int64, err error) {
		if page, ok := errors.AsType[*warc.PageError](err); ok {
			offset = page.Record
		}
		run.warn(offset, err)
	}
	r := &warc.Rewriter{HTML: w.html.With(rewriter.Hooks{Warn: warn}), Level: w.options.Level, Seed: w.seed(t.Name + a.name)}
	_, r.Output = compression(t.Name)
	return r
}

// compression returns the name of an archive that is written, and how to compress it:
// as its name says. An archive of another kind becomes one with gzip.
func compression(name string) (string, warc.Compression) {
	switch lower := strings.ToLower(name); {
	case strings.HasSuffix(lower, ".warc.zst"):
		return name, warc.Zstd
	case strings.HasSuffix(lower, ".warc"):
		return name, warc.None
	case strings.HasSuffix(lower, ".warc.gz"):
		return name, warc.Gzip
	}
	return name + ".warc.gz", warc.Gzip
}

// A product is a file that a job makes of each archive.
type product struct {
	key  string // the name of the file
	kind string // of the parts of the file that are made of parts of the archive

	// begin begins the file. Close ends the file, and leaves dst open. info is the id of
	// the warcinfo record, which the records in the file refer to.
	begin func(dst io.Writer) (f io.WriteCloser, info string, err error)

	// write writes what is in an archive, or in a part of one.
	write func(ctx context.Context, c *warc.Rewriter, a archive, f io.Writer, src io.Reader) (warc.Summary, error)
}

// products returns the products of an archive, in the order of a report.
func (w *Worker) products(t Task) (all []product) {
	name, _ := compression(t.Name)
	if w.options.List != "" {
		all = append(all, w.list(t))
	}
	if w.options.Convert {
		all = append(all, w.converted(t, name))
	}
	if w.options.Replace {
		all = append(all, replaced(name))
	}
	return all
}

// list is the list of the links.
func (w *Worker) list(t Task) product {
	return product{
		key:   "list/" + t.Name + "." + w.options.List,
		kind:  "rows",
		begin: w.rows,
		write: func(ctx context.Context, c *warc.Rewriter, a archive, f io.Writer, src io.Reader) (warc.Summary, error) {
			hooks := c.HTML.Hooks()
			hooks.Text = true
			c.HTML = c.HTML.With(hooks)
			return c.List(ctx, f, src, w.row(shown(t.Input)+a.name))
		},
	}
}

// converted is a warcinfo record and the conversion records of the pages.
func (w *Worker) converted(t Task, name string) product {
	return product{
		key:  "converted/" + name,
		kind: "converted",
		begin: func(dst io.Writer) (io.WriteCloser, string, error) {
			info, err := w.rewriter(Task{Input: t.Input, Name: name}, archive{}, new(Report)).WriteInfo(dst, name, conversion.Software)
			return coding.Plain(dst), info, err
		},
		write: func(ctx context.Context, c *warc.Rewriter, _ archive, f io.Writer, src io.Reader) (warc.Summary, error) {
			return c.Convert(ctx, f, src)
		},
	}
}

// replaced is the whole archive with the pages in it rewritten.
func replaced(name string) product {
	return product{
		key:   "replaced/" + name,
		begin: func(dst io.Writer) (io.WriteCloser, string, error) { return coding.Plain(dst), "", nil },
		write: func(ctx context.Context, c *warc.Rewriter, a archive, f io.Writer, _ io.Reader) (warc.Summary, error) {
			if a.file == nil {
				return warc.Summary{}, errors.New("is a WACZ file, which is only read; leave out --replace")
			}
			return c.Replace(ctx, f, a.file)
		},
	}
}

// make writes the file of a product. content writes what follows the beginning.
func (w *Worker) make(ctx context.Context, p product, r *Report, content func(f io.Writer, info string) error) error {
	o, err := w.out.Write(ctx, p.key, func(dst io.Writer) error {
		f, info, err := p.begin(dst)
		if err != nil {
			return err
		}
		if err := content(f, info); err != nil {
			return err
		}
		return f.Close()
	})
	r.Outputs = append(r.Outputs, o)
	return err
}

// whole does an archive, without its report.
func (w *Worker) whole(ctx context.Context, t Task, src *Source) (*Report, error) {
	archives, close, err := w.open(ctx, t, src)
	if err != nil {
		return nil, err
	}
	defer close()
	r := new(Report)
	for _, p := range w.products(t) {
		run := new(Report)
		err := w.make(ctx, p, r, func(f io.Writer, info string) error {
			for _, a := range archives {
				c := w.rewriter(t, a, run)
				c.Info = info
				in, err := a.open()
				if err != nil {
					return err
				}
				s, err := p.write(ctx, c, a, f, in)
				in.Close()
				run.Counts.add(countsOf(&s))
				if err != nil {
					return &offsetError{s.End, err}
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if err := r.take(run); err != nil {
			return nil, err
		}
	}
	return r, nil
}
