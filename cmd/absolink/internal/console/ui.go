// Package console is how the command talks: messages, exit codes, the progress of a run, and
// what several jobs print at the same time.
package console

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"absolink/internal/listing"
)

// Exit codes.
const (
	ExitDone    = 0
	ExitNotDone = 1 // a file could not be read or written, or a URL could not be used
	ExitUsage   = 2 // an option or an argument is wrong, and nothing was done
	ExitStrict  = 3 // done, with something to look at, under --strict
	ExitDamaged = 4 // done, except what is damaged in the input
)

// A UI is how a command talks. Results go to standard output. Messages go to
// standard error, each as one line: "absolink: FILE:LINE:COLUMN: message".
type UI struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer

	Quiet  bool // print errors only
	Strict bool
	Debug  bool // print every warning, with its offset
	Code   int  // the exit code so far

	outColors, errColors bool // the streams show colours

	Progress *Progress // of the run; nil where none is shown
}

// Errorf says what could not be done.
func (u *UI) Errorf(format string, args ...any) {
	u.Print(format, args...)
	u.Code = ExitNotDone
}

// Usagef says what is wrong with an option or argument. Nothing is done then.
func (u *UI) Usagef(format string, args ...any) {
	u.Print(format, args...)
	u.Code = ExitUsage
}

// Warnf says what was done in a way that the user may want to look at.
func (u *UI) Warnf(format string, args ...any) {
	u.Summaryf(format, args...)
	u.Warned()
}

// Warned says that there is something to look at.
func (u *UI) Warned() {
	if u.Strict && u.Code == ExitDone {
		u.Code = ExitStrict
	}
}

// Damaged says that a part of the input could not be used.
func (u *UI) Damaged() {
	if u.Code != ExitNotDone {
		u.Code = ExitDamaged
	}
}

// CannotWriteOn says that standard output has failed.
func (u *UI) CannotWriteOn(err error) { u.Errorf("<stdout>: cannot write further: %v", Cause(err)) }

// Summaryf says what became of the input.
func (u *UI) Summaryf(format string, args ...any) {
	if !u.Quiet {
		u.Print(format, args...)
	}
}

// Counted returns a number with what it counts, such as "1 file" and "2 files".
func Counted(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Print prints a message as one line, whatever names, headers and values it has.
func (u *UI) Print(format string, args ...any) {
	message := HideLogins(fmt.Sprintf(format, args...))
	fmt.Fprintln(u.Stderr, u.colored("absolink: "+Visible(shortened(message, MaxMessage))))
}

// MaxMessage is how many bytes of a message are printed: a server may send a status
// line of megabytes.
const MaxMessage = 8 << 10

// shortened returns s without its middle where it is longer than max: a message
// begins with what it is about, and ends with what to do.
func shortened(s string, max int) string {
	if len(s) <= max {
		return s
	}
	return s[:max*3/4] + " … " + s[len(s)-max/4:]
}

// Visible returns s with \xNN for each byte that a terminal would obey instead of
// showing it: the bytes of control characters (also C1), of characters that end a
// line or turn its direction, and those that are not UTF-8.
func Visible(s string) string {
	if !strings.ContainsFunc(s, listing.IsHidden) && utf8.ValidString(s) {
		return s
	}
	var b listing.Buffer
	AddVisible(&b, s)
	return string(b.Bytes())
}

// AddVisible adds what Visible returns.
func AddVisible(b *listing.Buffer, s string) { AddEscaped(b, s, `\x%02x`, "") }

// AddEscaped adds s with its bytes that are not UTF-8, and those of its characters that are
// hidden or special, in a format.
func AddEscaped(b *listing.Buffer, s, format, special string) {
	done, i := 0, 0
	for i < len(s) {
		c, size := utf8.DecodeRuneInString(s[i:])
		if listing.IsHidden(c) || c == utf8.RuneError && size == 1 || strings.ContainsRune(special, c) {
			b.Add(s[done:i])
			for _, hidden := range []byte(s[i : i+size]) {
				fmt.Fprintf(b, format, hidden)
			}
			done = i + size
		}
		i += size
	}
	b.Add(s[done:])
}
