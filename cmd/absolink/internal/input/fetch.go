package input

import (
	"context"
	"errors"
	"io"
	"time"

	"absolink/cmd/absolink/internal/console"
	"absolink/internal/media"
	"absolink/internal/size"
)

// FetchOptions say how documents are retrieved.
type FetchOptions struct {
	UserAgent string        `placeholder:"TEXT" group:"advanced" help:"The User-Agent that servers are sent, instead of absolink/VERSION."`
	Timeout   time.Duration `placeholder:"TIME" default:"1m" group:"advanced" help:"How long the retrieval of one document may take, such as 30s (1m)."`
	MaxBody   size.Bytes    `placeholder:"SIZE" default:"256MiB" group:"advanced" help:"How long a retrieved document may be (${default})."`
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

// A Fetch retrieves the document at a URL. What may be imported without net/http is below the
// packages that have one.
type Fetch func(ctx context.Context, ui *console.UI, s *Settings, url string) (*Document, error)

// Takes reports whether something that was fetched is HTML, or a container, by its media
// type. A JSON Feed is also seen from what it begins with: servers send it as any other JSON.
func (d *Document) Takes(name, mediaType string) bool {
	if mediaType == media.JSON || mediaType == jsonFeedType {
		return SeenKind(d.Look(), name) != KindHTML
	}
	kind, ok := KindOfType(mediaType)
	return ok && kind != KindCSS && kind != KindArchive
}

// CannotReadOn says why reading has failed, and what to do about it where that is
// known.
func CannotReadOn(err error) string {
	switch {
	case console.LimitName(err) == "max-decoded":
		return err.Error() + " (--max-body raises the limit)"
	case errors.Is(err, context.DeadlineExceeded):
		return "the time is up (--timeout raises the limit)"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the body ends before it is whole"
	}
	return console.Cause(err).Error()
}
