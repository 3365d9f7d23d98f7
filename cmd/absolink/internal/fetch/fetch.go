// Package fetch retrieves documents from the web.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/input"
	"absolink/internal/listing"
	"absolink/rewriter/web"
)

// By returns what retrieves documents with a transport; nil is the usual one.
func By(transport http.RoundTripper) input.Fetch {
	return func(ctx context.Context, ui *console.UI, s *input.Settings, name string) (*input.Document, error) {
		return get(ctx, ui, s, name, transport)
	}
}

func get(ctx context.Context, ui *console.UI, s *input.Settings, name string, transport http.RoundTripper) (*input.Document, error) {
	o := &s.Fetches
	client := &web.Client{
		Transport: transport, UserAgent: o.UserAgent, Timeout: o.Timeout, MaxDecoded: int64(o.MaxBody),
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
		return nil, cannotFetch(o, name, err)
	}
	mediaType, charset := web.MediaType(resp.Header)
	d := &input.Document{Settings: s, Reader: resp.Body, Closer: resp.Body, URL: web.BaseURL(resp.Request.URL), Charset: charset, Fields: resp.Header.Values("Base")}
	if s.Kind == "" && !d.Takes(name, mediaType) {
		resp.Body.Close()
		return nil, fmt.Errorf("is %s, not %s (--type says that it is)", mediaType, input.KindWords)
	}
	return d, nil
}

// cannotFetch returns the error for a document that cannot be fetched. Where another
// URL than the one that was asked for is at fault, the error names that URL.
func cannotFetch(o *input.FetchOptions, name string, err error) error {
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
