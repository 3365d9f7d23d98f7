package saver

import (
	"strings"
	"testing"
)

func TestURL(t *testing.T) {
	for comment, want := range map[string]string{
		" saved from url=(0014)http://h/a?b ":                              "http://h/a?b saved from url",
		"saved from url=(14)http://h/ x":                                   "",
		"saved from url=http://h/":                                         "",
		"\n Page saved with SingleFile \n url: http://h/ \n saved date: x": "http://h/ SingleFile",
		" Saved from http://h/ at 2026-01-01 using monolith v2 ":           "http://h/ monolith",
		" saved from http://h/ ":                                           "",
		" Mirrored from h/x.html by HTTrack Website Copier/3.x ":           "http://h/x.html HTTrack",
		" Mirrored from https://h/x by HTTrack ":                           "https://h/x HTTrack",
		"":                                                                 "",
	} {
		url, name := URL([]byte(comment))
		if got := strings.TrimSpace(url + " " + name); got != want {
			t.Errorf("%q: %q, want %q", comment, got, want)
		}
	}
}
