package console

import (
	"errors"
	"regexp"
	"strings"
)

// The libraries hide the user and the password of a URL with resolver.Redact. What
// they hand over as data, and what others say, such as package net/url, is left for
// this file. Redact cannot stand in for either function:
//
//   - listing.WithoutLogin makes names and data, such as the page in a list: a URL that has
//     no user has to keep all of its bytes. Redact would rather show too little.
//   - HideLogins finds URLs in running text, where nothing says where a URL ends, or
//     that it is one. Redact is given one whole URL.

// ErrOddPort is the error for a URL that listing.HasOddPort finds.
var ErrOddPort = errors.New(`the URL has a port that is not a number; in a user or password, write "/", "?" and "#" as %2F, %3F and %23`)

// HideLogins returns a message with "…" in place of the user and the password in
// each URL.
func HideLogins(message string) string {
	message = quotedText.ReplaceAllStringFunc(oddPort.ReplaceAllString(message, "invalid port"), HideLogin)
	return login.ReplaceAllString(message, "$1$2…@")
}

// HideLogin is HideLogins for one URL, in which white space may stand.
func HideLogin(url string) string {
	if !strings.Contains(url, "@") { // the pattern takes long for a long URL
		return url
	}
	return loginInURL.ReplaceAllString(url, "$1$2…@")
}

// quotedText matches what a message quotes, which may be a URL.
var quotedText = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// oddPort matches what package net/url says of a URL that listing.HasOddPort, with a part of
// the password.
var oddPort = regexp.MustCompile(`invalid port "[^"]*"`)

// login matches the user and the password of a URL in a text, and the "@" after
// them. White space ends the URL, but not in loginInURL, where that is all there is.
var login, loginInURL = loginUpTo(`\s`), loginUpTo(`\n`)

// loginUpTo returns a pattern for a user and a password in which the characters of
// the class ends do not stand. They may follow
//
//   - "//", or one of the schemes that browsers read without slashes. If what stands
//     for the port is not a number, the password goes on to the last "@", whatever
//     comes before that.
//   - any other scheme without slashes, if a ":" stands between them.
func loginUpTo(ends string) *regexp.Regexp {
	const pattern = `(?i)(//|\b(?:https?|ftp|wss?):[/\\]*)(?:[^/?#ENDS:@[]*:\d*[^\d/?#ENDS@][^ENDS]*@|[^/?#ENDS]*@)` +
		`|(\b[a-z][a-z0-9+.-]*:)[^/?#ENDS:@]+:[^/?#ENDS]*@`
	return regexp.MustCompile(strings.ReplaceAll(pattern, "ENDS", ends))
}
