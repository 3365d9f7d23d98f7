package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	urls "net/url"
	"os"
	"strings"
	"time"

	"absolink/internal/listing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"gocloud.dev/blob"
)

// A Source is an input: a file, an object in a bucket, or what a web server has.
type Source struct {
	Size int64
	ETag string // names the content; in a directory, made of time and size; "" if it is not known

	path   string // of a file; "" otherwise
	bucket string // the input as shown gives it, if it is in a bucket; "" otherwise
	open   func(ctx context.Context, offset int64) (io.ReadCloser, error)
}

// OpenSource finds an input. isMissing tells an error that says there is none. An error of a
// bucket is a Fault, unlike an error of a file or of one of many web servers.
func OpenSource(ctx context.Context, location string) (src *Source, err error) {
	bucket, key, ok := splitURL(location)
	web := strings.HasPrefix(bucket, "http://") || strings.HasPrefix(bucket, "https://")
	err = again(ctx, func(ctx context.Context) (err error) {
		switch {
		case !ok:
			src, err = fileSource(localPath(location))
		case web:
			src, err = webSource(ctx, location)
		default:
			var b *blob.Bucket
			if b, err = openBucket(ctx, bucket); err == nil {
				src, err = objectSource(ctx, b, key)
			}
		}
		return err
	})
	if ok && !web {
		err = fault(ctx, "cannot read "+shown(location), err)
		if err == nil {
			src.bucket = shown(location)
		}
	}
	return src, err
}

// shown returns an input as it stands in what is written: a URL without its user, password
// and parameters, which say how to get there and may be secret.
func shown(input string) string {
	if _, _, ok := splitURL(input); !ok {
		return input
	}
	input, _ = cutParameters(input)
	return listing.WithoutLogin(input)
}

func fileSource(name string) (*Source, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: is not a regular file: %w", name, errMissing)
	}
	etag := fmt.Sprintf(`"%x-%x"`, info.ModTime().UnixNano(), info.Size())
	return &Source{Size: info.Size(), ETag: etag, path: name, open: func(_ context.Context, offset int64) (io.ReadCloser, error) {
		f, err := os.Open(name)
		if err == nil {
			_, err = f.Seek(offset, io.SeekStart)
		}
		return f, err
	}}, nil
}

func objectSource(ctx context.Context, b *blob.Bucket, key string) (*Source, error) {
	attributes, err := b.Attributes(ctx, key)
	if err != nil {
		return nil, err
	}
	var s3Object s3.HeadObjectOutput
	if attributes.ContentEncoding != "" && !attributes.As(&s3Object) { // S3 gives an object as it is stored
		return nil, fmt.Errorf("%w, as it has the Content-Encoding %q; take that away from the object", errEncoded, attributes.ContentEncoding)
	}
	src := &Source{Size: attributes.Size, ETag: attributes.ETag}
	src.open = func(ctx context.Context, offset int64) (io.ReadCloser, error) {
		body, err := b.NewRangeReader(ctx, key, offset, -1, nil)
		if err != nil {
			return nil, err
		}
		var s3Answer s3.GetObjectOutput
		switch {
		case body.As(&s3Answer):
			length := int64(-1)
			if s3Answer.ContentLength != nil {
				length = *s3Answer.ContentLength
			}
			return src.checked(body, offset, length, aws.ToString(s3Answer.ContentRange), aws.ToString(s3Answer.ETag))
		case body.Size() != src.Size: // the clients of other stores look at the range themselves
			body.Close()
			return nil, errChanged
		}
		return body, nil
	}
	return src, nil
}

func webSource(ctx context.Context, url string) (*Source, error) {
	head, err := request(ctx, http.MethodHead, url, 0)
	if err != nil {
		return nil, err
	}
	head.Body.Close()
	if head.ContentLength < 0 {
		return nil, errors.New("the server does not say how long the archive is; copy it to a bucket first")
	}
	validator := "ETag"
	if head.Header.Get(validator) == "" {
		validator = "Last-Modified"
	}
	src := &Source{Size: head.ContentLength, ETag: head.Header.Get(validator)}
	src.open = func(ctx context.Context, offset int64) (io.ReadCloser, error) {
		response, err := request(ctx, http.MethodGet, url, offset)
		if err != nil {
			return nil, err
		}
		return src.checked(response.Body, offset, response.ContentLength, response.Header.Get("Content-Range"), response.Header.Get(validator))
	}
	return src, nil
}

