package main

import (
	"bufio"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/input"
	"absolink/internal/listing"
	"absolink/internal/local"
	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/tree"
)

func (*optionMode) IsBool() bool { return true }

// checkFragments is the mode of --check that looks for anchors too.
const checkFragments optionMode = "fragments"

// findings hold the broken links. Messages have a line for each target, those of most links first;
// JSON has a line for each link, in the order of files and lines, whatever order the pages are
// read in. Beyond maxFindings bytes, what is held is printed, and the order begins anew.
type findings struct {
	ui      *console.UI
	files   *treeFiles
	json    *bufio.Writer // nil for messages
	held    []finding     // for JSON
	broken  map[string]*broken
	size    int              // of held and broken, in bytes
	targets map[string]int64 // how many links lead to each target; for JSON
	ignore  []*ignored
	ignored struct{ missing, anchors int64 } // how many broken links are not listed
}

// A finding is a broken link, as it is printed.
type finding struct {
	file   string
	offset int64
	text   string
}

// before orders findings by their files and lines.
func (f *finding) before(g *finding) int {
	return cmp.Or(strings.Compare(f.file, g.file), cmp.Compare(f.offset, g.offset))
}

// A broken is a target that links lead to, and that is not there.
type broken struct {
	first        finding
	links, pages int64
	names        []string // of the first few pages, in order
}

const (
	maxFindings   = 32 << 20
	maxTargets    = 10_000 // how many targets JSON counts
	maxTargetSize = 2 << 10
	pagesShown    = 10
)

// find has the broken links in a tree printed, with --check. What it returns is to be ended
// after the run. It is not ok if --ignore is wrong, which find has then said.
func (c *treeCommand) find(ui *console.UI, t *tree.Rewriter, files *treeFiles) (f *findings, ok bool) {
	if c.Check == "" {
		return nil, true
	}
	f = &findings{ui: ui, files: files, broken: map[string]*broken{}, targets: map[string]int64{}}
	base := strings.TrimSuffix(t.URL.String(), "/") + "/"
	for _, ref := range c.Ignore {
		i, err := newIgnored(base, ref, t.URL.Profile())
		if err != nil {
			ui.Usagef("--ignore: %q: %v", ref, err)
			return nil, false
		}
		f.ignore = append(f.ignore, i)
	}
	if c.JSON {
		f.json = bufio.NewWriter(ui.Stdout)
	}
	t.Missing = func(p *rewriter.Place) { f.add(p, "", &f.ignored.missing) }
	if c.Check == checkFragments {
		t.MissingAnchor = func(p *rewriter.Place) {
			_, fragment, _ := strings.Cut(p.URL, "#")
			f.add(p, fragment, &f.ignored.anchors)
		}
	}
	return f, true
}

// An ignored is a URL of --ignore.
type ignored struct {
	ref, url string // as it was given, and its absolute form
	fits     bool   // it has fitted a link
}

// newIgnored reads a URL of --ignore in the tree at base.
func newIgnored(base, ref string, profile resolver.Profile) (*ignored, error) {
	b, err := resolver.ParseBase(base, profile)
	if err != nil {
		return nil, err
	}
	url, err := b.Resolve(ref)
	switch i := (&ignored{ref: ref, url: url}); {
	case err != nil:
		return nil, err
	case strings.HasPrefix(url, base), i.has(base):
		return i, nil
	}
	return nil, fmt.Errorf("it is not in the tree, which is at %s, and --check looks at no other links", base)
}

// has reports whether a link is not to be listed. A query does not count, and a fragment only
// where the ignored URL has one.
func (i *ignored) has(url string) bool {
	bare := local.WithoutQuery(url)
	return i.url == url || i.url == bare || strings.HasSuffix(i.url, "/") && strings.HasPrefix(bare, i.url)
}

// ignores reports whether a link is not to be listed.
func (f *findings) ignores(url string) (ignores bool) {
	for _, i := range f.ignore {
		if i.has(url) {
			i.fits, ignores = true, true
		}
	}
	return ignores
}

// add adds a link that leads to no file, or to a page without the anchor that fragment
// names. One that is not listed is counted instead.
func (f *findings) add(p *rewriter.Place, fragment string, unlisted *int64) {
	if f.ignores(p.URL) {
		*unlisted++
		return
	}
	f.ui.Code = console.ExitNotDone
	page := f.files.of(f.files.name(p.Document.Name))
	target, _, _ := strings.Cut(listing.WithoutLogin(p.URL), "#")
	if fragment != "" {
		target += "#" + fragment
	}
	switch {
	case f.json != nil:
		f.addJSON(p, page, target, fragment)
	case !f.ui.Quiet:
		f.addMessage(p, page, target, fragment)
	}
	if f.size > maxFindings {
		f.print()
	}
}

func (f *findings) addJSON(p *rewriter.Place, page *pageMessages, target, fragment string) {
	line, column, _ := page.Lines.Position(p.Offset)
	text := string(appendFinding(nil, page.Name, line, column, p, fragment))
	f.held = append(f.held, finding{page.Name, p.Offset, text})
	f.size += len(text) + len(page.Name)
	if _, known := f.targets[target]; known || len(f.targets) < maxTargets && len(target) <= maxTargetSize {
		f.targets[target]++
	}
}

