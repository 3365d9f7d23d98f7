package input

import (
	"bytes"
	"io"
	"os"
	"slices"

	"absolink/internal/media"
	"absolink/internal/steady"
	"absolink/rewriter"
	"absolink/rewriter/feed"
	"absolink/rewriter/mail"
	"absolink/rewriter/tree"
	"absolink/rewriter/warc"
)

// ArchiveType is the media type of an archive.
const ArchiveType = "application/warc"

// A Kind is what a file holds: HTML, a style sheet, or a container.
type Kind string

const (
	KindHTML    Kind = "html"
	kindMessage Kind = "message"
	kindFeed    Kind = "feed"
	KindCSS     Kind = "css"
	KindArchive Kind = "archive" // of the media type ArchiveType, in a request
)

// DocumentKinds are the kinds that --type names. Only --type makes a style sheet of a file.
var DocumentKinds = []Kind{KindHTML, kindMessage, kindFeed, KindCSS}

// What messages say of the kinds that are seen from a file itself.
const (
	KindWords = "HTML, a message or a feed"
	typeHint  = "--type html, message or feed says so"
	typePage  = "if it is one, choose its type under Options"
)

// A containerKind is a kind of file that documents stand in.
type containerKind struct {
	Kind Kind
	sent string // the media type of one that is rewritten, if the request has none
	is   func(start []byte, name string) bool

	// Encoded is how many bytes of the encoded form of a document may be held for each byte
	// that may be held of the document itself.
	Encoded int64

	new func(o containerOptions, html *rewriter.Rewriter) tree.Rewriting
}

// Containers are asked in this order what a file is. What none of them takes for its
// own is HTML.
var Containers = []containerKind{
	{
		Kind: kindFeed, sent: "application/xml",
		is: feed.Is, Encoded: 8,
		new: func(o containerOptions, html *rewriter.Rewriter) tree.Rewriting { return o.feed(html) },
	},
	{
		Kind: kindMessage, sent: "message/rfc822",
		is: mail.Is, Encoded: 4,
		new: func(o containerOptions, html *rewriter.Rewriter) tree.Rewriting {
			return &mail.Rewriter{HTML: html, Attachments: o.Attachments, Hold: html.Options().Hold}
		},
	},
}

// ContainerOf returns the container that a kind is; nil where the kind is one document.
func ContainerOf(k Kind) *containerKind {
	i := slices.IndexFunc(Containers, func(c containerKind) bool { return c.Kind == k })
	if i < 0 {
		return nil
	}
	return &Containers[i]
}

// IsContainer reports whether documents stand in a file of the kind.
func (k Kind) IsContainer() bool { return ContainerOf(k) != nil }

const jsonFeedType = "application/feed+json"

// KindOfTypes has the kinds of what has a media type; "" where it leaves the kind open, as those
// of XML do.
var KindOfTypes = map[string]Kind{
	"application/xml": "", "text/xml": "", media.HTML: KindHTML, media.XHTML: KindHTML, media.CSS: KindCSS, ArchiveType: KindArchive,
	"application/rss+xml": kindFeed, "application/atom+xml": kindFeed, "application/rdf+xml": kindFeed, jsonFeedType: kindFeed,
	"message/rfc822": kindMessage, "multipart/related": kindMessage, "application/mbox": kindMessage,
}

// KindOfType returns the kind of what has a media type; "" if the media type leaves the
// kind open. It is not ok if the media type says that no document is there.
func KindOfType(mediaType string) (k Kind, ok bool) {
	k, ok = KindOfTypes[mediaType]
	return k, ok || mediaType == ""
}

// MediaType returns the media type of what is rewritten.
func (k Kind) MediaType() string {
	if c := ContainerOf(k); c != nil {
		return c.sent
	}
	if k == KindCSS {
		return media.CSS
	}
	return media.HTML
}

// StartSize is how many bytes of a file are enough to see what it holds.
const StartSize = 4 << 10

