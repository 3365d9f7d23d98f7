package caddy

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"absolink/internal/test/doors"
	"absolink/internal/test/testio"
	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/container"
)

const (
	noFunctions = "a Caddyfile has no functions"
	says        = "a status or a broken connection says what failed"
)

// TestDoors checks every promise at the directive, in Caddy before a server.
func TestDoors(t *testing.T) {
	origin := doors.NewOrigin(t)
	type options struct {
		profile resolver.Profile
		hold    int
	}
	addresses := map[options]string{{resolver.RFC1808, 16 << 20}: testio.FreeAddress(t), {resolver.RFC1808, 4 << 10}: testio.FreeAddress(t), {resolver.WHATWG, 16 << 20}: testio.FreeAddress(t)}
	config := ""
	for o, address := range addresses {
		more := ""
		if o.profile == resolver.WHATWG { // the second set of options of package doors
			more = "\n\t\tkeep_fragments"
		}
		more += fmt.Sprint("\n\t\thold ", o.hold)
		config += fmt.Sprintf("http://%s {\n\tabsolink {\n\t\tpublic http://h\n\t\tprofile %s%s\n\t}\n\treverse_proxy %s\n}\n", address, o.profile, more, strings.TrimPrefix(origin.URL, "http://"))
	}
	log := filepath.Join(t.TempDir(), "log")
	start(t, config, logTo(log))
	run := func(p *doors.Pass) error {
		return origin.With(p.Src, func() error {
			_, err := doors.Ask(p, "GET", "http://"+addresses[options{p.HTML.Profile(), p.HTML.Options().Hold}]+strings.TrimPrefix(doors.Base, "http://h"), nil, 0)
			return err
		})
	}
	for o := range addresses { // all goroutines of Caddy are there then
		if err := run(&doors.Pass{Ctx: t.Context(), HTML: rewriter.Must(rewriter.New(rewriter.Options{Profile: o.profile, Hold: o.hold})), Dst: io.Discard, Src: strings.NewReader("")}); err != nil {
			t.Fatal(err)
		}
	}
	doors.Check(t, 8, []doors.Door{{
		Name: "Caddy", Most: 6 << 20, Want: kept, Opaque: says,
		Not: doors.With(doors.Not(noFunctions, "told", "kept", "hostile", "visit", "panic"), doors.Not("a page in Caddy has a URL, and keeps its fragments", "stays", "location"),
			doors.Not("Caddy does not count", "counts"), doors.Not(says, "where")),
		Run: func(p *doors.Pass) error {
			before := len(readFile(t, log))
			err := run(p)
			if said := readFile(t, log)[before:]; said != "" {
				container.Warn(p.HTML, 0, errors.New(said))
			}
			return err
		},
	}})
}

// kept returns what Rewrite makes of a document with the options that the directive has.
func kept(p *doors.Pass) []byte {
	var out strings.Builder
	o := p.HTML.Options()
	o.RemoveBase, o.WholeDocument = false, false
	if _, err := rewriter.Must(rewriter.New(o)).Rewrite(&out, p.Src, p.Outer); err != nil {
		panic(err)
	}
	return []byte(out.String())
}

// logTo returns the global option that writes warnings into a file.
func logTo(name string) string { return "log {\n\toutput file " + name + "\n\tlevel WARN\n}" }

func readFile(t *testing.T, name string) string {
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
