package job

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/feature/s3/manager"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/transport/http"
	"github.com/bmatcuk/doublestar/v4"
	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	"gocloud.dev/gcerrors"
)

// A Dir is a directory, or a part of a bucket, in which a job writes.
type Dir struct {
	bucket *blob.Bucket
	prefix string // of all keys
	local  string // the directory; "" if it is in a bucket
}

// buckets holds the buckets that are open, by URL. They stay open: a bucket in memory
// ends when it is closed.
var buckets sync.Map

// openBucket returns the bucket with a URL, such as s3://name?region=x. The package of
// its driver has to be imported.
func openBucket(ctx context.Context, url string) (*blob.Bucket, error) {
	if b, ok := buckets.Load(url); ok {
		return b.(*blob.Bucket), nil
	}
	// The credentials of some drivers are renewed with this context, for as long as the
	// bucket is open.
	b, err := blob.OpenBucket(context.WithoutCancel(ctx), url)
	if err != nil {
		return nil, &Fault{"cannot open " + shown(url), openError(strings.ReplaceAll(err.Error(), url, shown(url)))}
	}
	first, _ := buckets.LoadOrStore(url, b)
	return first.(*blob.Bucket), nil
}

// splitURL splits the URL of an object into the bucket, with the parameters of the URL,
// and the key. ok is false if location is the path of a file.
func splitURL(location string) (bucket, key string, ok bool) {
	scheme, rest, ok := strings.Cut(location, "://")
	if !ok || scheme == "file" {
		return "", "", false
	}
	rest, parameters := cutParameters(rest)
	host, key, _ := strings.Cut(rest, "/")
	return scheme + "://" + host + parameters, key, true
}

// cutParameters cuts the parameters off a URL. They begin with the question mark.
func cutParameters(url string) (before, parameters string) {
	before, _, _ = strings.Cut(url, "?")
	return before, url[len(before):]
}

// localPath returns the path that a location without a bucket names.
func localPath(location string) string {
	return filepath.FromSlash(strings.TrimPrefix(location, "file://"))
}

// OpenDir opens a directory, which is made if it is not there, or a part of a bucket.
func OpenDir(ctx context.Context, location string) (*Dir, error) {
	url, prefix, ok := splitURL(location)
	if !ok {
		name := localPath(location)
		b, err := fileblob.OpenBucket(name, &fileblob.Options{CreateDir: true, NoTempDir: true, Metadata: fileblob.MetadataDontWrite})
		return &Dir{bucket: b, local: name}, err
	}
	b, err := openBucket(ctx, url)
	if err != nil {
		return nil, err
	}
	if prefix = strings.Trim(prefix, "/"); prefix != "" {
		prefix += "/"
	}
	return &Dir{bucket: b, prefix: prefix}, nil
}

// An Output is a file that was written.
type Output struct {
	Key   string `json:"key"`
	Size  int64  `json:"size"`
	Input string `json:"input,omitempty"` // what it was made of; only in outputs.jsonl
}

// Write writes a file whole or not at all: the file has its name after write has
// returned nil and all bytes are stored. A store may take its time, as long as it goes on
// taking bytes.
func (d *Dir) Write(ctx context.Context, key string, write func(w io.Writer) error) (_ Output, err error) {
	parent := ctx
	failed := func(ctx context.Context, err error) error {
		if isMissing(err) { // the directory, the bucket, or a file that another job has removed
			err = errors.New(cause(err))
		}
		return fault(ctx, "cannot write "+key, err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer func() {
		if err != nil && context.Cause(ctx) == errSlow {
			err = &Fault{"cannot write " + key, errSlow}
		}
	}()
	late := time.AfterFunc(writeStalls*stall, func() { cancel(errSlow) })
	late.Stop()
	defer late.Stop()
	var file *os.File
	w, err := d.bucket.NewWriter(ctx, d.prefix+key, &blob.WriterOptions{
		ContentType:                 "application/octet-stream",
		DisableContentTypeDetection: true,
		BufferSize:                  8 << 20,
		MaxConcurrency:              2,
		BeforeWrite: func(as func(any) bool) error {
			as(&file)
			if uploader := (*manager.Uploader)(nil); as(&uploader) {
				uploader.ClientOptions = append(uploader.ClientOptions, persist)
			}
			return nil
		},
	})
	if err != nil {
		return Output{}, failed(ctx, err)
	}
	out := &counter{w: w, late: late}
	err = func() error {
		buffered := buffers.Get().(*bufio.Writer)
		defer buffers.Put(buffered)
		buffered.Reset(out)
		if err := write(buffered); err != nil {
			return err
		}
		if err := buffered.Flush(); err != nil || file == nil {
			return err
		}
		return failed(ctx, file.Sync())
	}()
	if err != nil {
		cancel(nil) // so that Close leaves nothing
		w.Close()
		if out.err != nil {
			err = failed(parent, out.err)
		}
		return Output{}, err
	}
	late.Reset(writeStalls * stall)
	if err := w.Close(); err != nil {
		return Output{}, failed(ctx, err)
	}
	return Output{Key: key, Size: out.n}, nil
}

// persist has S3's client make the requests of an upload as often as others are made.
func persist(o *s3.Options) { o.Retryer = retry.AddWithMaxAttempts(o.Retryer, tries) }

var buffers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, 256<<10) }}

