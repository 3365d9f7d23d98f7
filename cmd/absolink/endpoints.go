package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/input"
	"absolink/cmd/absolink/internal/serve"
	"absolink/cmd/absolink/internal/view"
	"absolink/internal/coding"
	"absolink/internal/listing"
	"absolink/internal/media"
	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/warc"
)

// endpoints answer the requests for documents.
type endpoints struct {
	fetches input.FetchOptions
	fetch   input.Fetch  // nil where nothing is fetched
	parsed  sync.Map     // of *queryOptions, by path and query
	count   atomic.Int32 // how many are in parsed
}

const linesType = "application/jsonl"

// A requestDocument is the document that a request sends or names.
type requestDocument struct {
	*input.Document
	options   *queryOptions
	mediaType string // of the Content-Type that says what it is; "" where that is seen from it
	isArchive bool
}

// with opens the document of a request, and has do work on it. more are the names of
// parameters that this endpoint has and others have not.
func (e *endpoints) with(ctx context.Context, x *serve.Exchange, do func(*requestDocument) error, more ...string) error {
	urls := x.Query["url"]
	delete(x.Query, "url")
	if len(urls) > 1 {
		return badRequest("the parameter url is given %d times", len(urls))
	}
	options, err := e.options(x, more)
	if problem := (*serve.Problem)(nil); errors.As(err, &problem) && strings.Contains(strings.Join(urls, ""), "?") {
		return badRequest("%s (if it belongs to the url: there, & is written %%26)", problem.Detail)
	}
	if err != nil {
		return err
	}
	d := &requestDocument{options: options}
	if x.Request.Method == http.MethodPost {
		err = d.openPosted(ctx, x, urls)
	} else {
		err = e.openFetched(ctx, x, d, urls)
	}
	if err != nil {
		return err
	}
	defer d.Close()
	return do(d)
}

// openPosted opens the document in the body of a request.
func (d *requestDocument) openPosted(ctx context.Context, x *serve.Exchange, urls []string) (err error) {
	contentType := strings.Join(x.Request.Header.Values("Content-Type"), ", ")
	mediaType, charset := media.ContentType(contentType)
	said := d.options.Kind
	if said == "" {
		var ok bool
		if said, ok = bodyKind(x); !ok {
			return serve.Problemf(http.StatusUnsupportedMediaType, "the body is %s, not %s (type=%s takes it for one)", mediaType, input.KindWords, input.KindHTML)
		}
		if said != "" && said != input.KindArchive {
			d.mediaType = contentType
		}
	}
	var outer *resolver.Base
	if len(urls) > 0 {
		if outer, err = d.options.ParseOption(urls[0]); outer == nil {
			return badRequest("url: %v", err)
		}
	}
	if d.Document, err = d.options.Open(ctx, &console.UI{Stdin: x.Body, Stderr: io.Discard}, input.Entry{Name: "-"}, outer); err != nil {
		return err
	}
	d.Charset = cmp.Or(d.Charset, charset)
	d.Origin = "url"
	d.Name = cmp.Or(strings.Join(urls, ""), "<body>")
	d.isArchive = said == input.KindArchive || said == "" && warc.Is(d.Look(), "")
	if !d.isArchive {
		d.Kind = said
	}
	return nil
}

// openFetched opens the document that a request names. An archive is refused, as everywhere
// that documents are fetched.
func (e *endpoints) openFetched(ctx context.Context, x *serve.Exchange, d *requestDocument, urls []string) (err error) {
	switch {
	case strings.Join(urls, "") == "":
		return badRequest("the parameter url is missing: it names the document to fetch, as in %s?url=https://example.org/; a document of your own is sent with POST", x.Request.URL.Path)
	case e.fetch == nil:
		return serve.Problemf(http.StatusForbidden, "nothing is fetched here; POST the document, or start the server with --fetch")
	case !serve.LocalHost(x.Request):
		return serve.Problemf(http.StatusForbidden, "nothing is fetched for requests to %s: only to localhost or to an address", x.Request.Host)
	case !console.IsURL(urls[0]):
		return badRequest("url: %.200q cannot be fetched: it does not begin with http:// or https://", listing.WithoutLogin(urls[0]))
	}
	d.Document, err = d.options.Open(ctx, &console.UI{Stderr: io.Discard}, input.Entry{Name: urls[0]}, nil)
	if err != nil {
		return serve.FetchProblem(ctx, err)
	}
	d.Name = listing.WithoutLogin(urls[0])
	return nil
}

