package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A ui is where a command talks. Results go to standard output; everything else to
// standard error, one line each: "absolink: FILE:OFFSET: message".
type ui struct {
	stdin          io.Reader
	stdout, stderr io.Writer

	quiet  bool
	strict bool
	code   int // so far
}

// errorf says what was not done.
func (u *ui) errorf(format string, args ...any) {
	u.print(format, args...)
	u.code = exitNotDone
}

// warnf says what was done that the user may want to look at.
func (u *ui) warnf(format string, args ...any) {
	if !u.quiet {
		u.print(format, args...)
	}
	u.warned()
}

func (u *ui) warned() {
	if u.strict && u.code == exitDone {
		u.code = exitStrict
	}
}

func (u *ui) damaged() {
	if u.code != exitNotDone {
		u.code = exitDamaged
	}
}

// print prints a message as one line, whatever names, headers and values are in it.
func (u *ui) print(format string, args ...any) {
	message := withoutLogins(fmt.Sprintf(format, args...))
	fmt.Fprintf(u.stderr, "absolink: %s\n", visible(shortened(message, maxMessage)))
}

// maxMessage is how much of a message is printed, in bytes: a server may send a
// status line of megabytes.
const maxMessage = 8 << 10

// shortened returns s without its middle where it is longer than max: what it is
// about comes first, and what to do last.
func shortened(s string, max int) string {
	if len(s) <= max {
		return s
	}
	return s[:max*3/4] + " … " + s[len(s)-max/4:]
}

// visible returns s with each byte as \xNN that a terminal would obey instead of
// showing it: those of control characters, C1 among them, of what ends a line or
// turns its direction, and of what is not UTF-8.
func visible(s string) string {
	if !strings.ContainsFunc(s, isHidden) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		c, size := utf8.DecodeRuneInString(s[i:])
		if isHidden(c) || c == utf8.RuneError && size == 1 {
			for _, hidden := range []byte(s[i : i+size]) {
				fmt.Fprintf(&b, `\x%02x`, hidden)
			}
		} else {
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

func isHidden(c rune) bool {
	return c < ' ' || c >= 0x7f && unicode.In(c, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
}

// login finds the user and the password in each URL of a text, with the "@" after
// them; loginInURL in what is one URL, where white space does not end it.
var login, loginInURL = loginThatEndsAt(`\s`), loginThatEndsAt(`\n`)

// loginThatEndsAt returns what finds a user and a password without these characters.
// The schemes are those that need no slashes in browsers; after another one without
// slashes there are two parts. Where no number stands in place of a port, a password
// goes on after a slash.
func loginThatEndsAt(space string) *regexp.Regexp {
	const pattern = `(?i)(//|\b(?:https?|ftp|wss?):[/\\]*)(?:[^/?#SPACE:@[]*:\d*[^\d/?#SPACE@][^SPACE]*@|[^/?#SPACE]*@)` +
		`|(\b[a-z][a-z0-9+.-]*:)[^/?#SPACE:@]+:[^/?#SPACE]*@`
	return regexp.MustCompile(strings.ReplaceAll(pattern, "SPACE", space))
}

// quoted finds what a message quotes, which may be a URL.
var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// oddPort finds what package net/url says of such a password.
var oddPort = regexp.MustCompile(`invalid port "[^"]*"`)

// withoutLogins returns a message with "…" for the users and passwords of the URLs in
// it.
func withoutLogins(message string) string {
	message = quoted.ReplaceAllStringFunc(oddPort.ReplaceAllString(message, "invalid port"), urlWithoutLogin)
	return login.ReplaceAllString(message, "$1$2…@")
}

// urlWithoutLogin returns a URL with "…" for its user and password.
func urlWithoutLogin(url string) string { return loginInURL.ReplaceAllString(url, "$1$2…@") }
