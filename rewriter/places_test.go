package rewriter

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"absolink/resolver"
)

// ruleGroups are the groups of rules that there are, by the names that RuleGroup knows.
var ruleGroups = map[string]func() []Rule{"html": HTML, "links": Links, "legacy": Legacy, "meta": Meta, "lazy": Lazy, "json": JSON, "modules": Modules, "comments": Comments, "allcomments": AllComments}

// rulesOf returns the rules of groups, as the command's --rules has them. A
// group that is not built yet has none.
func rulesOf(groups ...string) []Rule {
	var rules []Rule
	for _, name := range groups {
		if group := ruleGroups[name]; group != nil {
			rules = append(rules, group()...)
		}
	}
	return rules
}

// allRules are the rules of all groups except Links, which are part of HTML, and
// AllComments, with which comments hold places that other rows of the table exclude.
func allRules() []Rule {
	return rulesOf("html", "legacy", "meta", "lazy", "json", "modules", "comments")
}

// RuleGroup knows each group by its name, and no other. The cases of places run with every group.
func TestRuleGroup(t *testing.T) {
	for name, rules := range ruleGroups {
		if got, want := RuleGroup(name), rules(); !slices.Equal(got, want) || len(got) == 0 {
			t.Errorf("RuleGroup(%q) has %d rules, not %d", name, len(got), len(want))
		}
		if names := strings.Fields(strings.ReplaceAll(groupNames, ",", "")); !slices.Contains(names, name) || len(names) != len(groups)+1 {
			t.Errorf("the names of the groups are %q", names)
		}
	}
	if got := RuleGroup("HTML"); got != nil {
		t.Errorf("RuleGroup(HTML) has %d rules", len(got))
	}
	for _, m := range regexp.MustCompile(`(?m)^func ([A-Z]\w*)\(\) \[\]Rule`).FindAllStringSubmatch(read(t, "rules.go"), -1) {
		if ruleGroups[strings.ToLower(m[1])] == nil {
			t.Errorf("%s is not in ruleGroups", m[1])
		}
	}
}

// Each rule is needed: without it, some case of testdata/places is wrong. So a rule cannot be
// added without a case, and a case not without its row (TestPlaceRows).
func TestEveryRuleHasCases(t *testing.T) {
	cases := placeCases(t)
	for group := range ruleGroups {
		all := rulesOf(group)
		for i, r := range all {
			few := slices.Delete(slices.Clone(all), i, i+1)
			if !needs(t, cases, r, group, few) {
				t.Errorf("%s: no case in testdata/places needs the rule %s", group, r)
			}
		}
	}
}

// needs reports whether a case becomes something else where the rules of a group are fewer.
func needs(t *testing.T, cases map[string][]*placeCase, r Rule, group string, few []Rule) bool {
	html := HTML()
	if group == "html" || group == "links" {
		html = nil
	}
	some := newRuleSet(slices.Concat(html, few))
	whole := newRuleSet(slices.Concat(html, rulesOf(group)))
	for _, row := range slices.Sorted(maps.Keys(cases)) {
		for _, c := range cases[row] {
			if !strings.Contains(strings.ToLower(c.in), r.Attr) {
				continue
			}
			outer := mustParse(t, c.url, resolver.RFC1808)
			without, _ := rewrite(t, some.on(new(Rewriter)), c.in, outer)
			if with, _ := rewrite(t, whole.on(new(Rewriter)), c.in, outer); with != without {
				return true
			}
		}
	}
	return false
}

// A placeRow is a row of testdata/places/places.tsv.
type placeRow struct {
	id     string
	policy string // D by default, N never, DN either; others on request
	group  string // of rules that has the place; "-" is none
}