// addMessage adds a link to those that lead to the same target.
func (f *findings) addMessage(p *rewriter.Place, page *pageMessages, target, fragment string) {
	b := f.broken[target]
	if b == nil {
		b = new(broken)
		f.broken[target] = b
		f.size += len(target) + 256
	}
	b.links++
	found := finding{file: page.Name, offset: p.Offset}
	if b.links == 1 || found.before(&b.first) < 0 {
		why := "which is not in the tree"
		if fragment != "" {
			why = fmt.Sprintf("where no element has the id %q", fragment)
		}
		found.text = page.Message(p.Offset, fmt.Sprintf("%s: %q leads to %s, %s", input.NameOf(p), p.Ref, p.URL, why))
		f.size += len(found.text) - len(b.first.text)
		b.first = found
	}
	if page.broken[b] {
		return
	}
	page.broken[b] = true
	b.pages++
	if i, _ := slices.BinarySearch(b.names, page.Name); i < pagesShown+1 {
		b.names = slices.Insert(b.names, i, page.Name)
		b.names = b.names[:min(len(b.names), pagesShown+1)]
		f.size += len(page.Name)
	}
}

// message returns the first link to a target, how many others there are, and where.
func (b *broken) message() string {
	others := slices.DeleteFunc(b.names, func(name string) bool { return name == b.first.file })
	others = others[:min(len(others), pagesShown)]
	switch {
	case b.links == 1:
		return b.first.text
	case len(others) == 0:
		return fmt.Sprintf("%s; %d links in this page lead there", b.first.text, b.links)
	}
	s := fmt.Sprintf("%s; %d links in %d pages lead there: also in %s", b.first.text, b.links, b.pages, strings.Join(others, ", "))
	if more := b.pages - 1 - int64(len(others)); more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}

func (f *findings) print() {
	slices.SortStableFunc(f.held, func(a, b finding) int { return a.before(&b) })
	for _, found := range f.held {
		f.json.WriteString(found.text) // an error comes again in end
	}
	for _, b := range slices.SortedFunc(maps.Values(f.broken), func(a, b *broken) int {
		return cmp.Or(cmp.Compare(b.links, a.links), a.first.before(&b.first))
	}) {
		f.ui.Print("%s", b.message())
	}
	clear(f.held)
	clear(f.broken)
	for _, page := range f.files.open {
		clear(page.broken)
	}
	f.held, f.size = f.held[:0], 0
}

// printTargets prints in JSON how many links lead to each target, the most first.
func (f *findings) printTargets() {
	urls := slices.SortedFunc(maps.Keys(f.targets), func(a, b string) int {
		return cmp.Or(cmp.Compare(f.targets[b], f.targets[a]), strings.Compare(a, b))
	})
	for _, url := range urls {
		b := listing.AppendString([]byte(`{"type":"target","url":`), url)
		f.json.Write(fmt.Appendf(b, ",\"links\":%d}\n", f.targets[url]))
	}
}

// appendFinding appends a line of JSON. A line of 0 is not known, and left out.
func appendFinding(b []byte, name string, line, column int64, p *rewriter.Place, fragment string) []byte {
	b = listing.AppendString(append(b, `{"type":"missing","file":`...), name)
	if line > 0 {
		b = strconv.AppendInt(append(b, `,"line":`...), line, 10)
		b = strconv.AppendInt(append(b, `,"column":`...), column, 10)
	}
	b = strconv.AppendInt(append(b, `,"offset":`...), p.Offset, 10)
	for _, field := range []struct{ key, value string }{
		{`,"element":`, p.Element}, {`,"attr":`, p.Attr}, {`,"ref":`, p.Ref}, {`,"url":`, listing.WithoutLogin(p.URL)}, {`,"fragment":`, fragment},
	} {
		if field.value != "" || field.key == `,"ref":` {
			b = listing.AppendString(append(b, field.key...), field.value)
		}
	}
	return append(b, "}\n"...)
}

// end prints what is left, and takes what was ignored out of the result. After a whole run, it
// warns of what was to be ignored, and was not found. A tree without pages, such as the wrong
// directory, is an error unless allowEmpty says otherwise: no link in it was checked.
func (f *findings) end(r *tree.Result, whole, allowEmpty bool) {
	if f == nil {
		return
	}
	if whole && r.Pages+r.Failed == 0 && !allowEmpty {
		f.ui.Errorf("%s: no page to check: look at the directory, --include and --exclude (--allow-empty takes a tree without pages)", f.files.src)
	}
	for _, i := range f.ignore {
		if whole && !i.fits {
			f.ui.Warnf("--ignore %q matches no broken link", i.ref)
			r.Places.Warnings++
		}
	}
	r.Missing -= f.ignored.missing
	r.MissingAnchors -= f.ignored.anchors
	f.print()
	if f.json == nil {
		return
	}
	f.printTargets()
	f.ui.Wrote(f.json.Flush())
}
