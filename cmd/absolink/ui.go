package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"absolink/internal/listing"
)

// A ui is how a command talks. Results go to standard output. Messages go to
// standard error, each as one line: "absolink: FILE:LINE:COLUMN: message".
type ui struct {
	stdin          io.Reader
	stdout, stderr io.Writer

	quiet  bool // print errors only
	strict bool
	debug  bool // print every warning, with its offset
	code   int  // the exit code so far

	progress *progress // of the run; nil where none is shown
}

// errorf says what could not be done.
func (u *ui) errorf(format string, args ...any) {
	u.print(format, args...)
	u.code = exitNotDone
}

// usagef says what is wrong with an option or argument. Nothing is done then.
func (u *ui) usagef(format string, args ...any) {
	u.print(format, args...)
	u.code = exitUsage
}

// warnf says what was done in a way that the user may want to look at.
func (u *ui) warnf(format string, args ...any) {
	u.summaryf(format, args...)
	u.warned()
}

// warned says that there is something to look at.
func (u *ui) warned() {
	if u.strict && u.code == exitDone {
		u.code = exitStrict
	}
}

// damaged says that a part of the input could not be used.
func (u *ui) damaged() {
	if u.code != exitNotDone {
		u.code = exitDamaged
	}
}

// cannotWriteOn says that standard output has failed.
func (u *ui) cannotWriteOn(err error) { u.errorf("<stdout>: cannot write further: %v", cause(err)) }

// summaryf says what became of the input.
func (u *ui) summaryf(format string, args ...any) {
	if !u.quiet {
		u.print(format, args...)
	}
}

// counted returns a number with what it counts, such as "1 file" and "2 files".
func counted(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// print prints a message as one line, whatever names, headers and values it has.
func (u *ui) print(format string, args ...any) {
	message := hideLogins(fmt.Sprintf(format, args...))
	fmt.Fprintf(u.stderr, "absolink: %s\n", visible(shortened(message, maxMessage)))
}

// maxMessage is how many bytes of a message are printed: a server may send a status
// line of megabytes.
const maxMessage = 8 << 10

// shortened returns s without its middle where it is longer than max: a message
// begins with what it is about, and ends with what to do.
func shortened(s string, max int) string {
	if len(s) <= max {
		return s
	}
	return s[:max*3/4] + " … " + s[len(s)-max/4:]
}

// visible returns s with \xNN for each byte that a terminal would obey instead of
// showing it: the bytes of control characters (also C1), of characters that end a
// line or turn its direction, and those that are not UTF-8.
func visible(s string) string {
	if !strings.ContainsFunc(s, listing.IsHidden) && utf8.ValidString(s) {
		return s
	}
	var b listing.Buffer
	addVisible(&b, s)
	return string(b.Bytes())
}

// addVisible adds what visible returns.
func addVisible(b *listing.Buffer, s string) { addEscaped(b, s, `\x%02x`, "") }

// addEscaped adds s with its bytes that are not UTF-8, and those of its characters that are
// hidden or special, in a format.
func addEscaped(b *listing.Buffer, s, format, special string) {
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
