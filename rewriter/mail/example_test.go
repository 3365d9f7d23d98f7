package mail_test

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"absolink/rewriter"
	"absolink/rewriter/mail"
)

// A page that a browser has saved as MHTML. The picture is in the file, so the
// reference to it stays; End says what became of each HTML document.
func ExampleRewriter() {
	const in = `Snapshot-Content-Location: http://example.org/docs/guide.html
Content-Type: multipart/related; boundary=b

--b
Content-Type: text/html
Content-Transfer-Encoding: quoted-printable
Content-Location: http://example.org/docs/guide.html

<img src=3D"logo.png"> <a href=3D"next.html">Next</a>
--b
Content-Type: image/png
Content-Location: http://example.org/docs/logo.png

...
--b--
`
	rw := mail.Rewriter{
		HTML: new(rewriter.Rewriter).With(rewriter.Hooks{
			End: func(d *rewriter.Document) {
				fmt.Printf("%s: %d rewritten, %d left, on the base of %s\n", d.Name, d.Result.Rewritten, d.Result.Left, d.Result.Base.Name)
			},
		}),
	}
	if _, err := rw.Rewrite(os.Stdout, strings.NewReader(in), nil); err != nil {
		panic(err)
	}
	// Output:
	// http://example.org/docs/guide.html: 1 rewritten, 1 left, on the base of Content-Location
	// Snapshot-Content-Location: http://example.org/docs/guide.html
	// Content-Type: multipart/related; boundary=b
	//
	// --b
	// Content-Type: text/html
	// Content-Transfer-Encoding: quoted-printable
	// Content-Location: http://example.org/docs/guide.html
	//
	// <img src=3D"logo.png"> <a href=3D"http://example.org/docs/next.html">Next</=
	// a>
	// --b
	// Content-Type: image/png
	// Content-Location: http://example.org/docs/logo.png
	//
	// ...
	// --b--
}

// Warn is told what is wrong with a message, and what stays as it is. With no writer,
// nothing is written.
func ExampleRewriter_warnings() {
	const in = `DKIM-Signature: v=1; d=example.org
Base: <URL:http://example.org/news/>
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/html

<a href="today.html">Today</a>
--b
Content-Type: multipart/signed; boundary=signed

--signed
Content-Type: text/html

<a href="signed.html">Signed</a>
--signed--
--b
Content-Type: message/rfc822

Content-Type: message/rfc822

--b--
`
	rw := mail.Rewriter{
		MaxDepth: 2,
		HTML: new(rewriter.Rewriter).With(rewriter.Hooks{
			Warn: func(offset int64, err error) {
				fmt.Printf("%d: %v\n", offset, err)
				if limit := (*rewriter.LimitError)(nil); errors.As(err, &limit) {
					fmt.Printf("the limit is %s, %d\n", limit.Field, limit.Limit)
				}
			},
		}),
	}
	result, err := rw.Rewrite(nil, strings.NewReader(in), nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Rewritten, "rewritten,", result.Warnings, "warnings")
	// Output:
	// 179: multipart/signed: a change would break its signature; it stays as it is
	// 340: entities are nested deeper than may be followed (MaxDepth); this one stays as it is
	// the limit is MaxDepth, 2
	// 0: DKIM-Signature no longer fits: what it speaks of has changed
	// 1 rewritten, 3 warnings
}
