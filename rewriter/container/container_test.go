package container

import (
	"testing"

	"absolink/resolver"
	"absolink/rewriter"
)

// What a result says of the outer base is what the container knows of it.
func TestDone(t *testing.T) {
	layer := func(url string, source rewriter.BaseSource) rewriter.Base {
		b, err := resolver.ParseBase(url, resolver.RFC1808)
		if err != nil {
			t.Fatal(err)
		}
		return rewriter.Base{URL: b, Source: source}
	}
	asked, entity := layer("http://asked/", rewriter.OuterBase), layer("http://entity/", rewriter.EntityBase)
	embedded, saved := layer("http://embedded/", rewriter.EmbeddedBase), layer("http://saved/", rewriter.SavedBase)
	outer := rewriter.Base{URL: entity.URL, Source: rewriter.OuterBase} // as the engine has it
	for _, tt := range []struct {
		name         string
		layer, over  rewriter.Base // of the result
		isIn, isOver rewriter.Base // of the document
		want, wantOf rewriter.Base
	}{
		{"none", rewriter.Base{}, rewriter.Base{}, rewriter.Base{}, rewriter.Base{}, rewriter.Base{}, rewriter.Base{}},
		{"entity", outer, rewriter.Base{}, entity, asked, entity, asked},
		{"entity alone", outer, rewriter.Base{}, entity, rewriter.Base{}, entity, rewriter.Base{}},
		{"saved under the entity", outer, saved, entity, rewriter.Base{}, entity, saved},
		{"embedded", embedded, outer, entity, asked, embedded, entity},
		{"embedded over saved", embedded, saved, rewriter.Base{}, rewriter.Base{}, embedded, saved},
		{"saved", saved, rewriter.Base{}, rewriter.Base{}, rewriter.Base{}, saved, rewriter.Base{}},
	} {
		d := rewriter.Document{Outer: tt.isIn, Overridden: tt.isOver}
		var ended *rewriter.Document
		Done(new(rewriter.Rewriter).With(rewriter.Hooks{End: func(d *rewriter.Document) { ended = d }}), &d, rewriter.Result{Base: tt.layer, Overridden: tt.over, Rewritten: 1})
		if d.Result.Base != tt.want || d.Result.Overridden != tt.wantOf || d.Result.Rewritten != 1 || ended != &d {
			t.Errorf("%s: %+v", tt.name, d.Result)
		}
	}
}