// contentType returns the Content-Type of a document that is rewritten.
func (d *requestDocument) contentType() string {
	d.Recognize() // its error comes again from rewrite
	if d.mediaType == "" && d.Charset != "" && !d.Kind.IsContainer() {
		return d.Kind.MediaType() + "; charset=" + d.Charset
	}
	return cmp.Or(d.mediaType, d.Kind.MediaType())
}

func (e *endpoints) rewrite(ctx context.Context, x *serve.Exchange) error {
	return e.with(ctx, x, func(d *requestDocument) error {
		if d.isArchive {
			return d.convert(ctx, x)
		}
		x.Type = d.contentType()
		result, err := d.Document.Rewrite(x, rewriter.Hooks{Warn: x.Warn})
		d.done(x, &result)
		return d.problem(err)
	})
}

// done says what was done. A container has several bases, which /base shows.
func (d *requestDocument) done(x *serve.Exchange, r *rewriter.Result) {
	x.Result = r
	if r.Base.URL != nil && !d.Kind.IsContainer() {
		x.Origin = view.LayerOf(r.Base, d.Document).Origin()
	}
}

// problem returns the problem with a document that could not be read to its end.
func (d *requestDocument) problem(err error) error {
	var e *rewriter.Error
	switch {
	case err == nil || errors.As(err, new(*serve.Problem)):
		return err
	case !errors.As(err, &e): // the document was refused
		return serve.Problemf(http.StatusUnsupportedMediaType, "the body %v", err)
	case e.Op == "read" && d.URL != "":
		return serve.Problemf(http.StatusBadGateway, "cannot be fetched to its end: %s", input.CannotReadOn(e.Err))
	}
	return err
}

// archives returns a rewriter of archives, which tells x of limits.
func (d *requestDocument) archives(x *serve.Exchange) *warc.Rewriter {
	return &warc.Rewriter{HTML: d.Settings.HTML.With(rewriter.Hooks{Warn: x.Warn}), Jobs: 1}
}

// convert writes an archive with a conversion record for each page, compressed as the
// archive is that came.
func (d *requestDocument) convert(ctx context.Context, x *serve.Exchange) error {
	r := d.archives(x)
	r.Output = warc.None
	switch c, ok := coding.Magic(d.Look()); {
	case ok && c == coding.Gzip:
		r.Output = warc.Gzip
	case ok:
		r.Output = warc.Zstd
	}
	x.Type = input.ArchiveType
	id, err := r.WriteInfo(x, "", "absolink/"+console.Release())
	if err != nil {
		return err
	}
	r.Info = id
	summary, err := r.Convert(ctx, x, d.Reader)
	return d.archived(x, summary, err)
}

// archived takes what a run over an archive has counted: what is damaged counts as warnings.
func (d *requestDocument) archived(x *serve.Exchange, summary warc.Summary, err error) error {
	x.Result = &summary.Places
	x.Result.Warnings += int(summary.Failed + max(summary.Damaged, summary.Damages))
	if err == nil && summary.Records == 0 {
		return serve.Problemf(http.StatusUnsupportedMediaType, "the body: %v", errNoRecord)
	}
	return err
}

func (e *endpoints) list(ctx context.Context, x *serve.Exchange) error {
	return e.with(ctx, x, func(d *requestDocument) error {
		types := map[string]string{"jsonl": linesType, "csv": "text/csv; charset=utf-8", "text": "text/plain; charset=utf-8"}
		x.Type = types[d.options.format]
		format := view.Formats[d.options.format]
		line := listing.NewBuffer(x)
		format.Begin(line, false)
		if d.isArchive {
			if err := line.Flush(); err != nil {
				return err
			}
			return d.listPages(ctx, x, format)
		}
		visit := func(p *rewriter.Place) error {
			at := func(offset int64) string { return fmt.Sprintf("%s:%d", d.Name, offset) }
			format.Add(line, view.Listed{Place: listing.Place{Place: p, File: d.Name}, At: at})
			return line.Flush()
		}
		result, err := d.Document.Rewrite(nil, rewriter.Hooks{Visit: visit, Warn: x.Warn, Text: true})
		d.done(x, &result)
		return cmp.Or(d.problem(err), line.Flush())
	}, "format")
}

