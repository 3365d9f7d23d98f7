//go:build wasip1

// Command wasm is the library as a WebAssembly module, for the npm package absolink: its
// exports are what core.js calls. The host writes arguments at room, calls a function,
// and reads its result at result. Everything runs in the call; nothing is left behind.
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared ./bindings/js/wasm
package main

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unsafe"

	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/feed"
)

func main() {}

var (
	in  []byte // what the host has written
	out output // what the host reads
)

type output []byte

func (o *output) Write(p []byte) (int, error) {
	*o = append(*o, p...)
	return len(p), nil
}

// keep is how much room and output stay from call to call.
const keep = 1 << 20

// room makes room for n bytes of arguments, and returns their address.
//
//go:wasmexport room
func room(n uint32) uint32 {
	if uint32(cap(in)) < n || cap(in) > keep {
		in = make([]byte, n)
	}
	in = in[:n]
	return address(in)
}

//go:wasmexport result
func result() uint32 { return address(out) }

//go:wasmexport resultLength
func resultLength() uint32 { return uint32(len(out)) }

func address(b []byte) uint32 { return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

// A status is what a function of the module returns. The message of an error is the
// result.
type status = uint32

const (
	done status = iota
	wrongType
	outOfRange
	failed
)

// clear begins a call.
func clear() {
	if out = out[:0]; cap(out) > keep {
		out = nil
	}
}

// say ends a call with an error.
func say(err error) status {
	if err == nil {
		return done
	}
	out = append(out[:0], err.Error()...)
	var limit *rewriter.LimitError
	switch {
	case errors.Is(err, errHost):
		return failed
	case errors.As(err, &limit), errors.Is(err, errRange):
		return outOfRange
	}
	return wrongType
}

var errRange = errors.New("")

// cut returns the next n bytes of what the host has written.
func cut(rest *[]byte, n uint32) []byte {
	b := (*rest)[:n]
	*rest = (*rest)[n:]
	return b
}

// A configured is a Rewriter, and the base that it parsed last.
type configured struct {
	*rewriter.Rewriter
	done  func(*rewriter.Result) error // nil if the host does not ask
	url   string
	outer *resolver.Base
}

// base returns the outer base for a URL; nil if the URL is empty.
func (c *configured) base(url []byte) (*resolver.Base, error) {
	if len(url) == 0 {
		return nil, nil
	}
	if c.outer == nil || c.url != string(url) {
		outer, err := c.ParseBase(string(url))
		if outer == nil {
			return nil, err
		}
		c.url, c.outer = string(url), outer
	}
	return c.outer, nil
}

var (
	rewriters []*configured
	streams   = map[uint32]*stream{}
	last      uint32 // the number of the last stream
)

// configure makes a Rewriter of options: names and values in turn, each with a NUL after
// it. The result is its number.
//
//go:wasmexport configure
func configure(n uint32) status {
	clear()
	c := config{Options: rewriter.Options{Profile: resolver.WHATWG}}
	fields := strings.Split(string(in[:n]), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		if err := c.set(fields[i], fields[i+1]); err != nil {
			return say(err)
		}
	}
	rw, err := rewriter.New(c.Options)
	if err != nil {
		return say(err)
	}
	rewriters = append(rewriters, &configured{Rewriter: rw.With(c.Hooks), done: c.Done})
	out = binary.LittleEndian.AppendUint32(out, uint32(len(rewriters)-1))
	return done
}

// A config is what the host may set of a Rewriter.
type config struct {
	rewriter.Options
	rewriter.Hooks
	Done func(*rewriter.Result) error // is told when a document has come to its end
}

// hooks are the functions of the host, by the hooks that call them.
var hooks = map[string]any{
	"Done":         tellDone,
	"Visit":        visit,
	"Unresolvable": func(p *rewriter.Place) { tell(hostUnresolvable, p) },
	"Warn": func(offset int64, err error) {
		message := []byte(err.Error())
		hostWarn(float64(offset), address(message), uint32(len(message)))
	},
}

// options are the options and hooks that the host may set, by their names there.
var options = func() map[string]reflect.StructField {
	m := map[string]reflect.StructField{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[config]()) {
		// A Place has neither a text nor a document in the host.
		if !f.Anonymous && f.Name != "Text" && f.Name != "Begin" && f.Name != "End" {
			m[strings.ToLower(f.Name[:1])+f.Name[1:]] = f
		}
	}
	return m
}()

// kinds are the kinds of values that options take, as the host knows them.
var kinds = map[reflect.Kind]string{reflect.Bool: "flag", reflect.Int: "number", reflect.Func: "function", reflect.Slice: "list"}

// optionKinds lists the options: a line for each has its name and the kind of its value.
//
//go:wasmexport optionKinds
func optionKinds() status {
	clear()
	for name, f := range options {
		kind := cmp.Or(kinds[f.Type.Kind()], "text")
		if f.Type == reflect.TypeFor[[]string]() {
			kind = "texts"
		}
		fmt.Fprintln(&out, name, kind)
	}
	return done
}

// set sets one option.
func (c *config) set(name, value string) error {
	if name == "rule" { // of rules, which came before
		group := rewriter.RuleGroup(value)
		if group == nil {
			rule, err := rewriter.ParseRule(value)
			if err != nil {
				return err
			}
			group = []rewriter.Rule{rule}
		}
		c.Rules = append(c.Rules, group...)
		return nil
	}
	f, ok := options[name]
	if !ok {
		return fmt.Errorf("no such option: %q", name)
	}
	field := reflect.ValueOf(c).Elem().FieldByIndex(f.Index)
	if t, ok := field.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return t.UnmarshalText([]byte(value))
	}
	switch field.Kind() {
	case reflect.Slice:
		if f.Type.Elem().Kind() == reflect.String { // an option for each text
			field.Set(reflect.Append(field, reflect.ValueOf(value)))
			break
		}
		if value != "" {
			return fmt.Errorf("%s has no value: a rule is an option %q of its own", name, "rule")
		}
		field.Set(reflect.MakeSlice(f.Type, 0, 0))
	case reflect.Bool:
		if value != "true" && value != "false" {
			return fmt.Errorf("%s is true or false, not %q", name, value)
		}
		field.SetBool(value == "true")
	case reflect.Func:
		hook, ok := hooks[f.Name]
		if !ok {
			return fmt.Errorf("the module has no function for %q", name)
		}
		field.Set(reflect.ValueOf(hook))
	case reflect.Int:
		n, err := strconv.Atoi(value)
		if err != nil || n <= 0 {
			return fmt.Errorf("%s takes a number of bytes above 0%w", name, errRange)
		}
		field.SetInt(int64(n))
	default:
		return fmt.Errorf("the module cannot set %q", name)
	}
	return nil
}