// writeStalls is how many times longer than stall a store may take no bytes. It gets them in
// pieces of megabytes.
const writeStalls = 5

var errSlow = errors.New("the store takes no bytes")

// A counter counts the bytes that were written, and keeps the error of writing. late runs
// while the writer takes bytes.
type counter struct {
	w    io.Writer
	n    int64
	err  error
	late *time.Timer
}

func (c *counter) Write(p []byte) (int, error) {
	c.late.Reset(writeStalls * stall)
	defer c.late.Stop()
	n, err := c.w.Write(p)
	c.n += int64(n)
	if err != nil {
		c.err = err
	}
	return n, err
}

// WriteJSON writes a value as a file of JSON.
func (d *Dir) WriteJSON(ctx context.Context, key string, v any) error {
	return d.writeLines(ctx, key, []any{v})
}

// writeLines writes values as lines of JSON. There may be any number of lines, so writing
// them may take any time. Other requests have a time limit.
func (d *Dir) writeLines(ctx context.Context, key string, values []any) error {
	return repeat(ctx, func() error {
		_, err := d.Write(ctx, key, func(w io.Writer) error {
			lines := json.NewEncoder(w)
			for _, v := range values {
				if err := lines.Encode(v); err != nil {
					return err
				}
			}
			return nil
		})
		return err
	})
}

// ReadJSON reads a file of JSON into v. ok is false if the file is missing, or if it does
// not hold a value of the type of v.
func (d *Dir) ReadJSON(ctx context.Context, key string, v any) (ok bool, err error) {
	var b []byte
	err = again(ctx, func(ctx context.Context) error {
		b, err = d.bucket.ReadAll(ctx, d.prefix+key)
		return err
	})
	if isMissing(err) {
		return false, nil
	}
	if err != nil {
		return false, fault(ctx, "cannot read "+key, err)
	}
	return json.Unmarshal(b, v) == nil, nil
}

// source finds a file.
func (d *Dir) source(ctx context.Context, key string) (src *Source, err error) {
	err = again(ctx, func(ctx context.Context) error {
		src, err = objectSource(ctx, d.bucket, d.prefix+key)
		return err
	})
	return src, fault(ctx, "cannot read "+key, err)
}

// Has reports whether a file is there as it was written.
func (d *Dir) Has(ctx context.Context, o Output) (bool, error) {
	src, err := d.source(ctx, o.Key)
	if isMissing(err) {
		return false, nil
	}
	return err == nil && src.Size == o.Size, err
}

// Open reads a file.
func (d *Dir) Open(ctx context.Context, key string) (io.ReadCloser, error) {
	src, err := d.source(ctx, key)
	if err != nil {
		return nil, err
	}
	return src.Reader(ctx, 0), nil
}

// Keys calls each for every file below a prefix, in the order of the store.
func (d *Dir) Keys(ctx context.Context, prefix string, each func(key string, size int64) error) error {
	list := d.bucket.List(&blob.ListOptions{Prefix: d.prefix + prefix})
	seen := "" // the key at a power of two
	for n := 1; ; n++ {
		var object *blob.ListObject
		err := again(ctx, func(ctx context.Context) (err error) {
			object, err = list.Next(ctx)
			return err
		})
		if err == io.EOF {
			return nil
		}
		if err != nil {
			if d.local == "" && isMissing(err) { // the bucket
				err = errors.New(cause(err))
			}
			return fault(ctx, "cannot list "+prefix, err)
		}
		if object.Key == seen { // a store that ignores where to go on lists the same names for ever
			return fault(ctx, "cannot list "+prefix, errors.New("the list begins again where it has to go on"))
		}
		if n&(n-1) == 0 {
			seen = object.Key
		}
		if !strings.HasPrefix(object.Key, d.prefix+prefix) {
			continue // the store lists more than it was asked for
		}
		if err := each(object.Key[len(d.prefix):], object.Size); err != nil {
			return err
		}
	}
}