// StartOf returns what src begins with, and a reader of all of it. It reads from a
// pipe only until it is clear what that holds.
func StartOf(src io.Reader) (start []byte, whole io.Reader) {
	start = make([]byte, StartSize)
	if f, ok := src.(*os.File); ok { // and stays one: some readers seek
		if at, err := f.Seek(0, io.SeekCurrent); err == nil {
			if n, err := f.ReadAt(start, at); n > 0 || err == io.EOF {
				return start[:n], src
			}
		}
	}
	src = &steady.Reader{Src: src}
	n := 0
	var err error
	for n < StartSize && err == nil && !media.SurelyHTML(start[:n]) && !feed.Is(start[:n], "") {
		var m int
		m, err = src.Read(start[n:])
		n += m
	}
	start = start[:n]
	return start, io.MultiReader(bytes.NewReader(start), src)
}

// OtherFile returns what rewrites a file of a tree that is not a page: a feed or a sitemap,
// also one that gzip has compressed. A message or an archive in a tree is copied.
func (o FeedOptions) OtherFile(start []byte, name string, html *rewriter.Rewriter) tree.Rewriting {
	if feed.Is(start, name) {
		return o.feed(html)
	}
	if isGzipFeed(start, name) {
		return gzipFeed{html, o}
	}
	return nil
}

// SeenKind returns what a file holds, as is seen from what it begins with and from its name.
func SeenKind(start []byte, name string) Kind {
	if media.SurelyHTML(start) {
		return KindHTML
	}
	for _, c := range Containers {
		if c.is(start, name) {
			return c.Kind
		}
	}
	return KindHTML
}

// check refuses a document that is not a document, which rewriting would break. Whether a
// file is a page is seen from its name and its beginning. An input from elsewhere has no
// name that counts; it is taken for a page unless it plainly is something else.
func (d *Document) check() error {
	start := d.Look()
	switch {
	case warc.Is(start, d.Name):
		return instead[media.WACZ]
	case d.Kind != KindHTML, len(start) == 0:
		return nil
	case d.File && tree.Is(start, d.Name), !d.File && !media.IsBinary(start):
		return nil
	}
	kind := media.Type(start, d.Name)
	if r, ok := instead[kind]; ok {
		return r
	}
	if kind == "" {
		return &Refused{"does not look like " + KindWords + ", by its name and by what it begins with", "(if it is one, " + typeHint + ")", typePage}
	}
	return &Refused{"is " + kind + ", not " + KindWords, "(if it is one, " + typeHint + ")", typePage}
}

// A Refused says that a file is not a document, and what to do with it.
type Refused struct{ why, command, page string }

func (r *Refused) Error() string { return r.why + separator(r.command) + r.command }

// Page returns the message as the page shows it: with what a visitor can do there, and no option of
// the command.
func (r *Refused) Page() string { return r.why + separator(r.page) + r.page }

// separator returns what stands before what is to be done.
func separator(do string) string {
	switch {
	case do == "":
		return ""
	case do[0] == '(':
		return " "
	}
	return "; "
}

// What is to be done with a web archive, wherever a document is asked for.
const (
	webArchive = "is a web archive"
	onArchives = "absolink warc rewrites it, and absolink list shows its links"
	WebArchive = webArchive + "; " + onArchives
)

var compressed = &Refused{"is compressed", "decompress it first", "decompress it first"}

// instead says what files of some types are, and what to do with them.
var instead = map[string]*Refused{
	media.WACZ:  {webArchive, onArchives, "the command absolink warc rewrites it"},
	media.PDF:   {"is PDF, whose links absolink cannot rewrite", "", ""},
	media.ZIP:   {"is a ZIP archive", "unzip it, and name the files in it", "unzip it, and drop the files in it"},
	media.GZIP:  compressed,
	media.Zstd:  compressed,
	media.BZIP2: compressed,
	media.XZ:    compressed,
	media.CSS:   {"is a style sheet", "--type css rewrites it, with --url as the URL of the sheet itself", "choose the type css under Options, and write the URL of the sheet itself above"},
}
