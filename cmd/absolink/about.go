package main

import (
	"maps"
	"slices"
	"strings"
)

// An about prints the warnings about one file. Of each kind it prints the first few
// and counts the rest: ten megabytes may bring ten million.
type about struct {
	ui    *ui
	name  string
	kinds map[string]*repeated // maxKinds at most
	order []*repeated
	other repeated // of all other kinds together
}

const (
	fewOfKind = 10
	maxKinds  = 20
)

// A repeated is a kind of warning, which came n times.
type repeated struct {
	n    int
	text string // of the first
}

// about returns where to say what there is to say about a file.
func (u *ui) about(name string) *about {
	return &about{ui: u, name: inputName(name), kinds: map[string]*repeated{}}
}

// warn says what is wrong at an offset.
func (a *about) warn(offset int64, err error) {
	if !a.ui.quiet {
		a.print(offset, err.Error()+hint(err))
	}
	a.ui.warned()
}

// damage reports damage in an input; the rest of the input is still done.
func (a *about) damage(offset int64, err error) {
	a.print(offset, err.Error())
	a.ui.damaged()
}

// print prints a message about an offset, or about the file where that is negative,
// unless there were enough of its kind.
func (a *about) print(offset int64, text string) {
	k := a.kind(text)
	if k.n++; k.n > fewOfKind {
		return
	}
	if offset < 0 {
		a.ui.print("%s: %s", a.name, text)
	} else {
		a.ui.print("%s:%d: %s", a.name, offset, text)
	}
}

// kind returns the kind that a message is of.
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

// kindOf returns a message without what differs between two of a kind: what is
// in quotes, and numbers.
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

// end says how many more warnings there were.
func (a *about) end() {
	for _, k := range a.order {
		if k.n > fewOfKind {
			a.ui.print("%s: %d more of this kind: %s", a.name, k.n-fewOfKind, k.text)
		}
	}
	if a.other.n > fewOfKind {
		a.ui.print("%s: %d more of other kinds", a.name, a.other.n-fewOfKind)
	}
}

// abouts are of the files that are worked on at the same time.
type abouts struct {
	ui   *ui
	open map[string]*about
}

func (a *abouts) of(name string) *about {
	if a.open[name] == nil {
		a.open[name] = a.ui.about(name)
	}
	return a.open[name]
}

// end says that there are no more warnings about a file.
func (a *abouts) end(name string) {
	if about := a.open[name]; about != nil {
		about.end()
		delete(a.open, name)
	}
}

// endAll does so for all files.
func (a *abouts) endAll() {
	for _, name := range slices.Sorted(maps.Keys(a.open)) {
		a.end(name)
	}
}