// Remove removes every file below a prefix. In a directory, a prefix that ends in "/"
// goes as well.
func (d *Dir) Remove(ctx context.Context, prefix string) error {
	if d.local != "" && strings.HasSuffix(prefix, "/") {
		return os.RemoveAll(filepath.Join(d.local, filepath.FromSlash(prefix)))
	}
	return d.Keys(ctx, prefix, func(key string, _ int64) error { return d.delete(ctx, key) })
}

// delete removes a file, which may be missing.
func (d *Dir) delete(ctx context.Context, key string) error {
	err := again(ctx, func(ctx context.Context) error { return d.bucket.Delete(ctx, d.prefix+key) })
	if isMissing(err) {
		return nil
	}
	return fault(ctx, "cannot remove "+key, err)
}

// temporary is a pattern of the names that the driver for directories gives to files of a
// job until they are whole.
var temporary = "{,converted/,replaced/,list/,_job/**/}*." + strings.Repeat("[0-9a-f]", 16) + ".tmp"

// RemoveTemporary removes the files that a killed process left unfinished in a directory.
// A bucket has no such files: it shows an object only when the object is whole.
func (d *Dir) RemoveTemporary() error {
	if d.local == "" {
		return nil
	}
	names, err := doublestar.Glob(os.DirFS(d.local), temporary, doublestar.WithFilesOnly(), doublestar.WithFailOnIOErrors())
	for _, name := range names {
		err = errors.Join(err, os.Remove(filepath.Join(d.local, filepath.FromSlash(name))))
	}
	return err
}

// tries is how often one request to a store is made, by its client and by repeat together.
const tries = 9

func init() {
	const checksums = "AWS_RESPONSE_CHECKSUM_VALIDATION"
	os.Setenv(checksums, cmp.Or(os.Getenv(checksums), "when_required")) // otherwise there is a warning for each object of several parts
}

// pause is how long to wait before the second try; then twice as long each time.
var pause = 400 * time.Millisecond

// again makes a small request until it succeeds, or fails in a way that stays.
func again(ctx context.Context, request func(ctx context.Context) error) error {
	return repeat(ctx, func() error {
		limited, cancel := context.WithTimeout(ctx, stall)
		defer cancel()
		return request(limited)
	})
}

// repeat makes a request until it succeeds, or fails in a way that stays.
func repeat(ctx context.Context, request func() error) error {
	for try := 1; ; try++ {
		err := request()
		if tried, ok := errors.AsType[*retry.MaxAttemptsError](err); ok {
			try += tried.Attempt - 1
		}
		if err == nil || err == io.EOF || try >= tries || !isPassing(err) {
			return err
		}
		if err := wait(ctx, pause<<(try-1)); err != nil {
			return err
		}
	}
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// isPassing reports whether a request that failed may succeed later.
func isPassing(err error) bool {
	if isOfInput(err) || errors.Is(err, context.Canceled) || isRefused(err) || isFull(err) || isTaken(err) {
		return false
	}
	var answer *http.ResponseError
	if errors.As(err, new(openError)) || errors.As(err, &answer) && answer.HTTPStatusCode() == 400 {
		return false
	}
	return !slices.Contains([]gcerrors.ErrorCode{gcerrors.InvalidArgument, gcerrors.Unimplemented, gcerrors.FailedPrecondition}, gcerrors.Code(err))
}

// isMissing reports whether an error says that a file or an object does not exist.
func isMissing(err error) bool {
	return err != nil && (errors.Is(err, os.ErrNotExist) || errors.Is(err, errMissing) || gcerrors.Code(err) == gcerrors.NotFound)
}

// isOfInput reports whether an error tells of the input, and not of the store.
func isOfInput(err error) bool {
	return isMissing(err) || errors.Is(err, errChanged) || errors.Is(err, errEncoded)
}

var errMissing = errors.New("the archive does not exist")

// baseName returns the last part of the name of an input.
func baseName(location string) string {
	if _, key, ok := splitURL(location); ok {
		return path.Base(key)
	}
	return filepath.Base(localPath(location))
}
