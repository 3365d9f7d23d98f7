package rewriter

import (
	"testing"

	"absolink/resolver"
)

// What a result says of the outer base is what the container knows of it.
func TestDocumentDone(t *testing.T) {
	layer := func(url string, source BaseSource) Layer {
		b, err := resolver.ParseBase(url, resolver.RFC1808)
		if err != nil {
			t.Fatal(err)
		}
		return Layer{Base: b, Source: source}
	}
	asked, entity := layer("http://asked/", OuterBase), layer("http://entity/", EntityBase)
	embedded, saved := layer("http://embedded/", EmbeddedBase), layer("http://saved/", SavedBase)
	outer := Layer{Base: entity.Base, Source: OuterBase} // as the engine has it
	for _, tt := range []struct {
		name         string
		layer, over  Layer // of the result
		isIn, isOver Layer // of the document
		want, wantOf Layer
	}{
		{"none", Layer{}, Layer{}, Layer{}, Layer{}, Layer{}, Layer{}},
		{"entity", outer, Layer{}, entity, asked, entity, asked},
		{"entity alone", outer, Layer{}, entity, Layer{}, entity, Layer{}},
		{"saved under the entity", outer, saved, entity, Layer{}, entity, saved},
		{"embedded", embedded, outer, entity, asked, embedded, entity},
		{"embedded over saved", embedded, saved, Layer{}, Layer{}, embedded, saved},
		{"saved", saved, Layer{}, Layer{}, Layer{}, saved, Layer{}},
	} {
		d := Document{Outer: tt.isIn, Over: tt.isOver}
		d.Done(Result{Layer: tt.layer, Over: tt.over, Rewritten: 1})
		if d.Result.Layer != tt.want || d.Result.Over != tt.wantOf || d.Result.Rewritten != 1 {
			t.Errorf("%s: %+v", tt.name, d.Result)
		}
	}
}
