package job

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/aws/smithy-go"
	"gocloud.dev/gcerrors"
)

// A Fault is an error of a store or a disk. No archive is to blame for it, so none gets a
// letter: the job stops, and goes on from there when it is started again.
type Fault struct {
	What string // what could not be done
	Err  error
}

// Error returns one line, which says what to do.
func (f *Fault) Error() string {
	return fmt.Sprintf("%s: %s; %s, and start the job again: it does what is missing", f.What, cause(f.Err), f.advice())
}

// Unwrap returns f.Err.
func (f *Fault) Unwrap() error { return f.Err }

func (f *Fault) advice() string {
	switch {
	case isFull(f.Err):
		return "make room"
	case errors.As(f.Err, new(openError)):
		return "look at the URL and the credentials"
	case isTaken(f.Err):
		return "move what stands there out of the way"
	case isRefused(f.Err):
		return "look at the credentials and the permissions"
	}
	return "see that the store answers"
}

// An openError says why a bucket cannot be opened: its URL or the credentials are wrong.
type openError string

func (e openError) Error() string { return string(e) }

// isFull reports whether an error says that a disk or a store is full.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || hasCode(err, "InsufficientStorage", "QuotaExceeded")
}

// isTaken reports whether something else stands in a directory where a file has to be, or a
// directory for it.
func isTaken(err error) bool {
	return errors.Is(err, syscall.EISDIR) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST)
}

// isRefused reports whether a store refuses requests with these credentials. Such a request
// is not made again.
func isRefused(err error) bool {
	return gcerrors.Code(err) == gcerrors.PermissionDenied || errors.Is(err, os.ErrPermission) ||
		hasCode(err, "Forbidden", "AccessDenied", "ExpiredToken", "InvalidToken", "TokenRefreshRequired", "InvalidAccessKeyId", "SignatureDoesNotMatch")
}

// hasCode reports whether an error is one of S3 with one of these codes.
func hasCode(err error, codes ...string) bool {
	var api smithy.APIError
	return errors.As(err, &api) && slices.Contains(codes, api.ErrorCode())
}

// cause returns the reason of an error of a store, in one line. Each layer of a client adds
// words around the reason.
func cause(err error) string {
	var api smithy.APIError
	var number syscall.Errno
	text := ""
	switch {
	case errors.As(err, &api):
		text = strings.TrimSuffix(api.ErrorCode()+": "+api.ErrorMessage(), ": ")
	case errors.As(err, &number):
		text = number.Error()
	default:
		text = err.Error()
	}
	text = strings.Join(strings.Fields(text), " ")
	return text[:min(len(text), 300)]
}

// fault returns an error of a store as a Fault. An error of an input, or one that says that the
// run was ended, stays as it is.
func fault(ctx context.Context, what string, err error) error {
	var already *Fault
	if err == nil || ctx.Err() != nil || isOfInput(err) || errors.As(err, &already) {
		return err
	}
	return &Fault{what, err}
}
