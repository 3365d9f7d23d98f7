package tree

import (
	"context"
	"hash/maphash"
	"slices"
	"strings"

	"absolink/internal/local"
	"absolink/rewriter"
)

// anchors are the places in all pages of a tree where fragments lead: the elements with
// an id, and the a elements with a name. Each is held as a hash of its page and its name.
// Of two different anchors, one is taken for the other once in a million million times.
type anchors struct {
	seed   maphash.Seed
	hashes [64][]uint64 // by the first bits, so that no long slice grows; in order once all have come
	count  int
	most   int // how many may be held
}

// mostAnchors bounds the memory for anchors to 8 bytes for each, and room to grow.
const mostAnchors = 8 << 20

// anchorRules pick the attributes that make an element an anchor.
var anchorRules = []rewriter.Rule{{Attr: "id"}, {Element: "a", Attr: "name"}}

// collect reads the anchors of all pages in src.
func (r *Rewriter) collect(ctx context.Context, src string, most int) (*anchors, error) {
	a := &anchors{seed: maphash.MakeSeed(), most: most}
	html := r.HTML.Options()
	html = rewriter.Options{Profile: html.Profile, Rules: anchorRules, Hold: html.Hold, MaxTag: html.MaxTag}
	reading := &Rewriter{
		HTML: rewriter.Must(rewriter.New(html)).With(rewriter.Hooks{Visit: func(p *rewriter.Place) error {
			if name := anchorOf(p); name != wholePage {
				a.add(p.Document.Name, name)
			}
			return nil
		}}),
		Charset: r.Charset, URL: r.URL, Index: r.Index, CleanURLs: r.CleanURLs, Include: r.Include, Exclude: r.Exclude, Jobs: r.Jobs,
		Done: func(f File) {
			if f.Page && f.Outcome != Failed {
				a.add(f.Path, wholePage)
			}
		},
	}
	_, err := reading.Look(ctx, src)
	for i := range a.hashes {
		slices.Sort(a.hashes[i])
		a.hashes[i] = slices.Compact(a.hashes[i])
	}
	return a, err
}

// wholePage is held in place of an anchor for each page whose anchors are all held.
const wholePage = ""

// anchorOf returns the id or name that an attribute gives. White space around an id
// counts, white space around a reference does not.
func anchorOf(p *rewriter.Place) string {
	if p.Ref != "" && strings.TrimSpace(p.Raw) != p.Raw {
		return p.Raw
	}
	return p.Ref
}

func (a *anchors) add(page, name string) {
	if name == "" && a.isFull() {
		return // some anchors of the page may be missing
	}
	if a.count < a.most {
		h := a.hash(page, name)
		a.hashes[h>>58] = append(a.hashes[h>>58], h)
	}
	a.count++
}

// isFull reports whether there were more anchors than may be held. a may be nil.
func (a *anchors) isFull() bool { return a != nil && a.count > a.most }

func (a *anchors) has(page, name string) bool {
	h := a.hash(page, name)
	_, ok := slices.BinarySearch(a.hashes[h>>58], h)
	return ok
}

func (a *anchors) hash(page, name string) uint64 {
	var h maphash.Hash
	h.SetSeed(a.seed)
	h.WriteString(page)
	h.WriteByte(0)
	h.WriteString(name)
	return h.Sum64()
}

// lacks reports whether a page is known, and has nothing to which the fragment of a URL
// leads (HTML Standard, "find a potential indicated element"). A page always has its
// top. Text fragments do not count: they name no element.
func (a *anchors) lacks(page, url string) bool {
	_, fragment, _ := strings.Cut(url, "#")
	fragment, _, _ = strings.Cut(fragment, ":~:")
	if fragment == "" || !a.has(page, wholePage) {
		return false
	}
	decoded := strings.ToValidUTF8(local.Unescape(fragment), "\ufffd")
	return !a.has(page, fragment) && !a.has(page, decoded) && !strings.EqualFold(decoded, "top")
}
