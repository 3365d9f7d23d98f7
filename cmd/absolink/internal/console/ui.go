// Package console is how the command talks: messages, exit codes, the progress of a run, and
// what several jobs print at the same time.
package console

import (
	"fmt"
	"io"

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

// Wrote says that standard output has failed, unless err is nil.
func (u *UI) Wrote(err error) {
	if err != nil {
		u.Errorf("<stdout>: cannot write further: %v", Cause(err))
	}
}

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
	fmt.Fprintln(u.Stderr, u.colored("absolink: "+listing.Message(message)))
}
