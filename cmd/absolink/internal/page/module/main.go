//go:build wasip1

// Command module is what absolink.html has in place of a server: it answers the requests of the
// page, with the paths and parameters of absolink serve. The host writes a request at room and
// calls answer, which returns a status of HTTP. Documents come from the host in pieces, and answers
// go to the host in pieces, so none of them is whole in the memory of the module.
package main

import (
	"archive/zip"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"
	"unsafe"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/input"
	"absolink/cmd/absolink/internal/outfile"
	"absolink/cmd/absolink/internal/view"
	"absolink/internal/listing"
	"absolink/internal/media"
	"absolink/resolver"
	"absolink/rewriter"
)

func main() {}

// The host has these functions. hostRead puts the next bytes of a body at an address, and returns
// how many these are, which is 0 at the end. hostWrite takes bytes of the answer, and hostTell a
// field of its header.
//
//go:wasmimport absolink read
func hostRead(body uint32, address unsafe.Pointer, n uint32) uint32

//go:wasmimport absolink write
func hostWrite(address unsafe.Pointer, n uint32)

//go:wasmimport absolink tell
func hostTell(address unsafe.Pointer, n uint32)

// A body is one of those that a request has.
type body uint32

func (b body) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n := hostRead(uint32(b), unsafe.Pointer(unsafe.SliceData(p)), uint32(len(p)))
	if n == 0 {
		return 0, io.EOF
	}
	return int(n), nil
}

type answered struct{}

func (answered) Write(p []byte) (int, error) {
	hostWrite(unsafe.Pointer(unsafe.SliceData(p)), uint32(len(p)))
	return len(p), nil
}

// tell adds a field to the header of the answer.
func tell(name string, value any) {
	line := fmt.Sprintf("%s: %v", name, value)
	hostTell(unsafe.Pointer(unsafe.StringData(line)), uint32(len(line)))
}

var request []byte

// room makes room for a request of n bytes, and returns its address.
//
//go:wasmexport room
func room(n uint32) unsafe.Pointer {
	request = make([]byte, n+1) // so that there is an address
	request = request[:n]
	return unsafe.Pointer(unsafe.SliceData(request))
}

// A problem is an error with a status of HTTP.
type problem struct {
	status uint32
	detail string
}

func (p *problem) Error() string { return p.detail }

// answer answers the request, which is a path and a query.
//
//go:wasmexport answer
func answer() uint32 {
	out := bufio.NewWriterSize(answered{}, 64<<10)
	path, query, _ := strings.Cut(string(request), "?")
	q, err := url.ParseQuery(query)
	if err == nil {
		switch path {
		case "/view":
			err = showDocument(out, q)
		case "/rewrite":
			err = rewrite(out, q)
		case "/resolve":
			err = resolve(out, q)
		case "/zip":
			err = pack(out, q)
		default:
			err = &problem{404, "there is no " + path}
		}
	}
	if err == nil {
		out.Flush()
		return 200
	}
	status := uint32(400)
	if p := (*problem)(nil); errors.As(err, &p) {
		status = p.status
	}
	out.Reset(answered{})
	console.WriteJSON(out, map[string]string{"detail": err.Error()})
	out.Flush()
	return status
}

// open returns the document that a request has.
func open(q url.Values) (*input.Document, error) {
	name, urls, contentType := q.Get("name"), q["url"], q.Get("content-type")
	for _, known := range []string{"name", "url", "content-type"} {
		delete(q, known)
	}
	var o input.DocumentOptions
	if err := o.Set(q); err != nil {
		return nil, err
	}
	s := o.Settings(nil)
	var outer *resolver.Base
	if len(urls) > 0 {
		var err error
		if outer, err = s.ParseOption(urls[0]); outer == nil {
			return nil, fmt.Errorf("url: %w", err)
		}
	}
	d, err := s.Open(context.Background(), &console.UI{Stdin: body(0), Stderr: io.Discard}, input.Entry{Name: "-"}, outer)
	if err != nil {
		return nil, err
	}
	mediaType, charset := media.ContentType(contentType)
	if d.Kind == "" {
		d.Kind, _ = input.KindOfType(mediaType)
	}
	if d.Charset == "" {
		d.Charset = charset
	}
	d.Name, d.Origin, d.File = name, "url", contentType == ""
	return d, nil
}

// problemOf returns the problem with a document.
func problemOf(err error) error {
	if status, message := view.Refusal(err); status != 0 {
		return &problem{uint32(status), message}
	}
	return err
}

func showDocument(out io.Writer, q url.Values) error {
	d, err := open(q)
	if err != nil {
		return err
	}
	shown, err := view.Of(d)
	if err != nil {
		return problemOf(err)
	}
	return shown.Write(out)
}

func rewrite(out io.Writer, q url.Values) error {
	name := q.Get("name")
	d, err := open(q)
	if err != nil {
		return err
	}
	relative := 0
	result, err := d.Rewrite(out, rewriter.Hooks{Unresolvable: func(p *rewriter.Place) {
		if errors.Is(p.Err, rewriter.ErrNoBase) {
			relative++
		}
	}})
	if err != nil {
		return problemOf(err)
	}
	for name, n := range map[string]int{"Rewritten": result.Rewritten, "Absolute": result.Absolute, "Left": result.Left, "Relative": relative, "Unresolvable": result.Unresolvable, "Warnings": result.Warnings} {
		tell("Absolink-"+name, n)
	}
	tell("Absolink-Name", url.PathEscape(entryName(name)))
	return nil
}

func resolve(out io.Writer, q url.Values) error {
	var profile resolver.Profile
	if err := profile.UnmarshalText([]byte(q.Get("profile"))); err != nil {
		return err
	}
	base, err := resolver.ParseBase(resolver.Unwrap(q.Get("base")), profile)
	if err != nil {
		return err
	}
	line := listing.NewBuffer(out)
	view.AddResolution(line, base, q.Get("ref"), true)
	return line.Flush()
}

// entryName returns the name that the result of a file has in a ZIP: the name in the directory of
// -o, without what would lead out of the directory on some system.
func entryName(name string) string {
	name = outfile.FileName(name)
	if strings.Trim(name, "./") == "" {
		return "_"
	}
	return strings.Map(func(c rune) rune {
		if c == '\\' || c == ':' || listing.IsHidden(c) {
			return '_'
		}
		return c
	}, strings.ToValidUTF8(name, "_"))
}

// pack answers with a ZIP of the bodies, which have names.
func pack(out io.Writer, q url.Values) error {
	z := zip.NewWriter(out)
	now, known := time.Now(), map[string]bool{}
	for i, name := range q["name"] {
		name = entryName(name)
		if known[strings.ToLower(name)] {
			return fmt.Errorf("two files would be called %s", name)
		}
		known[strings.ToLower(name)] = true
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: now})
		if err == nil {
			_, err = io.Copy(w, body(i))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return z.Close()
}
