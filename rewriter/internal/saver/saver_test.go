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
		"saved from url=()http://h/":                                       "",
		"saved from url=(0123456789)http://h/":                             "",
		"saved from url=(14a)http://h/":                                    "",
		"saved from url=(14)":                                              "",
		"Page saved with SingleFile url: http://h/":                        "http://h/ SingleFile",
		"Page saved with SingleFileurl: http://h/":                         "",
		"Page saved with SingleFile\nurl:http://h/":                        "http://h/ SingleFile",
		"saved from http://h/ at  using monolith":                          "",
		"saved from http://h/ at x using monoliths":                        "",
		"saved from  at x using monolith":                                  "",
		"Mirrored from h/x by HTTrack":                                     "http://h/x HTTrack",
		"Mirrored from h/x by HTTracker":                                   "",
		"":                                                                 "",
	} {
		url, name := URL([]byte(comment))
		if got := strings.TrimSpace(url + " " + name); got != want {
			t.Errorf("%q: %q, want %q", comment, got, want)
		}
	}
}
