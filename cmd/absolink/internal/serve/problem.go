package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
)

// A Problem is an error that a client is told about (RFC 9457).
type Problem struct {
	Status int    // of HTTP
	Detail string // what is wrong, and what to do about it
}

// Error returns the detail.
func (p *Problem) Error() string { return p.Detail }

// Problemf returns a Problem.
func Problemf(status int, format string, args ...any) *Problem {
	return &Problem{Status: status, Detail: fmt.Sprintf(format, args...)}
}

// problemOf returns what a client is told about an error.
func problemOf(err error) *Problem {
	var p *Problem
	var tooLong *http.MaxBytesError
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &tooLong):
		return errTooLong(tooLong.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return Problemf(http.StatusRequestTimeout, "the body has not arrived in time")
	}
	return Problemf(http.StatusInternalServerError, "%v", err)
}

// errTooLong is the problem with a body that is too long, as it arrives or decoded.
func errTooLong(limit int64) *Problem {
	return Problemf(http.StatusRequestEntityTooLarge, "the body is longer than %d bytes (--max-body raises the limit)", limit)
}

// write sends the problem as a response. Its "<" and "&" are as people read them: no browser takes
// it for HTML.
func (p *Problem) write(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(p.Status)
	body := json.NewEncoder(w)
	body.SetEscapeHTML(false)
	body.Encode(map[string]any{
		"title": http.StatusText(p.Status), "status": p.Status, "detail": p.Detail,
	})
}