// listPages lists the places in the pages of an archive.
func (d *requestDocument) listPages(ctx context.Context, x *serve.Exchange, format view.Format) error {
	r := d.archives(x)
	r.HTML = r.HTML.With(rewriter.Hooks{Warn: x.Warn, Text: true})
	summary, err := r.List(ctx, x, d.Reader, func(b []byte, page *warc.Page, p *rewriter.Place) []byte {
		return format.Append(b, view.Listed{Place: listing.Place{Place: p, File: d.Name, Page: page}})
	})
	return d.archived(x, summary, err)
}

func (e *endpoints) base(ctx context.Context, x *serve.Exchange) error {
	return e.with(ctx, x, func(d *requestDocument) error {
		if d.isArchive {
			return serve.Problemf(http.StatusUnsupportedMediaType, "each page in an archive has a base of its own; list shows the links")
		}
		x.Type = linesType
		var failed error
		show := func(doc *rewriter.Document) {
			failed = errors.Join(failed, console.WriteJSON(x, view.BaseOf(doc, d.Document)))
		}
		result, err := d.Document.Rewrite(nil, rewriter.Hooks{Warn: x.Warn, End: show})
		d.done(x, &result)
		return cmp.Or(d.problem(err), failed)
	})
}

func (e *endpoints) view(ctx context.Context, x *serve.Exchange) error {
	name := x.Query.Get("name")
	delete(x.Query, "name")
	return e.with(ctx, x, func(d *requestDocument) error {
		if d.isArchive {
			return serve.Problemf(http.StatusUnsupportedMediaType, input.WebArchive)
		}
		d.Name = cmp.Or(name, d.Name)
		v := view.NewBuilder(d.Document)
		result, err := d.Document.Rewrite(&v.After, rewriter.Hooks{Visit: v.Visit, Warn: x.Warn, End: v.End})
		x.Type, x.Result = "application/json", &result
		shown, err := v.Finish(err)
		if status, message := view.Refusal(err); status != 0 {
			return serve.Problemf(status, "%s", message)
		}
		if err != nil {
			return d.problem(err)
		}
		return shown.Write(x)
	})
}

// maxReference is how long a reference in a body may be.
const maxReference = 1 << 20

func (e *endpoints) resolve(_ context.Context, x *serve.Exchange) error {
	bases, refs := x.Query["base"], x.Query["ref"]
	delete(x.Query, "base")
	delete(x.Query, "ref")
	var options struct {
		Profile resolver.Profile `default:"rfc1808" env:"ABSOLINK_PROFILE" query:""`
		Explain bool             `query:""`
	}
	if err := parseQuery(&options, x.Query); err != nil {
		return err
	}
	if len(bases) != 1 {
		return badRequest("the parameter base has to be given once")
	}
	base, err := resolver.ParseBase(resolver.Unwrap(bases[0]), options.Profile)
	if err != nil {
		return badRequest("base: %v", err)
	}
	x.Type = linesType
	out := listing.NewBuffer(x)
	print := func(ref string) error {
		view.AddResolution(out, base, ref, options.Explain)
		out.Add("\n")
		return out.Flush()
	}
	for _, ref := range refs {
		if err := print(ref); err != nil {
			return err
		}
	}
	if x.Request.Method != http.MethodPost {
		return nil
	}
	lines := bufio.NewScanner(x.Body)
	lines.Buffer(nil, maxReference)
	for lines.Scan() {
		if err := print(lines.Text()); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return serve.Problemf(http.StatusRequestEntityTooLarge, "a reference is longer than %d bytes", maxReference)
	}
	return lines.Err()
}
