package view

import (
	"fmt"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/input"
	"absolink/rewriter"
)

// A Base is the base of a document, with the fields of --json.
type Base struct {
	File      console.Text `json:"file"`
	Offset    int64        `json:"offset"` // of the document in the file
	Base      *Layer       `json:"base"`   // nil where there is none
	Overrides []Layer      `json:"overrides,omitempty"`
}

// A Layer is a base URL and where it came from.
type Layer struct {
	URL    console.Text `json:"url"`
	Source string       `json:"source"`           // embedded, entity or retrieval: a layer of RFC 1808 §3
	Name   console.Text `json:"name"`             // of what gave the URL: BASE, a field, an option
	Offset *int64       `json:"offset,omitempty"` // of what gave the URL, in the file; nil where that is not in the file
	from   string       // where the URL came from, for people
	at     string       // the same as Offset
}

// BaseOf returns the base of a document, and which bases it overrides.
func BaseOf(d *rewriter.Document, in *input.Document) Base {
	b := Base{File: console.Text(console.InputName(in.Name)), Offset: d.Offset}
	if d.Result.Base.URL == nil {
		return b
	}
	base := LayerOf(d.Result.Base, in)
	b.Base = &base
	last := d.Result.Base
	for _, l := range []rewriter.Base{d.Result.Overridden, d.Overridden} {
		if l.URL != nil && l != last {
			b.Overrides = append(b.Overrides, LayerOf(l, in))
			last = l
		}
	}
	if last.Source == rewriter.OuterBase && in.Retrieved.URL != nil {
		b.Overrides = append(b.Overrides, LayerOf(in.Retrieved, in))
	}
	return b
}

// LayerOf returns a base as a layer of the document that it is found in.
func LayerOf(b rewriter.Base, in *input.Document) Layer {
	l := Layer{URL: console.Text(console.HideLogin(b.URL.String())), Source: "retrieval", Name: console.Text(console.HideLogins(b.Name)), from: "retrieval URL"}
	switch b.Source {
	case rewriter.EmbeddedBase:
		l.Source, l.from = "embedded", "embedded"
	case rewriter.EntityBase:
		l.Source, l.from = "entity", "from the "+string(in.Kind)
	}
	switch {
	case b.Name == "" && b.URL == in.Entity.URL:
		l.Source, l.Name, l.from = "entity", console.Text(in.Entity.Name), "from the response"
		return l
	case b.Name == "":
		l.Name = console.Text(in.Origin)
		return l
	}
	l.Offset = &b.Offset
	if line, column, ok := in.Lines.Position(b.Offset); ok {
		l.at = fmt.Sprintf(", line %d, column %d", line, column)
	} else {
		l.at = fmt.Sprintf(", byte %d", b.Offset)
	}
	return l
}

// String returns the base for people.
func (b Base) String() string {
	if b.Base == nil {
		return "none"
	}
	line := string(b.Base.URL) + ", " + b.Base.Origin()
	for _, l := range b.Overrides {
		line += fmt.Sprintf("; overrides %s, %s", l.URL, l.Origin())
	}
	return line
}

// Origin says for people where the URL came from.
func (l Layer) Origin() string { return fmt.Sprintf("%s: %s%s", l.from, l.Name, l.at) }
