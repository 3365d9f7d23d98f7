package compare

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

var seed = flag.Uint64("seed", 1, "what the references of TestStandard are made from")

// askChromium returns what the browser resolves; nil is failure.
func askChromium(t *testing.T, pairs []pair) (urls []*string) {
	const batch = 5000
	b := <-startChromium(t)
	for len(pairs) > 0 {
		n := min(batch, len(pairs))
		rows := make([][2]string, n)
		for i, p := range pairs[:n] {
			rows[i] = [2]string{p.ref, p.base}
		}
		list := must(json.Marshal(rows))(t)
		var answers []*string
		script := string(list) + ".map(([ref, base]) => { try { return new URL(ref, base).href } catch { return null } })"
		noError(t, chromedp.Run(b.ctx, chromedp.Evaluate(script, &answers)))
		urls = append(urls, answers...)
		pairs = pairs[n:]
	}
	return urls
}

// askWhatwgURL returns what npm's whatwg-url resolves: a string, nil for failure, or
// false where node is too old to tell.
func askWhatwgURL(t *testing.T, pairs []pair) (urls []any) {
	missing := t.Skipf
	if os.Getenv("NODE") != "" {
		missing = t.Fatalf
	}
	if _, err := os.Stat("whatwg/node_modules/whatwg-url"); err != nil {
		missing("no whatwg-url: (cd compare/whatwg && npm ci) installs it: %v", err)
	}
	node, err := exec.LookPath(cmp.Or(os.Getenv("NODE"), "node"))
	if err != nil {
		missing("no node, and NODE does not say where it is: %v", err)
	}
	var in bytes.Buffer
	encoder := json.NewEncoder(&in)
	for _, p := range pairs {
		noError(t, encoder.Encode([2]string{p.ref, p.base}))
	}
	cmd := exec.Command(node, "resolve.js")
	cmd.Dir, cmd.Stdin, cmd.Stderr = "whatwg", &in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v", err)
	}
	version, answers, _ := strings.Cut(string(out), "\n")
	t.Logf("node has Unicode %s", version)
	for line := range strings.Lines(answers) {
		var url any
		noError(t, json.Unmarshal([]byte(line), &url))
		urls = append(urls, url)
	}
	if len(urls) != len(pairs) {
		t.Fatalf("node answered %d references of %d", len(urls), len(pairs))
	}
	return urls
}

// A comparison is a pair and what it is resolved to; "" is failure.
type comparison struct {
	pair
	ours, chromium, whatwgURL string
}

// compareStandard returns the comparisons of pairs that node can tell.
func compareStandard(t *testing.T, pairs []pair) (all []comparison) {
	browser, node := askChromium(t, pairs), askWhatwgURL(t, pairs)
	for i, p := range pairs {
		c := comparison{pair: p, ours: ourURL(p.base, p.ref)}
		if browser[i] != nil {
			c.chromium = *browser[i]
		}
		if node[i] == false {
			continue
		}
		c.whatwgURL, _ = node[i].(string)
		all = append(all, c)
	}
	return all
}

// The profile WHATWG resolves as Chromium and whatwg-url do. Where these two disagree,
// the pair is in one of disagreements, and we are with the other of the two.
func TestStandard(t *testing.T) {
	const n = 100_000
	all := compareStandard(t, newGenerator(t, *seed).pairs(n))
	if len(all) < n-n/100 {
		t.Errorf("node knows too few of the references: %d", len(all))
	}
	different, resolved := 0, map[string]bool{}
	seen := make([]int, len(disagreements))
	for _, c := range all {
		resolved[c.ours] = true
		class := c.class()
		switch {
		case c.ours == c.chromium && c.ours == c.whatwgURL:
		case class >= 0:
			seen[class]++
		default:
			if different++; different <= 20 {
				t.Errorf("%q on %q is %q, by Chromium %q, by whatwg-url %q", c.ref, c.base, c.ours, c.chromium, c.whatwgURL)
			}
		}
	}
	t.Logf("%d references, %d different URLs, %d unexplained", len(all), len(resolved), different)
	if len(resolved) < n/2 {
		t.Errorf("the references are too much alike: %d different URLs", len(resolved))
	}
	for i, d := range disagreements {
		t.Logf("%5d %s: %s", seen[i], d.who, d.why)
		if seen[i] == 0 {
			t.Errorf("%s is as in the Standard: take it off the list (%s)", d.who, d.why)
		}
	}
}

// Each of disagreements is still there, in its example.
func TestDisagreements(t *testing.T) {
	var examples []pair
	for _, d := range disagreements {
		examples = append(examples, d.example)
	}
	all := compareStandard(t, examples)
	if len(all) < len(examples) {
		t.Fatal("node does not know all of the examples")
	}
	for i, d := range disagreements {
		c := all[i]
		theirs, other := c.sides(d.who)
		if c.ours != d.ours || other != d.ours || theirs != d.theirs || c.class() != i {
			t.Errorf("%s: %q on %q is %q, by Chromium %q, by whatwg-url %q, in class %d", d.why, c.ref, c.base, c.ours, c.chromium, c.whatwgURL, c.class())
		}
	}
}

// sides returns the URL by the program who, and by the other of the two.
func (c comparison) sides(who string) (theirs, other string) {
	if who == chromium {
		return c.chromium, c.whatwgURL
	}
	return c.whatwgURL, c.chromium
}

// class returns the index of the first of disagreements in which who differs from us and
// the other program does not, or -1.
func (c comparison) class() int {
	for i, d := range disagreements {
		if theirs, other := c.sides(d.who); theirs != c.ours && other == c.ours && d.has(c, theirs) {
			return i
		}
	}
	return -1
}
