package warc

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"absolink/resolver"
	"absolink/rewriter"
)

// seen collects what the hooks of a Rewriter are told, from any goroutine.
type seen struct {
	sync.Mutex
	visited, unresolvable, warned []string
}

func (s *seen) add(list *[]string, format string, args ...any) {
	s.Lock()
	defer s.Unlock()
	*list = append(*list, fmt.Sprintf(format, args...))
}

// rewriter returns one with hooks.
func (s *seen) rewriter() *rewriter.Rewriter {
	at := func(p *rewriter.Place) string { return fmt.Sprint(p.Document.Name, " ", p.Document.Offset, " ", p.Ref) }
	return rewriter.Must(rewriter.New(rewriter.Options{Profile: resolver.WHATWG})).With(rewriter.Hooks{
		Visit: func(p *rewriter.Place) error {
			s.add(&s.visited, "%s", at(p))
			p.URL = strings.Replace(p.URL, "http:", "https:", 1)
			return nil
		},
		Unresolvable: func(p *rewriter.Place) { s.add(&s.unresolvable, "%s", at(p)) },
		Warn: func(offset int64, err error) {
			var page *PageError
			if !errors.As(err, &page) {
				return
			}
			s.add(&s.warned, "%d %d %v", offset, page.Record, err)
		},
	})
}

// hooked is an archive with so many pages in each compressed part. Each page has a
// place, and a BASE that is unresolvable and gives no base.
func hooked(parts ...int) (archive string) {
	number := 0
	for _, pages := range parts {
		part := ""
		for range pages {
			part += record("response", fmt.Sprintf("http://h/%d", number), response(`<base href="//["><a href=x>`))
			number++
		}
		archive += gz(part)
	}
	return archive
}

// The hooks of HTML work in each method, and know the page. Warn keeps to the
// order of the archive.
func TestHooks(t *testing.T) {
	const pages = 40
	archive := hooked(slices.Repeat([]int{1}, pages)...)
	all, _, _ := records(archive)
	var visited, unresolvable, warned []string
	for _, rec := range all {
		at := fmt.Sprint(rec.URL(), " ", rec.Offset)
		visited = append(visited, at+" //[", at+" x")
		unresolvable = append(unresolvable, at+" //[")
		warned = append(warned, fmt.Sprintf("0 %d %q: at 0 of the page: reference", rec.Offset, rec.URL()))
	}
	for i := range modes(&Rewriter{}, inMemory(archive))[:3] {
		s := &seen{}
		if _, err := modes(&Rewriter{HTML: s.rewriter(), Jobs: 4}, inMemory(archive))[i](io.Discard); err != nil {
			t.Error(err)
		}
		slices.Sort(s.visited)
		slices.Sort(s.unresolvable)
		if want := slices.Sorted(slices.Values(visited)); !slices.Equal(s.visited, want) {
			t.Errorf("%d: visited %q, want %q", i, s.visited, want)
		}
		if want := slices.Sorted(slices.Values(unresolvable)); !slices.Equal(s.unresolvable, want) {
			t.Errorf("%d: unresolvable: %q, want %q", i, s.unresolvable, want)
		}
		if !slices.EqualFunc(s.warned, warned, strings.HasPrefix) {
			t.Errorf("%d: warned: %q, want %q", i, s.warned, warned)
		}
	}
}

// A page without a URL is called by the id of its record.
func TestHooksOfNamelessPage(t *testing.T) {
	s := &seen{}
	archive := record("resource", "", "<a href=x>", "Content-Type: text/html")
	converted(t, &Rewriter{HTML: s.rewriter()}, archive)
	if want := []string{"<urn:test:resource> 0 x"}; !slices.Equal(s.visited, want) || !slices.Equal(s.unresolvable, want) {
		t.Errorf("%q, %q", s.visited, s.unresolvable)
	}
}

// Pages that share a part are read twice. Visit sees, and changes, them both times;
// nothing else is told twice.
func TestHooksOfSharedParts(t *testing.T) {
	archive := hooked(2)
	s := &seen{}
	out, sum := replaced(t, &Rewriter{HTML: s.rewriter()}, archive)
	if len(s.visited) != 2*4 || len(s.unresolvable) != 2 || len(s.warned) != 2 || sum.Rewritten != 2 {
		t.Errorf("%+v, %+v", sum, s)
	}
	if _, blocks, _ := records(out); len(blocks) != 2 || !strings.HasSuffix(blocks[0], "<a href=https://h/x>") {
		t.Errorf("%q", blocks)
	}
}

// An error of Visit ends the run, and says in which page; a list has what came
// before that page.
func TestVisitFails(t *testing.T) {
	archive := hooked(1, 1, 1)
	stop := errors.New("that is enough")
	html := new(rewriter.Rewriter).With(rewriter.Hooks{Visit: func(p *rewriter.Place) error {
		if p.Document.Name == "http://h/2" {
			return stop
		}
		return nil
	}})
	for i, do := range modes(&Rewriter{HTML: html}, inMemory(archive))[:3] {
		s, err := do(io.Discard)
		var e *rewriter.Error
		var page *PageError
		if !errors.Is(err, stop) || !errors.As(err, &e) || e.Op != "visit" || !errors.As(err, &page) || page.URL != "http://h/2" || page.Offset != 12 || page.Record != e.Offset {
			t.Errorf("%d: %v", i, err)
		}
		if s.Records != 3 || s.Failed != 1 {
			t.Errorf("%d: %+v", i, s)
		}
	}
}

// A list has what Visit makes of places.
func TestVisitBeforeList(t *testing.T) {
	s := &seen{}
	out, _ := listed(t, &Rewriter{HTML: s.rewriter()}, hooked(1))
	if !strings.Contains(out, "https://h/x") {
		t.Error(out)
	}
}

// However many warnings a page has, the limits that it meets are told.
func TestLimitAmongWarnings(t *testing.T) {
	var told []string
	r := &Rewriter{HTML: rewriter.Must(rewriter.New(rewriter.Options{MaxTag: 100})).With(rewriter.Hooks{Warn: func(_ int64, err error) {
		var limit *rewriter.LimitError
		if errors.As(err, &limit) {
			told = append(told, limit.Field)
		}
	}})}
	long := "<a title='" + strings.Repeat("x", 200) + "' href=x>"
	archive := record("response", "http://h/", response(strings.Repeat("<form action/>", 40)+long+long))
	if _, err := r.Convert(t.Context(), io.Discard, strings.NewReader(archive)); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(told, []string{"MaxTag"}) {
		t.Errorf("told of %q", told)
	}
}
