//go:build !pages

// Command absolink makes every link in HTML documents absolute and changes
// nothing else.
package main

import "os"

func main() {
	limitGarbage()
	if os.Getenv("ABSOLINK_PROFILE") == "" { // which the parser would take for the name of a profile
		os.Unsetenv("ABSOLINK_PROFILE")
	}
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
