package main

import (
	"bufio"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/view"
	"absolink/internal/listing"
	"absolink/resolver"
	"absolink/rewriter"
)

// The modes of --report.
const (
	reportText optionMode = "text"
	reportHTML optionMode = "html"
)

// A report counts the places in all documents.
type report struct {
	documents, places         counts
	byPlace, byScheme, byHost tally
}

// counts say what became of places, or of documents.
type counts struct {
	All          int `json:"all"`
	Rewritten    int `json:"rewritten"`
	Absolute     int `json:"absolute"`
	Left         int `json:"left"`
	Unresolvable int `json:"unresolvable"`
}

// countsOf returns the counts of the places in a result.
func countsOf(r rewriter.Result) counts {
	return counts{r.Rewritten + r.Absolute + r.Left + r.Unresolvable, r.Rewritten, r.Absolute, r.Left, r.Unresolvable}
}

// A tally has the counts of each name.
type tally map[string]*counts

func (t *tally) add(name string, c counts) {
	if *t == nil {
		*t = tally{}
	}
	sum, ok := (*t)[name]
	if !ok {
		sum = new(counts)
		(*t)[strings.Clone(name)] = sum // name may be part of a long URL
	}
	sum.add(c)
}

// merge adds the counts of another report.
func (r *report) merge(other *report) {
	r.documents.add(other.documents)
	r.places.add(other.places)
	for _, t := range []struct{ to, from *tally }{{&r.byPlace, &other.byPlace}, {&r.byScheme, &other.byScheme}, {&r.byHost, &other.byHost}} {
		for name, c := range *t.from {
			t.to.add(name, *c)
		}
	}
}

func (c *counts) add(d counts) {
	c.All += d.All
	c.Rewritten += d.Rewritten
	c.Absolute += d.Absolute
	c.Left += d.Left
	c.Unresolvable += d.Unresolvable
}

// visit counts a place by its name and by what its absolute form begins with.
func (r *report) visit(p *rewriter.Place) error {
	c := becomes(p)
	r.byPlace.add(p.Element+"["+p.Attr+"]="+p.Rule.Syntax.String(), c)
	if p.URL == "" {
		return nil
	}
	u := resolver.Split(p.URL)
	r.byScheme.add(strings.ToLower(u.Scheme), c)
	if host := hostOf(u.NetLoc); host != "" {
		r.byHost.add(host, c)
	}
	return nil
}

// becomes returns what becomes of one place.
func becomes(p *rewriter.Place) counts {
	switch view.StateOf(p) {
	case "unresolvable":
		return counts{All: 1, Unresolvable: 1}
	case "left":
		return counts{All: 1, Left: 1}
	case "absolute":
		return counts{All: 1, Absolute: 1}
	}
	return counts{All: 1, Rewritten: 1}
}

// hostOf returns the host in a net_loc, in lower case, without user, password and
// port. In a net_loc of RFC 1808 a query may follow the host.
func hostOf(netLoc string) string {
	if i := strings.IndexAny(netLoc, `?\`); i >= 0 {
		netLoc = netLoc[:i]
	}
	return strings.ToLower(listing.HostIn(netLoc))
}

func (r *report) document(d *rewriter.Document) {
	c := countsOf(d.Result)
	r.documents.add(counts{1, min(c.Rewritten, 1), min(c.Absolute, 1), min(c.Left, 1), min(c.Unresolvable, 1)})
}

// print prints the report: as JSON, or for people, with a line for each name. All lines have
// the same columns; the name comes last.
func (r *report) print(ui *console.UI, asJSON bool) {
	r.countUnseen()
	if asJSON {
		ui.PrintJSON(reportJSON{r.documents, r.places, r.byPlace.rows(), r.byScheme.rows(), r.byHost.rows()})
		return
	}
	out := bufio.NewWriter(ui.Stdout)
	fmt.Fprintf(out, "%9s %9s %9s %9s %9s %12s\n", "", "all", "rewritten", "absolute", "left", "unresolvable")
	r.documents.print(out, "documents", "")
	r.places.print(out, "places", "")
	r.byPlace.print(out, "place")
	r.byScheme.print(out, "scheme")
	r.byHost.print(out, "host")
	ui.Wrote(out.Flush())
}

// countUnseen makes the counts by place add up: visit is not called for absolute URLs
// that are too long to be held.
func (r *report) countUnseen() {
	unseen := r.places.All
	for _, c := range r.byPlace {
		unseen -= c.All
	}
	if unseen > 0 {
		r.byPlace.add("(longer than 64 KiB)", counts{All: unseen, Absolute: unseen})
	}
}

// names returns the most frequent names first.
func (t tally) names() []string {
	return slices.SortedFunc(maps.Keys(t), func(a, b string) int {
		return cmp.Or(cmp.Compare(t[b].All, t[a].All), cmp.Compare(a, b))
	})
}

func (t tally) print(out *bufio.Writer, kind string) {
	names := t.names()
	if len(names) > 0 {
		fmt.Fprintln(out)
	}
	for _, name := range names {
		t[name].print(out, kind, "  "+listing.Visible(name))
	}
}

func (c *counts) print(out *bufio.Writer, kind, name string) {
	fmt.Fprintf(out, "%-9s %9d %9d %9d %9d %12d%s\n", kind, c.All, c.Rewritten, c.Absolute, c.Left, c.Unresolvable, name)
}

// A reportJSON is a report as JSON. In its lists the most frequent names come first.
type reportJSON struct {
	Documents counts `json:"documents"`
	Places    counts `json:"places"`
	ByPlace   []row  `json:"by_place"`
	ByScheme  []row  `json:"by_scheme"`
	ByHost    []row  `json:"by_host"`
}

// A row is a name with its counts.
type row struct {
	Name console.Text `json:"name"`
	counts
}

func (t tally) rows() []row {
	rows := make([]row, 0, len(t)) // a list even where it is empty
	for _, name := range t.names() {
		rows = append(rows, row{console.Text(name), *t[name]})
	}
	return rows
}

// isChange reports whether rewriting has changed a document.
func isChange(r rewriter.Result) bool { return r.Rewritten+r.Removed > 0 }

// An optionMode is one of the two values of an option, which its tag modes lists. The option alone
// means the first of them.
type optionMode string

// Decode takes the value of the option only where it stands after an equals sign: in
// --check SRC, SRC is an argument.
func (m *optionMode) Decode(ctx *kong.DecodeContext) error {
	alone, other, _ := strings.Cut(ctx.Value.Tag.Get("modes"), ",")
	*m = optionMode(alone)
	if ctx.Scan.Peek().Type == kong.FlagValueToken {
		*m = optionMode(fmt.Sprint(ctx.Scan.Pop().Value))
	}
	if *m != optionMode(alone) && *m != optionMode(other) {
		return fmt.Errorf("it takes %s, which is what --%s alone means, or %s; not %q", alone, ctx.Value.Name, other, string(*m))
	}
	return nil
}
