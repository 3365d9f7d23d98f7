package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/alecthomas/kong"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/outfile"
	"absolink/internal/listing"
	"absolink/internal/steady"
	"absolink/internal/test/doors"
	"absolink/internal/usage"
	"absolink/rewriter"
	"absolink/rewriter/container"
)

// TestDoors checks every promise at every way for a document through the command and its
// servers. By default it takes a sample of the documents, all of which go through the
// doors of the library.
func TestDoors(t *testing.T) {
	outfile.CatchInterrupts() // its goroutine stays
	const says = "a message or a status says what failed"
	all := slices.Concat(commandDoors, serverDoors(startStage(t)))
	for i := range all {
		all[i].Opaque = says
		all[i].Not = doors.With(doors.Not(says, "where"), all[i].Not)
	}
	doors.Check(t, 8, all)
}

// notDoors are the subcommands, and the patterns of requests to absolink serve, that are no
// ways for a document, and why.
var notDoors = map[string]string{
	"rules": "prints a table", "resolve": "takes references", "serve": "its endpoints have rows", "help": "prints help", "version": "prints a version",
	"GET /resolve": "takes references", "POST /resolve": "takes references", "GET /openapi.json": "describes the others",
	"GET /healthz": "for operators", "GET /absolink.html": "is the page as a file", "GET /metrics": "for operators",
	"GET /{$}": "the page", "GET /page/quiet.html": "a part of the page", "GET /page/elsewhere.html": "a part of the page",
}

// TestEveryDoor wants a row for each subcommand, and for each pattern of requests to
// absolink serve.
func TestEveryDoor(t *testing.T) {
	found := (&serveCommand{Jobs: 1}).server(nil).Patterns()
	for _, c := range newParser(allCommands).Model.Children {
		found = append(found, c.Name)
	}
	var of []string
	for _, d := range slices.Concat(commandDoors, serverDoors(new(stage))) {
		of = append(of, d.Of...)
	}
	for _, name := range found {
		if _, isNot := notDoors[name]; slices.Contains(of, name) == isNot {
			t.Errorf("%s needs either a row in commandDoors or serverDoors, or a reason in notDoors", name)
		}
	}
	for _, name := range slices.AppendSeq(of, maps.Keys(notDoors)) {
		if !slices.Contains(found, name) {
			t.Errorf("a row or notDoors names %s, which is neither a subcommand nor a pattern of absolink serve", name)
		}
	}
}

const (
	noFunctions = "options take no functions"
	onDisk      = "the FILE is on a disk before it is read, and after it is written"
	noDocument  = "a list comes out, not a document"
	inMemory    = "the document is in memory"
	aFile       = "standard output is a file, which takes all or returns an error"
	noCounts    = "no counts are printed; --report prints some"
)

var (
	options = doors.Not(noFunctions, "told", "kept", "hostile", "visit", "panic")
	filter  = doors.With(doors.Not(noCounts, "counts"), doors.Not("signals end the command", "cancel"), options)
	file    = doors.With(doors.Not(onDisk, "memory"), filter)
	onFiles = slices.Concat(doors.Reads, doors.Writes)
	lists   = doors.With(doors.Not(noDocument, "location", "stays", "twice", "structure"), filter)
)

// most is how much memory a document of 8 MiB may take: messages name lines, and a server holds
// an answer back.
const most = 6 << 20