// The host has these functions for visit, unresolvable, warn and done. A place is at an
// address, as appendPlace writes it. hostVisit returns the length of the URL to write,
// which hostTake then writes to an address; unchanged or stopped.
//
//go:wasmimport absolink visit
func hostVisit(address, n uint32) int32

//go:wasmimport absolink take
func hostTake(address uint32)

//go:wasmimport absolink unresolvable
func hostUnresolvable(address, n uint32) int32

//go:wasmimport absolink warn
func hostWarn(offset float64, address, n uint32)

//go:wasmimport absolink done
func hostDone(address, n uint32) int32

const (
	unchanged = -1
	stopped   = -2 // a function of the host has thrown
)

var errHost = errors.New("a function of the options has thrown")

var place []byte // that the host is told of

func tell(host func(address, n uint32) int32, p *rewriter.Place) int32 {
	place, told = appendPlace(place[:0], p), p
	return host(address(place), uint32(len(place)))
}

var (
	told          *rewriter.Place // that is at place
	asked, answer []byte          // the name of an attribute, and its value
	askedAll      unsafe.Pointer  // the map that askAll has read last
)

// askRoom makes room for the name of an attribute, as room does for arguments: those are in use
// while the host is told of a place.
//
//go:wasmexport askRoom
func askRoom(n uint32) uint32 {
	asked = make([]byte, n)
	return address(asked)
}

// ask reads an attribute of the element whose place the host is told of. Its name is in the room
// of askRoom. ask returns where the length of the value stands, and the value with a NUL
// after it; 0 if the element lacks the attribute.
//
//go:wasmexport ask
func ask() uint32 {
	value, ok := told.Attribute(strings.ToLower(string(asked)))
	if !ok {
		return 0
	}
	answer = append(appendTexts(answer[:0], value), 0)
	return address(answer)
}

// askAll reads all attributes of the element. It returns where their number stands, and then the
// name and the value of each; 0 if they are those of the last call of askAll, as for the places
// of one element.
//
//go:wasmexport askAll
func askAll() uint32 {
	all := told.Attributes()
	if of := reflect.ValueOf(all).UnsafePointer(); of != askedAll {
		askedAll = of
		answer = binary.LittleEndian.AppendUint32(answer[:0], uint32(len(all)))
		for name, value := range all {
			answer = appendTexts(answer, name, value)
		}
		return address(answer)
	}
	return 0
}

