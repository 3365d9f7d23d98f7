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
	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/tree"
)

func (*optionMode) IsBool() bool { return true }

// checkFragments is the mode of --check that looks for anchors too.
const checkFragments optionMode = "fragments"

// findings hold the broken links, and print them in the order of their files and lines,
// whatever order the pages are read in. Beyond maxFindings bytes, what is held is printed,
// and the order begins anew.
type findings struct {
	ui      *console.UI
	files   *treeFiles
	json    *bufio.Writer // nil for messages
	held    []finding
	size    int // of held, in bytes
	targets map[string]int64
	others  int64 // links to targets that are not in targets
	ignore  []*ignored
	ignored struct{ missing, anchors int64 } // how many broken links are not listed
}

// A finding is a broken link, as it is printed.
type finding struct {
	file   string
	offset int64
	text   string
}

const (
	maxFindings   = 32 << 20
	maxTargets    = 10_000 // how many targets are counted
	targetsShown  = 100
	maxTargetSize = 2 << 10
)

// find has the broken links in a tree printed, with --check. What it returns is to be ended
// after the run. It is not ok if --ignore is wrong, which find has then said.
func (c *treeCommand) find(ui *console.UI, t *tree.Rewriter, files *treeFiles) (f *findings, ok bool) {
	if c.Check == "" {
		return nil, true
	}
	f = &findings{ui: ui, files: files, targets: map[string]int64{}}
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

// resolveIn returns the absolute form of a reference on a base URL.
func resolveIn(base, ref string, profile resolver.Profile) (string, error) {
	b, err := resolver.ParseBase(base, profile)
	if err != nil {
		return "", err
	}
	return b.Resolve(ref)
}

// An ignored is a URL of --ignore.
type ignored struct {
	ref, url string // as it was given, and its absolute form
	fits     bool   // it has fitted a link
}

// newIgnored reads a URL of --ignore in the tree at base.
func newIgnored(base, ref string, profile resolver.Profile) (*ignored, error) {
	url, err := resolveIn(base, ref, profile)
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
	bare := url
	if end := strings.IndexAny(url, "?#"); end >= 0 {
		bare = url[:end]
	}
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
	found := finding{file: page.Name, offset: p.Offset}
	switch {
	case f.json != nil:
		line, column, _ := page.Lines.Position(p.Offset)
		found.text = string(appendFinding(nil, page.Name, line, column, p, fragment))
	case f.ui.Quiet:
		return
	default:
		why := "which is not in the tree"
		if fragment != "" {
			why = fmt.Sprintf("where no element has the id %q", fragment)
		}
		found.text = page.Message(p.Offset, fmt.Sprintf("%s: %q leads to %s, %s", input.NameOf(p), p.Ref, p.URL, why))
	}
	f.count(p, fragment)
	f.held = append(f.held, found)
	if f.size += len(found.text) + len(found.file); f.size > maxFindings {
		f.print()
	}
}

// count counts a link by its target: the file, or the anchor in it.
func (f *findings) count(p *rewriter.Place, fragment string) {
	target, _, _ := strings.Cut(listing.WithoutLogin(p.URL), "#")
	if fragment != "" {
		target += "#" + fragment
	}
	if _, known := f.targets[target]; known || len(f.targets) < maxTargets && len(target) <= maxTargetSize {
		f.targets[target]++
	} else {
		f.others++
	}
}

func (f *findings) print() {
	slices.SortStableFunc(f.held, func(a, b finding) int {
		return cmp.Or(strings.Compare(a.file, b.file), cmp.Compare(a.offset, b.offset))
	})
	for _, found := range f.held {
		if f.json != nil {
			f.json.WriteString(found.text) // an error comes again in end
		} else {
			f.ui.Print("%s", found.text)
		}
	}
	clear(f.held)
	f.held, f.size = f.held[:0], 0
}

// printTargets prints how many links lead to each target, the most first: all of them in
// JSON, and those of several links in messages.
func (f *findings) printTargets() {
	urls := slices.SortedFunc(maps.Keys(f.targets), func(a, b string) int {
		return cmp.Or(cmp.Compare(f.targets[b], f.targets[a]), strings.Compare(a, b))
	})
	for i, url := range urls {
		n := f.targets[url]
		switch {
		case f.json != nil:
			b := listing.AppendString([]byte(`{"type":"target","url":`), url)
			f.json.Write(fmt.Appendf(b, ",\"links\":%d}\n", n))
		case n > 1 && i < targetsShown:
			f.ui.Print("%d links lead to %s", n, url)
		}
	}
	if f.others > 0 && f.json == nil {
		f.ui.Print("%s to targets after the first %d", console.Counted(f.others, "more link"), maxTargets)
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
			f.ui.Warnf("--ignore %q fits no broken link", i.ref)
			r.Places.Warnings++
		}
	}
	r.Missing -= f.ignored.missing
	r.MissingAnchors -= f.ignored.anchors
	f.print()
	f.printTargets()
	if f.json == nil {
		return
	}
	if err := f.json.Flush(); err != nil {
		f.ui.CannotWriteOn(err)
	}
}