var commandDoors = []doors.Door{
	{Name: "absolink", Most: most, Of: []string{"rewrite"}, Not: filter, Run: func(p *doors.Pass) error {
		return perform(p, p.Src, p.Dst, nothing[rewriteCommand], "--type=html")
	}},
	{Name: "absolink, message", Most: most, Not: filter, Takes: noNUL, Wrap: message8bit, Seen: doors.Between(messageHead, ""), Run: func(p *doors.Pass) error {
		return perform(p, p.Src, p.Dst, nothing[rewriteCommand])
	}},
	{Name: "absolink, feed", Charset: "utf-8", Most: 28 << 20, Not: filter, Wrap: func(doc []byte, _ bool) []byte {
		return []byte(feedHead + html.EscapeString(string(doc)) + feedTail)
	}, Seen: func(out []byte) []byte {
		return []byte(html.UnescapeString(string(doors.Between(feedHead, feedTail)(out))))
	}, Takes: doors.IsXML, Run: func(p *doors.Pass) error {
		return perform(p, p.Src, p.Dst, nothing[rewriteCommand])
	}},
	{Name: "absolink - FILE", Most: most, Not: filter, Run: func(p *doors.Pass) error {
		return perform(p, p.Src, p.Dst, func(c *rewriteCommand) { c.Files = []string{"-", os.DevNull} }, "--type=html", "-j2")
	}},
	{Name: "absolink -o FILE", Most: most, Row: doors.Writes, Not: filter, Run: func(p *doors.Pass) error {
		return inDirectory(p, func(dir string) error {
			name := filepath.Join(dir, "out")
			return perform(p, p.Src, io.Discard, func(c *rewriteCommand) { c.Output = &name }, "--type=html")
		})
	}},
	{Name: "absolink -w FILE", Row: onFiles, Not: file, Run: func(p *doors.Pass) error {
		return inDirectory(p, func(dir string) error {
			name := filepath.Join(dir, "out")
			if err := store(name, p.Src); err != nil {
				return err
			}
			return perform(p, nil, io.Discard, func(c *rewriteCommand) { c.InPlace, c.Files = true, []string{name} }, "--type=html")
		})
	}},
	{Name: "absolink -o DIR FILE...", Row: onFiles, Not: file, Run: func(p *doors.Pass) error {
		return inDirectory(p, func(dir string) error {
			from := []string{filepath.Join(dir, "from", "out"), filepath.Join(dir, "from", "again")}
			defer func() { os.RemoveAll(filepath.Dir(from[0])); os.Remove(filepath.Join(dir, "again")) }()
			if err := cmp.Or(store(from[0], p.Src), store(from[1], strings.NewReader("<a href=x>"))); err != nil {
				return err
			}
			return perform(p, nil, io.Discard, func(c *rewriteCommand) { c.Output, c.Files = &dir, from }, "--type=html")
		})
	}},
	{Name: "absolink --diff", Row: doors.Writes, Not: doors.With(doors.Not(inMemory, "memory"), filter), Run: func(p *doors.Pass) error {
		var doc, diff bytes.Buffer
		if err := perform(p, io.TeeReader(p.Src, &doc), &diff, nothing[rewriteCommand], "--type=html", "--diff"); err != nil {
			return err
		}
		return doors.Put(p.Dst, patched(doc.Bytes(), diff.Bytes()))
	}},
	{Name: "absolink --report", Most: most, Not: doors.With(doors.Not("what could be read of all FILEs is counted", "read"), doors.Not(aFile, "short write"), lists), Want: countsSeen, Seen: placesOf, Leads: rewrittenOn, Run: func(p *doors.Pass) error {
		return perform(p, p.Src, p.Dst, nothing[rewriteCommand], "--type=html", "--report", "--json")
	}},
	{Name: "absolink list", Most: most, Of: []string{"list"}, Not: lists, Want: listOf("<stdin>"), Run: func(p *doors.Pass) error {
		return perform(p, p.Src, p.Dst, nothing[listCommand], "--type=html")
	}},
	{Name: "absolink base", Most: most, Of: []string{"base"}, Not: doors.With(doors.Not(aFile, "short write"), lists), Want: baseURL, Seen: baseIn, Leads: leadsOn(baseIn), Run: func(p *doors.Pass) error {
		return perform(p, p.Src, p.Dst, nothing[baseCommand], "--type=html", "--json")
	}},
	inTree("absolink tree SRC DST", "to", func(c *treeCommand, dir string) { c.Dst = filepath.Join(dir, "to") }),
	inTree("absolink tree -w SRC", "from", func(c *treeCommand, _ string) { c.InPlace, c.Dst = true, "" }),
	{Name: "absolink warc", Of: []string{"warc"}, Takes: doors.NotEmpty, Wrap: doors.Record, Seen: func(out []byte) []byte {
		return doors.Between("\r\n\r\n", "\r\n\r\n")(doors.Between("WARC-Type: conversion", "")(doors.Unzipped(out)))
	},
		Not: doors.With(doors.Not("a conversion is a new record", "stays", "twice"), doors.Not("a record says how long it is", "memory"), filter),
		Run: func(p *doors.Pass) error {
			alone := *p
			alone.Outer = nil // the record has it
			return perform(&alone, p.Src, p.Dst, func(c *warcCommand) { c.Files = []string{"-"} }, "-o-", "--reproducible", "--date=2020-01-01T00:00:00Z", "-")
		}},
}

