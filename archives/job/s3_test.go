package job

import (
	"context"
	"crypto/md5"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"gocloud.dev/blob"
	"gocloud.dev/blob/s3blob"
)

// A fakeS3 is a store with the part of S3's protocol that a job uses, with one bucket.
type fakeS3 struct {
	mu      sync.Mutex
	objects map[string][]byte
	uploads map[string]map[int][]byte // the parts of unfinished uploads
	busy    func() bool               // whether a request is answered with 503; nil for none
	refused int
	full    bool // refuses to store long objects
	refuses bool // refuses to store long objects, because the credentials have expired
	keeps   bool // refuses to delete objects
	expired bool // refuses to show objects
}

// start starts the store and returns the URL of its bucket, without parameters, and the
// parameters.
func (s *fakeS3) start(t *testing.T) (bucket, parameters string) {
	s.objects, s.uploads = map[string][]byte{}, map[string]map[int][]byte{}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	t.Setenv("AWS_ACCESS_KEY_ID", "a")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "b")
	return "s3://bucket", "?region=us-east-1&use_path_style=true&response_checksum_validation=when_required&endpoint=" + server.URL
}

// startWithoutRetries is start with a client that makes each request once: the job itself
// has to make it again.
func (s *fakeS3) startWithoutRetries(t *testing.T) (bucket string) {
	s.objects, s.uploads = map[string][]byte{}, map[string]map[int][]byte{}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return "once://" + strings.TrimPrefix(server.URL, "http://")
}

func init() { blob.DefaultURLMux().RegisterBucket("once", onceOpener{}) }

type onceOpener struct{}

func (onceOpener) OpenBucketURL(ctx context.Context, u *url.URL) (*blob.Bucket, error) {
	client := s3.New(s3.Options{
		BaseEndpoint:               aws.String("http://" + u.Host),
		Credentials:                aws.AnonymousCredentials{},
		Region:                     "us-east-1",
		RetryMaxAttempts:           1,
		UsePathStyle:               true,
		ResponseChecksumValidation: aws.ResponseChecksumValidationWhenRequired,
	})
	return s3blob.OpenBucket(ctx, client, "bucket", nil)
}

func (s *fakeS3) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy != nil && s.busy() || err != nil {
		s.refused++
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprint(w, "<Error><Code>SlowDown</Code></Error>")
		return
	}
	key := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/bucket"), "/")
	body = withoutSignatures(r, body)
	query := r.URL.Query()
	switch {
	case r.Method == http.MethodGet && key == "":
		s.list(w, query.Get("prefix"))
	case (r.Method == http.MethodGet || r.Method == http.MethodHead) && s.expired:
		w.WriteHeader(http.StatusForbidden)
	case r.Method == http.MethodGet, r.Method == http.MethodHead:
		s.get(w, r, key)
	case r.Method == http.MethodPut && s.full && len(body) > 2000:
		w.WriteHeader(http.StatusInsufficientStorage)
	case r.Method == http.MethodPut && s.refuses && len(body) > 2000:
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, "<Error><Code>ExpiredToken</Code><Message>The token has expired.</Message></Error>")
	case r.Method == http.MethodPut && query.Has("partNumber"):
		number, _ := strconv.Atoi(query.Get("partNumber"))
		s.uploads[query.Get("uploadId")][number] = body
		w.Header().Set("ETag", etag(body))
	case r.Method == http.MethodPut:
		s.objects[key] = body
		w.Header().Set("ETag", etag(body))
	case r.Method == http.MethodPost && query.Has("uploads"):
		id := fmt.Sprintf("%s-%d", key, len(s.uploads))
		s.uploads[id] = map[int][]byte{}
		fmt.Fprintf(w, "<InitiateMultipartUploadResult><Bucket>bucket</Bucket><Key>%s</Key><UploadId>%s</UploadId></InitiateMultipartUploadResult>", key, id)
	case r.Method == http.MethodPost:
		parts := s.uploads[query.Get("uploadId")]
		s.objects[key] = nil
		for number := 1; parts[number] != nil; number++ {
			s.objects[key] = append(s.objects[key], parts[number]...)
		}
		delete(s.uploads, query.Get("uploadId"))
		fmt.Fprintf(w, "<CompleteMultipartUploadResult><Key>%s</Key></CompleteMultipartUploadResult>", key)
	case r.Method == http.MethodDelete && s.keeps:
		w.WriteHeader(http.StatusForbidden)
	case r.Method == http.MethodDelete && query.Has("uploadId"):
		delete(s.uploads, query.Get("uploadId"))
		w.WriteHeader(http.StatusNoContent)
	case r.Method == http.MethodDelete:
		delete(s.objects, key)
		w.WriteHeader(http.StatusNoContent)
	default:
		w.WriteHeader(http.StatusNotImplemented)
	}
}

func etag(b []byte) string { return fmt.Sprintf(`"%x"`, md5.Sum(b)) }

// withoutSignatures returns a body without the signatures between its chunks.
func withoutSignatures(r *http.Request, b []byte) []byte {
	if !strings.Contains(r.Header.Get("Content-Encoding"), "aws-chunked") {
		return b
	}
	var body []byte
	for len(b) > 0 {
		line, rest, _ := strings.Cut(string(b), "\r\n")
		size, _, _ := strings.Cut(line, ";")
		n, err := strconv.ParseInt(size, 16, 64)
		if err != nil || n == 0 {
			break
		}
		body = append(body, rest[:n]...)
		b = []byte(rest[n+2:])
	}
	return body
}

func (s *fakeS3) get(w http.ResponseWriter, r *http.Request, key string) {
	b, ok := s.objects[key]
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, "<Error><Code>NoSuchKey</Code></Error>")
		return
	}
	w.Header().Set("ETag", etag(b))
	w.Header().Set("Content-Type", "application/octet-stream")
	http.ServeContent(w, r, "", time.Unix(1e9, 0), strings.NewReader(string(b)))
}

func (s *fakeS3) list(w http.ResponseWriter, prefix string) {
	type object struct {
		Key          string
		Size         int
		LastModified string
		ETag         string
	}
	var keys struct {
		XMLName  xml.Name `xml:"ListBucketResult"`
		Contents []object
	}
	for key, b := range s.objects {
		if strings.HasPrefix(key, prefix) {
			keys.Contents = append(keys.Contents, object{key, len(b), "2001-02-03T04:05:06Z", etag(b)})
		}
	}
	slices.SortFunc(keys.Contents, func(a, b object) int { return strings.Compare(a.Key, b.Key) })
	xml.NewEncoder(w).Encode(keys)
}
