package page

import (
	"strings"
	"testing"
)

// The page offers to fetch a document where its server does, and a report never has the form.
func TestPageForm(t *testing.T) {
	for _, fetches := range []bool{false, true} {
		html, _ := Index(fetches)
		if strings.Contains(html, fetchShown) != fetches || strings.Contains(html, fetchHidden) == fetches || strings.Contains(html, `class="report"`) {
			t.Errorf("fetches %t:\n%s", fetches, html)
		}
	}
	var report strings.Builder
	data, err := NewReport(&report)
	if err != nil {
		t.Fatal(err)
	}
	if err := data.Close(); err != nil || !strings.Contains(report.String(), `<html class="report" lang="en">`) {
		t.Errorf("%v\n%s", err, report.String())
	}
}
