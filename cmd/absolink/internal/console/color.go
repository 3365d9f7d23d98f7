package console

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"

	"github.com/fatih/color"
)

// Colored says for standard output and standard error whether they are terminals that show
// colours. NO_COLOR (https://no-color.org) and TERM=dumb turn colours off.
func (u *UI) Colored() *UI {
	wanted := os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	u.outColors, u.errColors = wanted && Terminal(u.Stdout) != nil, wanted && Terminal(u.Stderr) != nil
	return u
}

// always returns a colour that does not look at os.Stdout itself: the UI knows its streams.
func always(attributes ...color.Attribute) *color.Color {
	c := color.New(attributes...)
	c.EnableColor()
	return c
}

var (
	heading = always(color.Bold)
	place   = always(color.Bold)
	hunk    = always(color.FgCyan)
	removed = always(color.FgRed)
	added   = always(color.FgGreen)
)

// where is the file and the place in it with which a message begins.
var where = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^absolink: \S[^:]*:\d+:\d+:`) })

// colored returns a line of standard error, with the place in it set off.
func (u *UI) colored(line string) string {
	if !u.errColors {
		return line
	}
	at := where().FindString(line)
	if at == "" {
		return line
	}
	return place.Sprint(at) + line[len(at):]
}

// WriteDiff writes a unified diff to standard output, in the colours of git.
func (u *UI) WriteDiff(diff []byte) error {
	if !u.outColors {
		_, err := u.Stdout.Write(diff)
		return err
	}
	var b bytes.Buffer
	for line := range bytes.Lines(diff) {
		text, end := bytes.CutSuffix(line, []byte("\n"))
		c := map[byte]*color.Color{'@': hunk, '-': removed, '+': added}[(string(text) + " ")[0]]
		switch {
		case bytes.HasPrefix(text, []byte("--- ")) || bytes.HasPrefix(text, []byte("+++ ")):
			c = heading
		case c == nil:
			b.Write(line)
			continue
		}
		c.Fprint(&b, string(text))
		if end {
			b.WriteByte('\n')
		}
	}
	_, err := u.Stdout.Write(b.Bytes())
	return err
}

// Headings returns a writer of help to standard output that sets off the headings: lines without
// an indentation that end in a colon, and the usage.
func (u *UI) Headings() io.Writer {
	if !u.outColors {
		return u.Stdout
	}
	return headings{u.Stdout}
}

type headings struct{ to io.Writer }

// Fd has the help be as wide as the terminal.
func (h headings) Fd() uintptr { return Terminal(h.to).Fd() }

func (h headings) Write(p []byte) (int, error) {
	var b strings.Builder
	for line := range strings.Lines(string(p)) {
		text := strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(text, "Usage:") {
			text = "Usage:"
		}
		if text != "" && text[0] != ' ' && strings.HasSuffix(text, ":") {
			b.WriteString(heading.Sprint(text) + line[len(text):])
		} else {
			b.WriteString(line)
		}
	}
	if _, err := io.WriteString(h.to, b.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}