func placeRows(t testing.TB) []placeRow {
	t.Helper()
	table, err := os.ReadFile("../testdata/places/places.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var rows []placeRow
	for line := range strings.Lines(string(table)) {
		if f := strings.Split(line, "\t"); f[0] != "id" {
			rows = append(rows, placeRow{f[0], f[1], f[2]})
		}
	}
	return rows
}

// A placeCase is a document, and what becomes of it with the rules of its row.
type placeCase struct {
	name      string // after the row's name
	url       string
	in, out   string
	html      string // what becomes of it by default
	all       string // what becomes of it with all rules
	userRules []Rule // as of --rule
}

// placeCases returns the cases of testdata/places by their rows. ROW/NAME/in
// becomes ROW/NAME/out with the rules of the row, and with all rules where
// there is no ROW/NAME/all; by default it becomes ROW/NAME/html. What is not
// there is as it was. ROW/NAME/rules come on top of all but the default.
func placeCases(t testing.TB) map[string][]*placeCase {
	t.Helper()
	files, err := filepath.Glob("../testdata/places/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	cases := make(map[string][]*placeCase)
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, url, _ := strings.Cut(string(a.Comment), "url: ")
		parts := make(map[string]string)
		for _, f := range a.Files {
			parts[f.Name] = string(f.Data)
		}
		if len(parts) != len(a.Files) {
			t.Errorf("%s: a name twice", file)
		}
		for _, f := range a.Files {
			if name, ok := strings.CutSuffix(f.Name, "/in"); ok {
				row, name, _ := strings.Cut(name, "/")
				cases[row] = append(cases[row], newPlaceCase(t, row, name, strings.TrimSpace(url), parts))
			}
		}
		for name := range parts {
			t.Errorf("%s: %s is part of no case", file, name)
		}
	}
	return cases
}

// newPlaceCase takes a case from the parts of a file.
func newPlaceCase(t testing.TB, row, name, url string, parts map[string]string) *placeCase {
	take := func(what, otherwise string) string {
		key := row + "/" + name + "/" + what
		text, ok := parts[key]
		if !ok {
			return otherwise
		}
		delete(parts, key)
		return text
	}
	c := &placeCase{name: name, url: url}
	c.in = take("in", "")
	c.html = take("html", "")
	c.out = take("out", c.in)
	c.all = take("all", c.out)
	for line := range strings.Lines(take("rules", "")) {
		r, err := ParseRule(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		c.userRules = append(c.userRules, r)
	}
	return c
}

// wrong returns what is wrong with what becomes of a case, "" where nothing is.
func (c *placeCase) wrong(t testing.TB, row placeRow) string {
	outer := mustParse(t, c.url, resolver.RFC1808)
	html := c.html
	if html == "" && row.group == "html" {
		html = c.out
	} else if html == "" {
		html = c.in
	}
	var wrong strings.Builder
	for _, run := range []struct {
		what  string
		rules []Rule
		want  string
	}{
		{"by default", rulesOf("html"), html},
		{"with " + row.group, slices.Concat(rulesOf("html", row.group), c.userRules), c.out},
		{"with all rules", slices.Concat(allRules(), c.userRules), c.all},
	} {
		if row.group == "allcomments" && run.what == "with all rules" {
			continue // another rule for comments is among them
		}
		if got, _ := rewrite(t, Must(New(Options{Rules: run.rules})), c.in, outer); got != run.want {
			fmt.Fprintf(&wrong, "%s, %s becomes\n%swant\n%s", run.what, c.in, got, run.want)
		}
	}
	return wrong.String()
}

// Every row of the table of places has its cases, and every case its row. The
// cases that fail are listed in known_failures.txt, which may only shrink.
func TestPlaceRows(t *testing.T) {
	rows, cases, known := placeRows(t), placeCases(t), knownFailures(t)
	for _, row := range rows {
		of := cases[row.id]
		delete(cases, row.id)
		t.Run(row.id, func(t *testing.T) {
			checkRow(t, row, of)
			for _, c := range of {
				t.Run(c.name, func(t *testing.T) {
					reason, listed := known[row.id+"/"+c.name]
					delete(known, row.id+"/"+c.name)
					switch wrong := c.wrong(t, row); {
					case wrong != "" && !listed:
						t.Error(wrong)
					case wrong == "" && listed:
						t.Errorf("passes, and is listed as a known failure: %s", reason)
					}
					outer, set := mustParse(t, c.url, resolver.RFC1808), allSet
					if c.userRules != nil {
						set = newRuleSet(slices.Concat(allRules(), c.userRules))
					}
					if row.group == "allcomments" {
						set = everySet
					}
					checkPromisesWith(t, set, []byte(c.in), outer)
					checkBoundsWith(t, set, []byte(c.in), outer)
				})
			}
		})
	}
	for row := range cases {
		t.Errorf("there are cases of %s, which has no row in testdata/places/places.tsv", row)
	}
	for name := range known {
		t.Errorf("%s is listed as a known failure, and no case", name)
	}
}

// checkRow checks that the cases of a row are of the kinds that its policy
// asks for: with its rules something changes, or nothing ever, or both.
func checkRow(t *testing.T, row placeRow, cases []*placeCase) {
	t.Helper()
	changes := func(c *placeCase) bool { return c.out != c.in || c.all != c.in }
	some := slices.ContainsFunc(cases, changes)
	none := slices.ContainsFunc(cases, func(c *placeCase) bool { return !changes(c) })
	switch {
	case len(cases) == 0:
		t.Error("no case")
	case row.policy == "N" && (some || row.group != "-"):
		t.Error("a case of what is never a place changes")
	case row.policy == "DN" && !(some && none):
		t.Error("no case that changes, or none that does not")
	case row.policy != "N" && !some:
		t.Error("no case changes")
	}
}

// knownFailures returns the cases that are known to fail, with the reasons.
func knownFailures(t testing.TB) map[string]string {
	t.Helper()
	list, err := os.ReadFile("../testdata/places/known_failures.txt")
	if err != nil {
		t.Fatal(err)
	}
	known := make(map[string]string)
	for line := range strings.Lines(string(list)) {
		if !strings.HasPrefix(line, "# ") {
			name, reason, _ := strings.Cut(strings.TrimSpace(line), ": ")
			known[name] = reason
		}
	}
	return known
}

// The page places is one with all places: a comment names the rows of what
// follows. What is never a URL there is called none.
func TestPlacesPage(t *testing.T) {
	for _, page := range pages(t) {
		if page.name != "places" {
			continue
		}
		rows := make(map[string]bool)
		for _, comment := range regexp.MustCompile(`<!--.*?-->`).FindAllString(string(page.data), -1) {
			for _, word := range regexp.MustCompile(`\w+`).FindAllString(comment, -1) {
				rows[word] = true
			}
		}
		for _, row := range placeRows(t) {
			if !rows[row.id] {
				t.Errorf("testdata/pages/places.html has no comment with %s: put the comment there before the markup of this place, and both into places.want.html too", row.id)
			}
		}
		parts := partsOf(t, page.data)
		rw := Must(New(Options{Rules: page.rules}))
		for _, p := range runWith(t, rw, bytes.NewReader(page.data), mustParse(t, page.url, resolver.RFC1808)).places {
			for i := range parts {
				if part := &parts[i]; part.start <= p.Offset && p.Offset < part.end && p.URL != "" && p.URL != p.Ref {
					part.changes = true
				}
			}
			if p.URL != "" && p.URL != p.Ref && strings.Contains(p.Ref, "none") {
				t.Errorf("%s of %s becomes %s", p.Ref, p.Element, p.URL)
			}
		}
		for _, part := range parts {
			if len(part.rows) > 0 && !part.changes {
				t.Errorf("testdata/pages/places.html has no place that changes after the comment with %q: put the markup there", part.rows)
			}
		}
		return
	}
	t.Error("there is no such page")
}

// A pagePart is what stands in the page places between a comment that names rows and the next.
type pagePart struct {
	start, end int64
	rows       []string // that the comment names, without those of what is never a place
	changes    bool     // some place there changes
}

func partsOf(t *testing.T, page []byte) (parts []pagePart) {
	policies := make(map[string]string)
	for _, row := range placeRows(t) {
		policies[row.id] = row.policy
	}
	for _, comment := range regexp.MustCompile(`<!--.*?-->`).FindAllIndex(page, -1) {
		part := pagePart{start: int64(comment[1]), end: int64(len(page))}
		named := false
		for _, word := range regexp.MustCompile(`\w+`).FindAllString(string(page[comment[0]:comment[1]]), -1) {
			named = named || policies[word] != ""
			if policies[word] != "" && policies[word] != "N" {
				part.rows = append(part.rows, word)
			}
		}
		if !named {
			continue
		}
		if len(parts) > 0 {
			parts[len(parts)-1].end = int64(comment[0])
		}
		parts = append(parts, part)
	}
	return parts
}
