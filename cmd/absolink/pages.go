//go:build pages

// Command absolink, built with the tag pages, writes the man pages and the completions of
// absolink to a directory, for a release:
//
//	go run -tags pages ./cmd/absolink DIR
//
// SOURCE_DATE_EPOCH gives the date of the man pages.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/pages"
)

func main() {
	if err := writePages(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "absolink (pages):", err)
		os.Exit(console.ExitNotDone)
	}
}

// writePages writes the pages to the directory that args name.
func writePages(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("it takes one directory to write to, not %d arguments", len(args))
	}
	text := pages.Text{Details: details, Examples: examples, ExitCodes: exitCodes}
	if date := os.Getenv("SOURCE_DATE_EPOCH"); date != "" {
		epoch, err := strconv.ParseInt(date, 10, 64)
		if err != nil {
			return fmt.Errorf("SOURCE_DATE_EPOCH is %q, not a number of seconds", date)
		}
		text.Date = time.Unix(epoch, 0).UTC().Format(time.DateOnly)
	}
	return pages.Write(args[0], newParser(allCommands).Model, text)
}
