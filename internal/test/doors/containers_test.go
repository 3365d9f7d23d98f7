package doors_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"mime/quotedprintable"
	"strings"
	"time"

	"absolink/internal/coding"
	"absolink/internal/test/doors"
	"absolink/rewriter"
	"absolink/rewriter/feed"
	"absolink/rewriter/mail"
	"absolink/rewriter/warc"
)

const (
	oneRecord = "a record says how long it is"
	ofRecord  = "an error says in which record it is"
)

var containers = []doors.Door{
	message("mail, 8bit", "8bit", same, same),
	message("mail, quoted-printable", "quoted-printable", quoted, unquoted),
	message("mail, base64", "base64", func(b []byte) []byte { return []byte(base64.StdEncoding.EncodeToString(b)) }, func(b []byte) []byte {
		b, _ = base64.StdEncoding.AppendDecode(nil, b) // which takes line breaks
		return b
	}),
	mhtml("mail, MHTML", "http://other/", nil),
	mhtml("mail, MHTML, a part that is named", "x", doors.Not("the reference to the part stays", "same", "location", "told", "counts")),
	{Name: "mail, mbox", Most: 20 << 20, NoDst: true, Not: plain, Run: mailed, Wrap: func(doc []byte, _ bool) []byte {
		return []byte("From a@b Mon Jan  1 00:00:00 2001\nContent-Type: text/html\n\n" + string(doc) + "\n\nFrom a@b Mon Jan  1 00:00:00 2001\n\nx\n")
	}, Seen: doors.Between("text/html\n\n", "\n\nFrom a@b "), Takes: func(doc []byte) bool { return !bytes.Contains(doc, []byte("From ")) }},
	rss("feed, RSS", html.EscapeString, html.UnescapeString),
	rss("feed, CDATA", func(s string) string { return "<![CDATA[" + s + "]]>" }, func(s string) string { return strings.TrimSuffix(strings.TrimPrefix(s, "<![CDATA["), "]]>") }),
	linked(rss("feed, RSS, its link comes later", html.EscapeString, html.UnescapeString)),
	{Name: "feed, JSON", Charset: "utf-8", NoDst: true, Not: plain, Run: fed, Takes: doors.IsText, Most: 20 << 20, Wrap: func(doc []byte, _ bool) []byte {
		s, err := json.Marshal(string(doc))
		if err != nil {
			panic(err)
		}
		return []byte(`{"version":"https://jsonfeed.org/version/1","items":[{"content_html":` + string(s) + `}]}`)
	}, Seen: func(out []byte) []byte {
		var s string
		if err := json.Unmarshal([]byte(`"`+string(doors.Between(`"content_html":"`, `"}]}`)(out))+`"`), &s); err != nil {
			return append([]byte("not a string: "), out...)
		}
		return []byte(s)
	}},
	convert,
	packed(convert, "gzip", coding.Gzip),
	packed(convert, "zstd", coding.Zstd),
	replace,
	packed(replace, "gzip", coding.Gzip),
	{Name: "warc.List", Of: []string{"warc.Rewriter.List"}, Want: placesOf, Wrap: doors.Record, Takes: doors.NotEmpty,
		Not: doors.With(listNot.Without("visit", "panic", "told", "counts", "cancel"), doors.Not(oneRecord, "memory"), doors.Not(ofRecord, "where")),
		Run: func(p *doors.Pass) error {
			summary, err := (&warc.Rewriter{HTML: p.HTML, Jobs: 2}).List(p.Ctx, p.Dst, p.Src, func(b []byte, _ *warc.Page, place *rewriter.Place) []byte {
				return append(b, line(place)...)
			})
			return counted(p, summary.Places, err)
		}},
}

var (
	convert = archive("warc.Convert", (*warc.Rewriter).Convert, doors.With(doors.Not("a conversion is a new record", "kept", "stays"), doors.Not("a conversion is not converted", "twice")), "\r\n\r\n")
	replace = reading(archive("warc.Replace", func(r *warc.Rewriter, ctx context.Context, dst io.Writer, src io.Reader) (warc.Summary, error) {
		b, err := read(src)
		if err != nil {
			return warc.Summary{}, err
		}
		return r.Replace(ctx, dst, bytes.NewReader(b))
	}, doors.Not("a page whose part holds other records is read twice", "told"), "text/html\r\n\r\n"))
)

func same(b []byte) []byte { return b }

func mailed(p *doors.Pass) error {
	result, err := (&mail.Rewriter{HTML: p.HTML}).Rewrite(p.Dst, p.Src, p.Outer)
	return counted(p, result, err)
}

// message returns the door for a message that is a document, in a transfer encoding.
func message(name, encoding string, encode, decode func([]byte) []byte) doors.Door {
	head := []byte("Content-Type: text/html\r\nContent-Transfer-Encoding: " + encoding + "\r\n\r\n")
	return doors.Door{
		Name: name, Of: []string{"mail.Rewriter.Rewrite"}, NoDst: true, Slow: encoding != "8bit", Not: plain, Run: mailed,
		Wrap:  func(doc []byte, _ bool) []byte { return append(bytes.Clone(head), encode(doc)...) },
		Seen:  func(out []byte) []byte { return decode(bytes.TrimPrefix(out, head)) },
		Takes: func(doc []byte) bool { return bytes.Equal(decode(encode(doc)), doc) },
	}
}

