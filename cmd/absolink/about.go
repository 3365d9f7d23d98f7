package main

import (
	"maps"
	"slices"
	"strings"
)

// An about prints the warnings about one file. It prints the first few of each kind
// and counts the rest: a file of ten megabytes may cause ten million.
type about struct {
	ui    *ui
	name  string
	kinds map[string]*repeated // at most maxKinds, by kindOf
	order []*repeated          // the kinds, in the order of their first warnings
	other repeated             // all other kinds together
}

const (
	fewOfKind = 10
	maxKinds  = 20
)

// A repeated is a kind of warning that may come many times.
type repeated struct {
	count int
	text  string // of the first warning
}

// about returns an about for a file.
func (u *ui) about(name string) *about {
	return &about{ui: u, name: inputName(name), kinds: map[string]*repeated{}}
}

// warn says what is wrong at an offset, and which option raises a limit.
func (a *about) warn(offset int64, err error) {
	if !a.ui.quiet {
		a.print(offset, err.Error()+hint(err))
	}
	a.ui.warned()
}

// damage says that an input is damaged at an offset. The rest of the input is done.
func (a *about) damage(offset int64, err error) {
	a.print(offset, err.Error())
	a.ui.damaged()
}

// print prints a message about an offset, or about the file where the offset is
// negative, unless there were enough messages of its kind.
func (a *about) print(offset int64, text string) {
	k := a.kind(text)
	if k.count++; k.count > fewOfKind {
		return
	}
	if offset < 0 {
		a.ui.print("%s: %s", a.name, text)
	} else {
		a.ui.print("%s:%d: %s", a.name, offset, text)
	}
}

// kind returns the kind of a message.
func (a *about) kind(text string) *repeated {
	key := kindOf(text)
	k := a.kinds[key]
	switch {
	case k != nil:
		return k
	case len(a.kinds) == maxKinds:
		return &a.other
	}
	k = &repeated{text: strings.Clone(shortened(text, maxKindText))}
	a.kinds[strings.Clone(key)] = k
	a.order = append(a.order, k)
	return k
}

// maxKindText is how many bytes of a message decide its kind.
const maxKindText = 300

// kindOf returns a message without what differs between two messages of a kind:
// numbers, and what stands in quotes.
func kindOf(text string) string {
	text = shortened(text, maxKindText)
	if !strings.ContainsAny(text, `"0123456789`) {
		return text
	}
	var kind strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted:
			i++
		case !quoted && (c < '0' || c > '9'):
			kind.WriteByte(c)
		}
	}
	return kind.String()
}

// end says how many warnings were not printed.
func (a *about) end() {
	for _, k := range a.order {
		if k.count > fewOfKind {
			a.ui.print("%s: %d more of this kind: %s", a.name, k.count-fewOfKind, k.text)
		}
	}
	if a.other.count > fewOfKind {
		a.ui.print("%s: %d more of other kinds", a.name, a.other.count-fewOfKind)
	}
}

// abouts has an about for each of the files that are worked on at the same time.
type abouts struct {
	ui   *ui
	open map[string]*about
}

// of returns the about for a file.
func (a *abouts) of(name string) *about {
	if a.open[name] == nil {
		a.open[name] = a.ui.about(name)
	}
	return a.open[name]
}

// end prints how many warnings about a file were left out, now that all have come.
func (a *abouts) end(name string) {
	if about := a.open[name]; about != nil {
		about.end()
		delete(a.open, name)
	}
}

// endAll does the same for every file that has had warnings.
func (a *abouts) endAll() {
	for _, name := range slices.Sorted(maps.Keys(a.open)) {
		a.end(name)
	}
}
