package rewriter

import (
	"testing"

	"absolink/resolver"
)

// What a result says of the outer base is what the container knows of it.
func TestDocumentDone(t *testing.T) {
	layer := func(url string, source BaseSource) Base {
		b, err := resolver.ParseBase(url, resolver.RFC1808)
		if err != nil {
			t.Fatal(err)
		}
		return Base{URL: b, Source: source}
	}
	asked, entity := layer("http://asked/", OuterBase), layer("http://entity/", EntityBase)
	embedded, saved := layer("http://embedded/", EmbeddedBase), layer("http://saved/", SavedBase)
	outer := Base{URL: entity.URL, Source: OuterBase} // as the engine has it
	for _, tt := range []struct {
		name         string
		layer, over  Base // of the result
		isIn, isOver Base // of the document
		want, wantOf Base
	}{
		{"none", Base{}, Base{}, Base{}, Base{}, Base{}, Base{}},
		{"entity", outer, Base{}, entity, asked, entity, asked},
		{"entity alone", outer, Base{}, entity, Base{}, entity, Base{}},
		{"saved under the entity", outer, saved, entity, Base{}, entity, saved},
		{"embedded", embedded, outer, entity, asked, embedded, entity},
		{"embedded over saved", embedded, saved, Base{}, Base{}, embedded, saved},
		{"saved", saved, Base{}, Base{}, Base{}, saved, Base{}},
	} {
		d := Document{Outer: tt.isIn, Overridden: tt.isOver}
		d.Done(Result{Base: tt.layer, Overridden: tt.over, Rewritten: 1})
		if d.Result.Base != tt.want || d.Result.Overridden != tt.wantOf || d.Result.Rewritten != 1 {
			t.Errorf("%s: %+v", tt.name, d.Result)
		}
	}
}