// visit is the Visit of a Rewriter whose options have a function visit.
func visit(p *rewriter.Place) error {
	switch n := tell(hostVisit, p); n {
	case unchanged:
	case stopped:
		return errHost
	default:
		url := make([]byte, n)
		hostTake(address(url))
		p.URL = string(url)
	}
	return nil
}

// tellDone tells the host the counts of a result, each as a float64, and then the texts of its
// base.
func tellDone(r *rewriter.Result) error {
	report := []byte{}
	for _, n := range [...]int{r.Rewritten, r.Absolute, r.Left, r.Unresolvable, r.Removed, r.Warnings} {
		report = binary.LittleEndian.AppendUint64(report, math.Float64bits(float64(n)))
	}
	report = appendTexts(report, r.Base.URL.String(), r.Base.Source.String())
	if hostDone(address(report), uint32(len(report))) == stopped {
		return errHost
	}
	return nil
}

// appendPlace appends a place: its offset as a float64, and then its texts.
func appendPlace(dst []byte, p *rewriter.Place) []byte {
	reason := ""
	if p.Err != nil {
		reason = p.Err.Error()
	}
	dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(float64(p.Offset)))
	return appendTexts(dst, p.Element, p.Attr, p.Rule.Syntax.String(), p.Rel, p.Text, p.Raw, p.Ref, p.URL, reason)
}

// appendTexts appends the length and the bytes of each text.
func appendTexts(dst []byte, texts ...string) []byte {
	for _, s := range texts {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(len(s)))
		dst = append(dst, s...)
	}
	return dst
}

// What kind of document a call is about: these values, added.
const (
	sheet   = 1 << iota // it is a style sheet
	_                   // of the C library: places are listed
	decoded             // it comes in UTF-8, whatever its charset
	ofFeed              // of a feed: its HTML is on the URL of the feed
)

// begin begins a call about a document. In the room are its URL, the charset that its
// transport says, and the document.
func begin(number, url, charset, document, kind uint32) (c *configured, of rewriter.Source, outer *resolver.Base, err error) {
	clear()
	c, rest := rewriters[number], in
	outer, err = c.base(cut(&rest, url))
	of = rewriter.Source{Charset: string(cut(&rest, charset)), Sheet: kind&sheet != 0, Decoded: kind&decoded != 0}
	of.Reader = bytes.NewReader(cut(&rest, document))
	return c, of, outer, err
}

// rewrite rewrites a document. The result is the rewritten document.
//
//go:wasmexport rewrite
func rewrite(number, url, charset, document, kind uint32) status {
	c, of, outer, err := begin(number, url, charset, document, kind)
	if err != nil {
		return say(err)
	}
	if out == nil {
		out = make(output, 0, document+document/8+1<<10)
	}
	isFeed := kind&sheet == 0 && c.tellOfFeed(in[url+charset:])
	result, err := c.Rewrite(&out, of, outer)
	return c.end(result, isFeed, err)
}

// rewriteFeed rewrites a feed, which stands for the document. The result is the rewritten
// feed.
//
//go:wasmexport rewriteFeed
func rewriteFeed(number, url, charset, document, kind uint32) status {
	c, of, outer, err := begin(number, url, charset, document, kind)
	if err != nil {
		return say(err)
	}
	result, err := (&feed.Rewriter{HTML: c.Rewriter, Hold: c.Options().Hold, IgnoreLinks: kind&ofFeed != 0}).Rewrite(&out, of, outer)
	return c.end(result, false, err)
}

// open begins a document that comes in pieces. The result is the number of the stream. With
// list, the results of write and finish are places instead of the rewritten document.
//
//go:wasmexport open
func open(number, url, charset, kind, list uint32) status {
	c, of, outer, err := begin(number, url, charset, 0, kind)
	if err != nil {
		return say(err)
	}
	rw, dst := c.Rewriter, io.Writer(&out)
	if list != 0 {
		hooks := c.Hooks()
		hooks.Text = true
		hooks.Visit = func(p *rewriter.Place) error {
			out = appendPlace(out, p)
			return nil
		}
		rw, dst = c.With(hooks), nil
	}
	last++
	streams[last] = &stream{Writer: rw.NewWriter(dst, of, outer), configured: c, looks: kind&sheet == 0 && c.listens()}
	out = binary.LittleEndian.AppendUint32(out, last)
	return done
}

