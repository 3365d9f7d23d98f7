// Lolhtml measures absolink beside lol-html, the streaming HTML rewriter in Rust that
// Cloudflare Workers use, on the pages of package compare.
//
//	cd compare && taskset -c 0 go run -pgo=../cmd/absolink/default.pgo ./lolhtml -rounds 80 -passes 1
//
// It needs cargo and a C++ compiler. Both programs use one core and have all pages in
// memory; taskset keeps both on the same core. Without -pgo, absolink is compiled as for a
// user of the library.
//
// lol-html knows no links. The program in src/main.rs finds the attributes in
// handlers, and has a library resolve the URLs: the crate url or ada-url. A row has the
// fastest of its ways.
//
// Both rewrite the same attributes, with these differences:
//
//   - For lol-html, the content of noscript is text, as in a browser with scripts.
//     absolink makes the links in it absolute, too.
//   - For absolink, href, src and srcset count on every element. The ways of lol-html
//     that ask for elements by name miss a few, such as the href of a button.
//   - absolink lets a BASE count for what precedes it, and decodes character references
//     before it resolves.
//   - lol-html writes a tag anew if an attribute of it changes. absolink replaces values.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"absolink/compare"
	"absolink/resolver"
	"absolink/rewriter"
)

func main() {
	rounds := flag.Int("rounds", 10, "how often every way of both programs is measured")
	passes := flag.Int("passes", 5, "how often all pages are rewritten for a measurement")
	file := flag.String("chart", "", "the file to which the chart of docs/speed.md is written")
	flag.Parse()
	speeds, err := run(os.Stdout, "cargo", max(*rounds, 1), max(*passes, 1))
	if err == errNoCargo {
		fmt.Println(err)
		return
	}
	if err == nil && *file != "" {
		err = os.WriteFile(*file, chart(pairsOf(speeds)), 0o666)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

var errNoCargo = errors.New("cargo is not installed: lol-html was not measured")

// run builds the program in Rust, measures, and prints the results. It returns the speeds of
// each way in MB/s, one for each round. If cargo is not installed, run does nothing and
// returns errNoCargo.
func run(w io.Writer, cargo string, rounds, passes int) (map[string][]float64, error) {
	if _, err := exec.LookPath(cargo); err != nil {
		return nil, errNoCargo
	}
	runtime.GOMAXPROCS(1)
	pages, err := compare.Pages()
	if err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp("", "lolhtml-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	list := filepath.Join(temp, "pages.tsv")
	if err := writeList(list, pages); err != nil {
		return nil, err
	}
	rust, err := startRust(cargo, list)
	if err != nil {
		return nil, err
	}
	defer rust.stop()
	if err := checkPlaces(w, rust, pages); err != nil {
		return nil, err
	}
	ways, err := goWays(pages)
	if err != nil {
		return nil, err
	}
	ways = append(ways, rust.ways()...)
	size := 0
	for _, p := range pages {
		size += len(p.HTML)
	}
	speeds := make(map[string][]float64)
	for range rounds {
		for _, way := range ways {
			elapsed, err := way.measure(passes)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", way.name, err)
			}
			speeds[way.name] = append(speeds[way.name], float64(size*passes)/1e6/elapsed.Seconds())
		}
	}
	fmt.Fprintf(w, "%s; %d pages, %.1f MB; medians of %d rounds of %d passes; the ratio is the median of those within each round\n\n", compiler(), len(pages), float64(size)/1e6, rounds, passes)
	print(w, speeds)
	return speeds, nil
}

// A way is something that one of the programs does with all pages.
type way struct {
	name    string
	measure func(passes int) (time.Duration, error)
}

// The ways of lol-html, by what they do. Their names are those of src/main.rs.
var (
	samePlaces = []string{"names/url", "names/ada-url", "any/url", "any/ada-url"}
	nothing    = []string{"idle", "unmatched"}
)

// blocks are the parts of the table. A row compares a way of absolink with the fastest of
// some ways of lol-html.
var blocks = []struct {
	title string
	rows  []string // ways of absolink
	rust  []string
}{
	{"the same places", []string{"same, RFC 1808", "same, WHATWG"}, samePlaces},
	{"the same places, beside lol-html with nothing to do", []string{"same, RFC 1808", "same, WHATWG"}, nothing},
	{"nothing to do", []string{"no rules"}, nothing},
	{"everything, beside lol-html with nothing to do", []string{"default rules, RFC 1808", "default rules, WHATWG"}, nothing},
}

// compiler names the compiler of absolink, and says whether it had a profile.
func compiler() string {
	info, _ := debug.ReadBuildInfo()
	for _, s := range info.Settings {
		if s.Key == "-pgo" {
			return runtime.Version() + " with the profile " + filepath.Base(s.Value)
		}
	}
	return runtime.Version() + " without a profile"
}

// print prints the table, and then the speeds of all ways of lol-html.
func print(w io.Writer, speeds map[string][]float64) {
	fmt.Fprintf(w, "%-26s%15s%15s  %-15s%5s\n", "", "absolink MB/s", "lol-html MB/s", "its way", "ratio")
	for _, b := range blocks {
		best := fastest(speeds, b.rust)
		fmt.Fprintf(w, "%s:\n", b.title)
		for _, name := range b.rows {
			ratios := make([]float64, len(speeds[name]))
			for i, speed := range speeds[name] {
				ratios[i] = speed / speeds[best][i]
			}
			fmt.Fprintf(w, "%-26s%15.0f%15.0f  %-15s%4.2f×\n", "  "+name, median(speeds[name]), median(speeds[best]), best, median(ratios))
		}
	}
	fmt.Fprintf(w, "all ways of lol-html:\n")
	for _, name := range slices.Concat(samePlaces, nothing) {
		fmt.Fprintf(w, "%-26s%30.0f\n", "  "+name, median(speeds[name]))
	}
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// sameRules are the default rules for the attributes that src/main.rs knows.
func sameRules() []rewriter.Rule {
	attrs := strings.Fields("href src srcset action formaction cite data poster background longdesc")
	return slices.DeleteFunc(rewriter.HTML(), func(r rewriter.Rule) bool { return !slices.Contains(attrs, r.Attr) })
}

// goWays returns the ways of absolink: one for each row of the table.
func goWays(pages []compare.Page) ([]way, error) {
	settings := []struct {
		name    string
		rules   []rewriter.Rule
		profile resolver.Profile
	}{
		{"same, RFC 1808", sameRules(), resolver.RFC1808},
		{"same, WHATWG", sameRules(), resolver.WHATWG},
		{"no rules", []rewriter.Rule{}, resolver.RFC1808},
		{"default rules, RFC 1808", nil, resolver.RFC1808},
		{"default rules, WHATWG", nil, resolver.WHATWG},
	}
	ways := make([]way, len(settings))
	for i, s := range settings {
		rw := rewriter.Must(rewriter.New(rewriter.Options{Rules: s.rules, Profile: s.profile}))
		// Both programs parse the URLs of the pages before they are measured.
		bases, err := parseBases(rw, pages)
		if err != nil {
			return nil, err
		}
		ways[i] = way{s.name, func(passes int) (time.Duration, error) {
			start := time.Now()
			for range passes {
				for i, p := range pages {
					if _, err := rw.Rewrite(io.Discard, bytes.NewReader(p.HTML), bases[i]); err != nil {
						return 0, err
					}
				}
			}
			return time.Since(start), nil
		}}
	}
	return ways, nil
}

func parseBases(rw *rewriter.Rewriter, pages []compare.Page) ([]*resolver.Base, error) {
	bases := make([]*resolver.Base, len(pages))
	for i, p := range pages {
		var err error
		if bases[i], err = rw.ParseBase(p.URL); err != nil {
			return nil, err
		}
	}
	return bases, nil
}

// checkPlaces prints how many references both programs make absolute. It returns an error
// if the numbers are so far apart that the programs do not do the same work.
func checkPlaces(w io.Writer, rust *rust, pages []compare.Page) error {
	rw := rewriter.Must(rewriter.New(rewriter.Options{Rules: sameRules(), Profile: resolver.WHATWG}))
	bases, err := parseBases(rw, pages)
	if err != nil {
		return err
	}
	ours, total := make([]int, len(pages)), 0
	for i, p := range pages {
		result, err := rw.Rewrite(io.Discard, bytes.NewReader(p.HTML), bases[i])
		if err != nil {
			return err
		}
		ours[i] = result.Rewritten
		total += ours[i]
	}
	fmt.Fprintf(w, "references made absolute: absolink %d", total)
	for _, way := range samePlaces {
		counts, err := rust.counts(way)
		if err != nil {
			return err
		}
		sum, differ := 0, 0
		for i, n := range counts {
			sum += n
			if n != ours[i] {
				differ++
			}
		}
		fmt.Fprintf(w, "; %s %d (differs on %d pages)", way, sum, differ)
		if max(sum-total, total-sum) > total/100 {
			return fmt.Errorf("%s: %d references were made absolute, but %d by absolink", way, sum, total)
		}
	}
	fmt.Fprintln(w)
	return nil
}

// A rust is the running program of src/main.rs.
type rust struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// startRust builds the program and starts it on a list of pages. What cargo says goes to
// standard error.
func startRust(cargo, list string) (*rust, error) {
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "absolink/compare/lolhtml").Output()
	if err != nil {
		return nil, fmt.Errorf("finding the program in Rust: %w", err)
	}
	manifest := filepath.Join(string(bytes.TrimSpace(dir)), "Cargo.toml")
	build := exec.Command(cargo, "build", "--release", "--locked", "--manifest-path", manifest)
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("building the program in Rust: %w", err)
	}
	// cargo run knows where cargo build put the program.
	r := &rust{command: exec.Command(cargo, "run", "--quiet", "--release", "--locked", "--manifest-path", manifest, "--", list)}
	r.command.Stderr = os.Stderr
	if r.in, err = r.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := r.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	r.out = bufio.NewReader(out)
	return r, r.command.Start()
}

// writeList writes a line for each page to a file: its file, a tab, and its URL.
func writeList(name string, pages []compare.Page) error {
	var lines strings.Builder
	for _, p := range pages {
		fmt.Fprintf(&lines, "%s\t%s\n", p.File, p.URL)
	}
	return os.WriteFile(name, []byte(lines.String()), 0o600)
}

// stop lets the program end, which it does where its input ends.
func (r *rust) stop() {
	r.in.Close()
	r.command.Wait()
}

// ask sends a line, and returns the line that is the answer.
func (r *rust) ask(line string) (string, error) {
	if _, err := io.WriteString(r.in, line+"\n"); err != nil {
		return "", err
	}
	answer, err := r.out.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("the program in Rust ended: %w", err)
	}
	return strings.TrimSpace(answer), nil
}

func (r *rust) ways() []way {
	var ways []way
	for _, name := range slices.Concat(samePlaces, nothing) {
		ways = append(ways, way{name, func(passes int) (time.Duration, error) {
			answer, err := r.ask(name + " " + strconv.Itoa(passes))
			if err != nil {
				return 0, err
			}
			return time.ParseDuration(answer + "s")
		}})
	}
	return ways
}

// counts returns how many references a way makes absolute on each page.
func (r *rust) counts(way string) ([]int, error) {
	answer, err := r.ask("counts " + way)
	if err != nil {
		return nil, err
	}
	var counts []int
	for field := range strings.FieldsSeq(answer) {
		n, err := strconv.Atoi(field)
		if err != nil {
			return nil, err
		}
		counts = append(counts, n)
	}
	return counts, nil
}
