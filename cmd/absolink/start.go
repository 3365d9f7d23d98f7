//go:build !pages

// Command absolink makes every link in HTML documents absolute and changes
// nothing else.
package main

import "os"

func main() {
	limitGarbage()
	dropEmptyProfile()
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
