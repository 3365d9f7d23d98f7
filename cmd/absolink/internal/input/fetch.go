package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/serve"
	"absolink/internal/listing"
	"absolink/internal/media"
	"absolink/internal/size"
	"absolink/rewriter/web"
)

// FetchOptions say how documents are retrieved.
type FetchOptions struct {
	UserAgent string        `placeholder:"TEXT" group:"advanced" help:"The User-Agent that servers are sent, instead of absolink/VERSION."`
	Timeout   time.Duration `placeholder:"TIME" default:"1m" group:"advanced" help:"How long the retrieval of one document may take, such as 30s (1m)."`
	MaxBody   size.Bytes    `placeholder:"SIZE" default:"256MiB" group:"advanced" help:"How long a retrieved document may be (${default})."`

	Transport http.RoundTripper `kong:"-"` // of requests; nil is the usual one
}

func (o *FetchOptions) Check() error {
	switch {
	case o.Timeout <= 0:
		return errors.New("--timeout takes a time above 0, such as 30s")
	case o.MaxBody <= 0:
		return errors.New("--max-body takes a number of bytes above 0")
	}
	return nil
}

func (s *Settings) fetch(ctx context.Context, ui *console.UI, name string) (*Document, error) {
	o := &s.fetches
	client := &web.Client{
		Transport: o.Transport, UserAgent: o.UserAgent, Timeout: o.Timeout, MaxDecoded: int64(o.MaxBody),
		Warn: func(_ int64, err error) { ui.Warnf("%s: %v", console.InputName(name), err) },
	}
	if o.UserAgent == "" {
		client.UserAgent = "absolink/" + console.Release()
	}
	if listing.HasOddPort(name) {
		return nil, fmt.Errorf("cannot be fetched: %w", console.ErrOddPort)
	}
	resp, err := client.Get(ctx, name)
	if err != nil {
		return nil, o.cannotFetch(name, err)
	}
	mediaType, charset := web.MediaType(resp.Header)
	d := &Document{Settings: s, Reader: resp.Body, Closer: resp.Body, URL: web.BaseURL(resp.Request.URL), Charset: charset, fields: resp.Header.Values("Base")}
	if s.Kind == "" && !d.takes(name, mediaType) {
		resp.Body.Close()
		return nil, fmt.Errorf("is %s, not %s (--type says that it is)", mediaType, KindWords)
	}
	return d, nil
}

// takes reports whether something that was fetched is HTML, or a container, by its media
// type. A JSON Feed is also seen from what it begins with: servers send it as any other JSON.
func (d *Document) takes(name, mediaType string) bool {
	if mediaType == media.JSON || mediaType == jsonFeedType {
		return SeenKind(d.Look(), name) != KindHTML
	}
	kind, ok := KindOfType(mediaType)
	return ok && kind != KindCSS && kind != KindArchive
}

// cannotFetch returns the error for a document that cannot be fetched. Where another
// URL than the one that was asked for is at fault, the error names that URL.
func (o *FetchOptions) cannotFetch(name string, err error) error {
	if status, ok := errors.AsType[*web.StatusError](err); ok && listing.WithoutLogin(status.URL) != listing.WithoutLogin(name) {
		return fmt.Errorf("cannot be fetched: %w at %s", err, listing.WithoutLogin(status.URL))
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return lateError(o.Timeout)
	}
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err
	}
	return fmt.Errorf("cannot be fetched: %w", err)
}

// A lateError says that a document did not come in time. It is context.DeadlineExceeded.
type lateError time.Duration

func (e lateError) Error() string {
	return fmt.Sprintf("cannot be fetched within %v (--timeout raises the limit)", time.Duration(e))
}

func (e lateError) Unwrap() error { return context.DeadlineExceeded }

// CannotReadOn says why reading has failed, and what to do about it where that is
// known.
func CannotReadOn(err error) string {
	switch {
	case serve.LimitName(err) == "max-decoded":
		return err.Error() + " (--max-body raises the limit)"
	case errors.Is(err, context.DeadlineExceeded):
		return "the time is up (--timeout raises the limit)"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the body ends before it is whole"
	}
	return console.Cause(err).Error()
}
