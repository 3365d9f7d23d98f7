//go:build !pages

// Command absolink makes every link in HTML documents absolute and changes
// nothing else.
package main

import (
	"os"

	"absolink/internal/usage"
)

func main() {
	limitGarbage()
	usage.DropEmptyProfile()
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
