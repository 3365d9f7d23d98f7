package view

import (
	"io"

	"absolink/internal/listing"
	"absolink/resolver"
)

// AddResolution adds, as JSON, what a reference becomes, and the steps of it if explain.
func AddResolution(out *listing.Buffer, base *resolver.Base, ref string, explain bool) {
	member := func(name, value string) {
		out.Add(name)
		out.AddJSON(value)
	}
	member(`{"ref":`, ref)
	url, err := base.Resolve(ref)
	if url != "" {
		member(`,"url":`, url)
	}
	if err != nil {
		member(`,"error":`, err.Error())
	}
	if explain {
		key := `,"steps":[`
		for _, s := range base.Explain(ref) {
			out.Add(key)
			member(`{"name":`, s.Name)
			member(`,"text":`, s.Text)
			member(`,"value":`, s.Value)
			out.Add("}")
			key = ","
		}
		out.Add("]")
	}
	out.Add("}")
}

// MaxResolutions is how many bytes of resolutions a view brings along.
const MaxResolutions = 64 << 20

// Base returns the base URL of a place; "" where none is known.
func (v *View) Base(p *Place) string {
	if p.Document >= len(v.Documents) || v.Documents[p.Document].Base == nil {
		return ""
	}
	d := v.Documents[p.Document]
	for _, l := range append([]Layer{*d.Base}, d.Overrides...) {
		if !p.Outer || l.Source != "embedded" {
			return string(l.URL)
		}
	}
	return ""
}

// WriteResolutions writes a line for each place with what its reference becomes by each
// profile, once where several have the same base and reference, up to MaxResolutions.
func (v *View) WriteResolutions(w io.Writer) error {
	room := countdownWriter{w, MaxResolutions}
	out := listing.NewBuffer(&room)
	bases := map[string][]*resolver.Base{}
	seen := map[[2]string]bool{}
	for i := 0; i < len(v.Places) && room.left > 0; i++ {
		p := &v.Places[i]
		base := v.Base(p)
		if key := [2]string{base, p.Ref}; base == "" || seen[key] {
			continue
		} else {
			seen[key] = true
		}
		if bases[base] == nil {
			for _, profile := range profiles {
				b, _ := resolver.ParseBase(base, profile) // nil is explained, too
				bases[base] = append(bases[base], b)
			}
		}
		out.Add(`{"base":`)
		out.AddJSON(base)
		out.Add(`,"ref":`)
		out.AddJSON(p.Ref)
		key := `,"results":{"`
		for i, profile := range profiles {
			out.Add(key + profile.String() + `":`)
			AddResolution(out, bases[base][i], p.Ref, true)
			key = `,"`
		}
		out.Add("}}\n")
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// A countdownWriter counts down what is written.
type countdownWriter struct {
	io.Writer
	left int
}

func (l *countdownWriter) Write(p []byte) (int, error) {
	l.left -= len(p)
	return l.Writer.Write(p)
}

var profiles = []resolver.Profile{resolver.RFC1808, resolver.RFC3986, resolver.WHATWG}
