package main

import (
	"fmt"
	"io"
	"strings"
)

// A ui is where a command talks. Results go to standard output; all else to
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
	if u.strict && u.code == exitDone {
		u.code = exitStrict
	}
}

// damagef says what is wrong with an input of which the rest is done.
func (u *ui) damagef(format string, args ...any) {
	u.print(format, args...)
	u.damaged()
}

func (u *ui) damaged() {
	if u.code != exitNotDone {
		u.code = exitDamaged
	}
}

func (u *ui) print(format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	fmt.Fprintf(u.stderr, "absolink: %s\n", strings.ReplaceAll(message, "\n", " "))
}