// mhtml returns the door for a saved page: a document, and another part with a name. What
// is read ahead for names is held.
func mhtml(name, other string, exceptions doors.Exceptions) doors.Door {
	const end = "\r\n--b\r\nContent-Location: "
	return doors.Door{
		Name: name, Not: doors.With(plain, exceptions), NoDst: true, Run: mailed, Most: 20 << 20,
		Wrap: func(doc []byte, _ bool) []byte {
			return []byte("Content-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n" + string(doc) + end + other + "\r\n\r\nx\r\n--b--\r\n")
		},
		Seen: doors.Between("text/html\r\n\r\n", end),
	}
}

func quoted(b []byte) []byte {
	var out bytes.Buffer
	w := quotedprintable.NewWriter(&out)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

func unquoted(b []byte) []byte {
	b, _ = io.ReadAll(quotedprintable.NewReader(bytes.NewReader(b)))
	return b
}

func fed(p *doors.Pass) error {
	result, err := (&feed.Rewriter{HTML: p.HTML}).Rewrite(p.Dst, p.Src, p.Outer)
	return counted(p, result, err)
}

// rss returns the door for a document in an item of a feed.
func rss(name string, escape, unescape func(string) string) doors.Door {
	const head, end = "<description>", "</description></item></channel></rss>"
	return doors.Door{
		Name: name, Of: []string{"feed.Rewriter.Rewrite"}, Charset: "utf-8", NoDst: true, Run: fed, Most: 24 << 20,
		Not: plain,
		Takes: func(doc []byte) bool {
			return doors.IsXML(doc) && unescape(escape(string(doc))) == string(doc) && !bytes.Contains(doc, []byte("]]>"))
		},
		Wrap: func(doc []byte, _ bool) []byte {
			return []byte("<rss version='2.0'><channel><item>" + head + escape(string(doc)) + end)
		},
		Seen: func(out []byte) []byte { return []byte(unescape(string(doors.Between(head, end)(out)))) },
	}
}

// linked returns a door of feeds in which the link of the item, which is the base of the
// document, comes after the document. What fails before the link is read leaves no base.
func linked(d doors.Door) doors.Door {
	d.Not = doors.With(d.Not, doors.Not("the link of the item is a place, too", "told", "counts"))
	wrap := d.Wrap
	d.Wrap = func(doc []byte, based bool) []byte {
		feed := wrap(doc, based)
		if !based {
			return feed
		}
		return bytes.Replace(feed, []byte("</description></item>"), []byte("</description><link>"+doors.Base+"</link></item>"), 1)
	}
	seen := d.Seen
	d.Seen = func(out []byte) []byte {
		if end := bytes.LastIndex(out, []byte("<link>")); end >= 0 {
			out = append(bytes.Clone(out[:end]), "</item></channel></rss>"...)
		}
		return seen(out)
	}
	d.Run = func(p *doors.Pass) error {
		if p.Outer != nil {
			other, err := p.HTML.ParseBase("http://other/")
			if err != nil {
				return err
			}
			p.Outer = other
		}
		return fed(p)
	}
	return d
}

// archive returns the door for an archive with one document. The document that comes out
// stands after a text.
func archive(name string, do func(*warc.Rewriter, context.Context, io.Writer, io.Reader) (warc.Summary, error), exceptions doors.Exceptions, after string) doors.Door {
	return doors.Door{
		Name: name, Of: []string{strings.Replace(name, "warc.", "warc.Rewriter.", 1)}, Takes: doors.NotEmpty, Wrap: doors.Record,
		Not: doors.With(doors.Not(oneRecord, "memory"), doors.Not(ofRecord, "where"), exceptions),
		Run: func(p *doors.Pass) error {
			r := &warc.Rewriter{HTML: p.HTML, Output: warc.None, Seed: "x", Date: time.Unix(0, 0), Jobs: 2}
			summary, err := do(r, p.Ctx, p.Dst, p.Src)
			return counted(p, summary.Places, err)
		},
		Seen: func(out []byte) []byte {
			_, block, _ := bytes.Cut(out, []byte(after))
			return bytes.TrimSuffix(block, []byte("\r\n\r\n"))
		},
	}
}

// reading returns a door whose row reads all of the document first.
func reading(d doors.Door) doors.Door {
	d.Row = doors.Reads
	return d
}

// packed returns the door for an archive whose record is compressed. What comes out is not.
func packed(d doors.Door, name string, c coding.Coding) doors.Door {
	const unpacks = "what comes out is not compressed, as Output says"
	wrap := d.Wrap
	d.Name, d.Of, d.Slow, d.Not = d.Name+", "+name, nil, true, doors.With(d.Not, doors.Not(unpacks, "stays", "kept"))
	d.Wrap = func(doc []byte, based bool) []byte { return doors.Coded(wrap(doc, based), c) }
	return d
}
