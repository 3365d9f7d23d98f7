package main

import (
	"io"
	"slices"
	"strings"
	"testing"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/view"
	"absolink/internal/test/docs"
)

// The documentation, the help and the message about a wrong group have every group of
// rules.
func TestRuleGroups(t *testing.T) {
	var inDocs []string
	for _, row := range docs.Table(t, "rule groups") {
		inDocs = append(inDocs, strings.Trim(row[0], "`"))
	}
	slices.Sort(inDocs)
	if groups := slices.Sorted(slices.Values(view.RuleOrder)); !slices.Equal(inDocs, groups) {
		t.Errorf("the table has %q, the command %q", inDocs, groups)
	}
	for _, args := range [][]string{{"rules", "--help"}, {"rules", "--rules", "nope"}} {
		var out strings.Builder
		run(args, strings.NewReader(""), &out, &out)
		words := strings.FieldsFunc(out.String(), func(r rune) bool { return strings.ContainsRune(" ,.\n", r) })
		for _, group := range view.RuleOrder {
			if !slices.Contains(words, group) {
				t.Errorf("absolink %s does not name %s:\n%s", strings.Join(args, " "), group, &out)
			}
		}
	}
	for _, group := range view.RuleOrder {
		if code := run([]string{"rules", "--rules", group}, strings.NewReader(""), io.Discard, io.Discard); code != console.ExitDone {
			t.Errorf("absolink rules --rules %s exits with %d", group, code)
		}
	}
}
