package serve

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"
)

// A record is what is logged of a request.
type record struct {
	http.ResponseWriter
	status int
	bytes  int64
	err    error    // why it could not be done
	limits []string // the names of those that its document has met
}

// WriteHeader implements [http.ResponseWriter]. A response without Content-Type stays so:
// net/http would guess one from what is written, after a proxy has decided that the response
// is not a page.
func (r *record) WriteHeader(status int) {
	if h := r.Header(); status >= 200 && len(h["Content-Type"]) == 0 {
		h["Content-Type"] = nil
	}
	if r.status == 0 && status >= 200 || status == http.StatusSwitchingProtocols {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (r *record) Write(p []byte) (int, error) {
	r.status = cmp.Or(r.status, http.StatusOK)
	n, err := r.ResponseWriter.Write(p)
	r.bytes += int64(n)
	return n, err
}

// Unwrap is for [http.ResponseController].
func (r *record) Unwrap() http.ResponseWriter { return r.ResponseWriter }

type recordKey struct{}

// note keeps for the log what became of a request.
func note(r *http.Request, err error, limits ...string) {
	if rec, ok := r.Context().Value(recordKey{}).(*record); ok {
		rec.err, rec.limits = err, limits
	}
}

// Logged wraps a handler, whose requests are logged. done, if not nil, is called after
// each request. A response that the handler aborts never looks whole, except with HTTP/1.0
// over a Unix socket, which cannot be reset.
func Logged(log *slog.Logger, next http.Handler, done func(r *http.Request, status int, took time.Duration)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		rec := &record{ResponseWriter: w}
		r = r.WithContext(context.WithValue(r.Context(), recordKey{}, rec))
		whole := false
		fields := len(r.Trailer)
		for _, values := range r.Header {
			fields += len(values)
		}
		do := next
		if fields > maxFields {
			do = tooManyFields
		}
		defer func() {
			took := time.Since(start)
			if done != nil {
				done(r, rec.status, took)
			}
			attrs := []slog.Attr{
				slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.Int("status", rec.status),
				slog.Int64("bytes", rec.bytes), slog.Float64("took", took.Seconds()), slog.String("client", r.RemoteAddr),
			}
			level := slog.LevelInfo
			if !whole {
				cutOff(r)
				level, attrs = slog.LevelWarn, append(attrs, slog.Bool("aborted", true))
			}
			if len(rec.limits) > 0 {
				attrs = append(attrs, slog.String("limits", strings.Join(rec.limits, ",")))
			}
			if rec.err != nil {
				attrs = append(attrs, slog.String("error", rec.err.Error()))
			}
			log.LogAttrs(r.Context(), level, "request", attrs...)
		}()
		do.ServeHTTP(rec, r)
		rec.status = cmp.Or(rec.status, http.StatusOK)
		whole = true
	})
}