// parsed has the commands that perform has parsed already.
var parsedCommands sync.Map

// perform performs a command with the options of a Pass, and with what set sets. Its
// warnings go to the function of the Pass.
func perform[C any, P interface {
	*C
	Run(*console.UI) error
}](p *doors.Pass, stdin io.Reader, stdout io.Writer, set func(P), args ...string) error {
	for name, values := range optionsOf(p) {
		args = append(args, "--"+name+"="+values[0])
	}
	if p.Outer != nil {
		args = append(args, "--url="+p.Outer.String())
	}
	c := parsed[C](args)
	set(&c)
	var stderr strings.Builder
	ui := &console.UI{Stdin: stdin, Stdout: stdout, Stderr: &stderr}
	if err := P(&c).Run(ui); err != nil {
		return err
	}
	for line := range strings.Lines(stderr.String()) {
		container.Warn(p.HTML, 0, errors.New(line))
	}
	if ui.Code != console.ExitDone {
		return fmt.Errorf("exit code %d: %s", ui.Code, &stderr)
	}
	return nil
}

func nothing[C any](*C) {}

// parsed returns a command with these options.
func parsed[C any](args []string) C {
	slices.Sort(args)
	key := fmt.Sprintf("%T %q", *new(C), args)
	if c, ok := parsedCommands.Load(key); ok {
		return c.(C)
	}
	var c C
	if _, err := kong.Must(&c, kong.Name("absolink"), usage.Strings).Parse(args); err != nil {
		panic(err)
	}
	parsedCommands.Store(key, c)
	return c
}

// optionsOf returns the options of a Pass, by the names that they have on the command line
// and in a query.
func optionsOf(p *doors.Pass) url.Values {
	o := p.HTML.Options()
	v := url.Values{"profile": {o.Profile.String()}}
	for name, value := range map[string]bool{"keep-fragments=true": o.KeepFragments, "base-tag=remove": o.RemoveBase, "scope=document": o.WholeDocument} {
		if name, word, _ := strings.Cut(name, "="); value {
			v.Set(name, word)
		}
	}
	v.Set("hold", fmt.Sprint(o.Hold))
	return v
}

// inDirectory calls do with a new directory, and passes on the file "out" that do leaves
// there. After an error nothing may be there, and otherwise nothing but this file: the
// directory would stay, which is a leak.
func inDirectory(p *doors.Pass, do func(dir string) error) error {
	dir, err := os.MkdirTemp("", "doors")
	if err != nil {
		return err
	}
	defer os.Remove(dir)
	if err := do(dir); err != nil {
		return err
	}
	out := filepath.Join(dir, "out")
	b, err := os.ReadFile(out)
	return cmp.Or(err, os.Remove(out), doors.Put(p.Dst, b))
}

// store writes a file, in a directory that may not be there yet.
func store(name string, src io.Reader) error {
	doc, err := io.ReadAll(&steady.Reader{Src: src})
	return cmp.Or(err, os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, doc, 0o666))
}

// inTree returns the door for a tree with one page. set says where it goes.
func inTree(name, to string, set func(c *treeCommand, dir string)) doors.Door {
	return doors.Door{Name: name, Of: []string{"tree"}, Row: onFiles, Not: doors.With(doors.Not("a tree has a URL", "stays"), file), Run: func(p *doors.Pass) error {
		return inDirectory(p, func(dir string) error {
			from := filepath.Join(dir, "from")
			defer func() { os.RemoveAll(from); os.RemoveAll(filepath.Join(dir, "to")) }()
			if err := store(filepath.Join(from, "p.html"), p.Src); err != nil {
				return err
			}
			site, err := p.HTML.ParseBase("http://h/d/")
			if err != nil {
				return err
			}
			tree := *p
			tree.Outer = site
			if err := perform(&tree, nil, io.Discard, func(c *treeCommand) { c.Src = from; set(c, dir) }, "SRC", "DST"); err != nil {
				return err
			}
			return os.Rename(filepath.Join(dir, to, "p.html"), filepath.Join(dir, "out"))
		})
	}}
}