// start is how many bytes of a document show whether it is a feed.
const start = 4 << 10

var errFeed = errors.New("the document is a feed, and is read as HTML: rewrite it as a feed")

// listens reports whether the host is told of warnings, or of their number.
func (c *configured) listens() bool { return c.Hooks().Warn != nil || c.done != nil }

// tellOfFeed tells Warn if a document is a feed, which is to be read as HTML, and reports
// whether it is.
func (c *configured) tellOfFeed(document []byte) bool {
	if !c.listens() || !feed.Is(document[:min(len(document), start)], "") {
		return false
	}
	if warn := c.Hooks().Warn; warn != nil {
		warn(0, errFeed)
	}
	return true
}

// end ends a call about a document, which has come to its end or to an error. isFeed says that
// tellOfFeed has told of it.
func (c *configured) end(r rewriter.Result, isFeed bool, err error) status {
	if err == nil && c.done != nil {
		if isFeed {
			r.Warnings++
		}
		err = c.done(&r)
	}
	return say(err)
}

// A stream is a document in pieces.
type stream struct {
	*rewriter.Writer
	*configured
	looks  bool   // whether the document is a feed has yet to be told
	begun  []byte // what it begins with, up to start bytes, while looks is true
	isFeed bool
}

// look looks at the next piece of a document, which is the last one at the end.
func (s *stream) look(piece []byte, last bool) {
	if !s.looks {
		return
	}
	s.begun = append(s.begun, piece[:min(len(piece), start-len(s.begun))]...)
	if last || len(s.begun) == start {
		s.isFeed = s.tellOfFeed(s.begun)
		s.looks, s.begun = false, nil
	}
}

// write takes the next n bytes of a document, which are in the room.
//
//go:wasmexport write
func write(stream, n uint32) status {
	clear()
	s := streams[stream]
	s.look(in[:n], false)
	_, err := s.Write(in[:n])
	return say(err)
}

// finish ends a document.
//
//go:wasmexport finish
func finish(stream uint32) status {
	clear()
	s := streams[stream]
	delete(streams, stream)
	s.look(nil, true)
	err := s.Close()
	return s.end(s.Result(), s.isFeed, err)
}

// drop gives up a document.
//
//go:wasmexport drop
func drop(stream uint32) { delete(streams, stream) }

var onBase struct { // the base that references have been resolved on last
	url     string
	profile resolver.Profile
	base    *resolver.Base
}

// readBase reads the name of a profile and a base URL from rest, and puts the base into onBase. Most
// calls have the base URL of the call before, which is not parsed again.
func readBase(rest *[]byte, profile, base uint32) error {
	var p resolver.Profile
	if err := p.UnmarshalText(cut(rest, profile)); err != nil {
		return err
	}
	url := cut(rest, base)
	if b := &onBase; b.base == nil || b.url != string(url) || b.profile != p {
		parsed, err := resolver.ParseBase(string(url), p)
		if err != nil {
			return err
		}
		b.url, b.profile, b.base = string(url), p, parsed
	}
	return nil
}

// resolve resolves a reference. In the room are the name of the profile, the base URL and
// the reference.
//
//go:wasmexport resolve
func resolve(profile, base, ref uint32) status {
	clear()
	rest := in
	if err := readBase(&rest, profile, base); err != nil {
		return say(err)
	}
	found, err := onBase.base.AppendResolve(out, cut(&rest, ref))
	if err != nil {
		return say(err)
	}
	out = found
	return done
}

// resolveAll resolves n references. In the room are the name of the profile, the base URL, the
// lengths of the references, each a uint32, and the references. The result is the lengths of
// the absolute forms, 0 where there is none, and the absolute forms, each with a NUL after it.
//
//go:wasmexport resolveAll
func resolveAll(profile, base, n uint32) status {
	clear()
	rest := in
	if err := readBase(&rest, profile, base); err != nil {
		return say(err)
	}
	lengths := cut(&rest, 4*n)
	out = append(out, lengths...)
	for at := 0; at < len(lengths); at += 4 {
		ref := cut(&rest, binary.LittleEndian.Uint32(lengths[at:]))
		start := len(out)
		if found, err := onBase.base.AppendResolve(out, ref); err == nil {
			out = found
		}
		binary.LittleEndian.PutUint32(out[at:], uint32(len(out)-start))
		out = append(out, 0)
	}
	return done
}
