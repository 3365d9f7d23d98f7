package container_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"absolink/rewriter"
	"absolink/rewriter/container"
)

// clippings are a toy container: each document follows a line with the URL that it was
// retrieved from.
const clippings = "--- http://a.example/1/\n<a href=x>\n--- http://b.example/2/\n<base href=/c/><img src=y>\n"

// rewriteClippings is an adapter. It copies the lines between the documents, rewrites each
// document with its base URL and its offset, and returns the sum of the results.
func rewriteClippings(dst io.Writer, file string, rw *rewriter.Rewriter) (sum rewriter.Result, err error) {
	for offset := int64(0); file != ""; {
		head, rest, _ := strings.Cut(file, "\n")
		fmt.Fprintln(dst, head)
		offset += int64(len(head)) + 1
		n := len(rest)
		if i := strings.Index(rest, "\n--- "); i >= 0 {
			n = i + 1
		}

		d := &rewriter.Document{Name: strings.TrimPrefix(head, "--- "), Offset: offset}
		base, err := rw.ParseBase(d.Name)
		if base != nil {
			d.Outer = rewriter.Base{URL: base, Source: rewriter.EntityBase, Name: "clipping"}
		}
		if err != nil { // the base may be used without its password
			sum.Warnings++
			container.Warn(rw, offset, err)
		}
		src := rewriter.Source{
			Reader:   strings.NewReader(rest[:n]),
			At:       func(i int64) int64 { return d.Offset + i },
			Document: d,
		}
		container.Begin(rw, d)
		result, err := rw.Rewrite(dst, src, base)
		container.Done(rw, d, result)
		sum.Add(result)
		if err != nil {
			return sum, err
		}
		file, offset = rest[n:], offset+int64(n)
	}
	return sum, nil
}

// A container is rewritten document by document; the hooks of the Rewriter see
// where in the container each place stands.
func Example() {
	rw := new(rewriter.Rewriter).With(rewriter.Hooks{
		Visit: func(p *rewriter.Place) error {
			fmt.Printf("%d: %s in %s\n", p.Offset, p.Ref, p.Document.Name)
			return nil
		},
		End: func(d *rewriter.Document) {
			fmt.Printf("on %s (%s)\n", d.Result.Base.URL, d.Result.Base.Source)
		},
	})
	var out bytes.Buffer
	sum, err := rewriteClippings(&out, clippings, rw)
	fmt.Println(sum.Rewritten, err)
	out.WriteTo(os.Stdout)
	// Output:
	// 32: x in http://a.example/1/
	// on http://a.example/1/ (entity)
	// 70: /c/ in http://b.example/2/
	// 83: y in http://b.example/2/
	// on http://b.example/c/ (embedded)
	// 3 <nil>
	// --- http://a.example/1/
	// <a href=http://a.example/1/x>
	// --- http://b.example/2/
	// <base href=http://b.example/c/><img src=http://b.example/c/y>
}