// checked returns the body of an answer if the header says that it is the input from an offset
// on. Otherwise, checked closes the body. A negative length means that the answer has none.
func (s *Source) checked(body io.ReadCloser, offset, length int64, contentRange, etag string) (io.ReadCloser, error) {
	begin, end, size := int64(0), s.Size-1, s.Size
	switch {
	case contentRange != "":
		fmt.Sscanf(contentRange, "bytes %d-%d/%d", &begin, &end, &size) // size may be "*"
	case length >= 0 && offset == 0:
		end, size = length-1, length
	case length >= 0:
		begin = s.Size - length
	}
	var err error
	switch known := s.ETag != "" && etag != ""; {
	case known && etag != s.ETag, !known && size != s.Size:
		err = errChanged
	case begin != offset || size != s.Size || length >= 0 && end-begin+1 != length:
		err = fmt.Errorf("%w: asked for the bytes from %d of %d on, the answer has Content-Length %d and Content-Range %q", errRange, offset, s.Size, length, contentRange)
	default:
		return body, nil
	}
	body.Close()
	return nil, err
}

var errEncoded = errors.New("the store decompresses the object")

var errRange = errors.New("the server answers with another part")

// request asks a web server for a URL from an offset on.
func request(ctx context.Context, method, url string, offset int64) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept-Encoding", "identity") // the archive as it is stored
	want := http.StatusOK
	if offset > 0 {
		r.Header.Set("Range", fmt.Sprintf("bytes=%d-", offset))
		want = http.StatusPartialContent
	}
	response, err := http.DefaultClient.Do(r)
	if failed, ok := errors.AsType[*urls.Error](err); ok {
		return nil, failed.Err // without the URL, in which there may be a secret
	}
	if err != nil {
		return nil, err
	}
	if response.StatusCode == want {
		return response, nil
	}
	response.Body.Close()
	err = fmt.Errorf("the server answers %s", response.Status)
	if response.StatusCode == http.StatusNotFound || response.StatusCode == http.StatusGone {
		err = fmt.Errorf("%w: %w", err, errMissing)
	}
	return nil, err
}

// Reader reads the input from an offset on. A connection that breaks is made again.
func (s *Source) Reader(ctx context.Context, offset int64) io.ReadCloser {
	return &sourceReader{ctx: ctx, src: s, pos: offset}
}

// whole reads the whole input. If that is a file, the reader is an io.Seeker, with which more
// can be read of a damaged archive.
func (s *Source) whole(ctx context.Context) (io.ReadCloser, error) {
	if s.path != "" {
		return os.Open(s.path)
	}
	return s.Reader(ctx, 0), nil
}

type sourceReader struct {
	ctx    context.Context
	src    *Source
	conn   context.Context
	cancel context.CancelCauseFunc // of conn
	body   io.ReadCloser           // nil if there is no connection
	pos    int64
}

// stall is how long a store may send nothing, or take for a small request, before it is
// asked again.
var stall = 2 * time.Minute

var errStall = errors.New("the store sends nothing")

func (r *sourceReader) Read(p []byte) (n int, err error) {
	if r.pos >= r.src.Size {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), r.src.Size-r.pos)]
	err = repeat(r.ctx, func() error {
		n, err = r.read(p)
		if n > 0 || err == nil {
			return nil
		}
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		r.Close()
		return err
	})
	r.pos += int64(n)
	if r.src.bucket != "" {
		err = fault(r.ctx, "cannot read "+r.src.bucket, err)
	}
	return n, err
}

func (r *sourceReader) read(p []byte) (n int, err error) {
	if r.body == nil {
		r.conn, r.cancel = context.WithCancelCause(r.ctx)
	}
	cancel := r.cancel
	late := time.AfterFunc(stall, func() { cancel(errStall) })
	defer late.Stop()
	if r.body == nil {
		var body io.ReadCloser
		if body, err = r.src.open(r.conn, r.pos); err == nil {
			r.body = body
		}
	}
	if err == nil {
		n, err = r.body.Read(p)
	}
	if err != nil && context.Cause(r.conn) == errStall {
		err = errStall // not what the connection says that has been ended
	}
	return n, err
}

func (r *sourceReader) Close() (err error) {
	if r.body != nil {
		err = r.body.Close()
	}
	if r.cancel != nil {
		r.cancel(nil)
	}
	r.body = nil
	return err
}

// ReadAt reads from an offset, with a request for each call.
func (s *Source) ReadAt(ctx context.Context, p []byte, offset int64) (int, error) {
	r := s.Reader(ctx, offset)
	defer r.Close()
	n, err := io.ReadFull(r, p)
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return n, err
}

// File returns the input as a file, which the caller closes. An input from elsewhere is
// copied to a temporary file, which has no name, so that it goes with the process.
func (s *Source) File(ctx context.Context) (*os.File, error) {
	if s.path != "" {
		return os.Open(s.path)
	}
	f, err := os.CreateTemp("", "absolink-*")
	if err != nil {
		return nil, fault(ctx, "cannot make a temporary file", err)
	}
	os.Remove(f.Name()) // Windows cannot, and leaves the file in the directory of the job
	r := s.Reader(ctx, 0)
	defer r.Close()
	if _, err := io.Copy(f, r); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