const (
	messageHead = "Content-Type: text/html\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
	feedHead    = "<rss version='2.0'><channel><item><description>"
	feedTail    = "</description></item></channel></rss>"
)

// noNUL reports whether a message with a document is taken for one: its header alone does not say
// that bytes of zero are text.
func noNUL(doc []byte) bool { return !bytes.ContainsRune(doc, 0) }

func message8bit(doc []byte, _ bool) []byte { return append([]byte(messageHead), doc...) }

// core sends a document through Rewriter.Rewrite.
func core(p *doors.Pass) rewriter.Result {
	result, err := p.HTML.Rewrite(nil, p.Src, p.Outer)
	if err != nil {
		panic(err)
	}
	return result
}

// listOf returns a function that returns the list of the places that Rewrite visits.
func listOf(file string) func(*doors.Pass) []byte {
	return func(p *doors.Pass) (list []byte) {
		visit := func(place *rewriter.Place) error {
			list = listing.AppendJSON(list, listing.Place{Place: place, File: file})
			return nil
		}
		core(&doors.Pass{HTML: p.HTML.With(rewriter.Hooks{Visit: visit, Text: true}), Src: p.Src, Outer: p.Outer})
		return list
	}
}

// baseURL returns the base URL that Rewrite finds.
func baseURL(p *doors.Pass) []byte { return []byte(core(p).Base.URL.String()) }

// baseIn returns the URL in what base prints.
func baseIn(line []byte) []byte {
	var b struct{ Base struct{ URL string } }
	if err := json.Unmarshal(line, &b); err != nil {
		panic(err)
	}
	return []byte(b.Base.URL)
}

// leadsOn returns a function that reports whether the link "late" leads to a URL on the base
// URL that a door prints.
func leadsOn(base func([]byte) []byte) func([]byte, string) bool {
	return func(out []byte, to string) bool {
		u, err := url.Parse(string(base(out)))
		if err != nil {
			panic(err)
		}
		return u.ResolveReference(&url.URL{Path: "late"}).String() == to
	}
}

// countsSeen returns the counts that Rewrite returns, and placesOf those that a report has.
func countsSeen(p *doors.Pass) []byte { return fmt.Append(nil, countsOf(core(p))) }

func placesOf(report []byte) []byte {
	var r struct{ Places counts }
	if err := json.Unmarshal(report, &r); err != nil {
		panic(err)
	}
	return fmt.Append(nil, r.Places)
}

// rewrittenOn reports whether a link was rewritten, in a report, to one on the host of a URL.
func rewrittenOn(report []byte, to string) bool {
	var r struct {
		Hosts []struct {
			Name      string
			Rewritten int
		} `json:"by_host"`
	}
	if err := json.Unmarshal(report, &r); err != nil {
		panic(err)
	}
	for _, host := range r.Hosts {
		if host.Rewritten == 1 {
			return strings.HasPrefix(to, "http://"+host.Name+"/")
		}
	}
	return false
}

// patched returns what a diff makes of a document.
func patched(doc, diff []byte) (out []byte) {
	lines := bytes.SplitAfter(doc, []byte("\n"))
	at, added := 0, false // the line of doc that is next; whether the last line of the diff is in out
	for line := range bytes.Lines(diff) {
		switch {
		case bytes.HasPrefix(line, []byte("---")) && at == 0 || bytes.HasPrefix(line, []byte("+++")) && at == 0:
		case line[0] == '@':
			var first, n int
			fmt.Sscanf(string(line), "@@ -%d,%d", &first, &n)
			for ; at < first-1; at++ {
				out = append(out, lines[at]...)
			}
		case line[0] == '\\' && added:
			out = bytes.TrimSuffix(out, []byte("\n"))
		case line[0] == '\\':
		default:
			if added = line[0] != '-'; added {
				out = append(out, line[1:]...)
			}
			if line[0] != '+' {
				at++
			}
		}
	}
	return append(out, bytes.Join(lines[at:], nil)...)
}
