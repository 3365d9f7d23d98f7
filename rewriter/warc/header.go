package warc

import (
	"absolink/rewriter"
	"absolink/rewriter/container"
)

// places yields the places in the header, in order. Their offsets are in the header.
func (h *head) places(yield func(rewriter.Place) bool) {
	for f := range h.fields {
		start := f.colon + 1
		for p := range container.FieldPlaces(string(f.name()), h.raw[start:f.end]) {
			if p.Offset += int64(start); !yield(p) {
				return
			}
		}
	}
}

func (p *Page) hasPlaces() bool {
	for range p.http.places {
		return true
	}
	return false
}

// listHeader lists the places in the header of a job's response. pageErr says why it
// ended early.
func (w *worker) listHeader(j *job) (pageErr, err error) {
	if !j.page.hasPlaces() {
		return nil, nil
	}
	of, err := j.page.document(w.html)
	if err != nil && !j.page.html { // otherwise rewrite warns
		j.warn(err)
	}
	for p := range j.page.http.places {
		p.Document = of
		result, err := w.html.Reference(&p, of.Outer.URL)
		j.result.Add(result)
		if err != nil {
			return w.reason(err)
		}
	}
	return nil, nil
}
