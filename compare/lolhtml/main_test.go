package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Without cargo, nothing is measured.
func TestNoCargo(t *testing.T) {
	var out strings.Builder
	if _, err := run(&out, "no-such-cargo", 1, 1); err != errNoCargo || out.Len() > 0 {
		t.Errorf("%v, and %q is printed", err, out.String())
	}
}

// TestRows builds the program in Rust, and compares once: a table with all rows comes out,
// and both programs make about the same number of references absolute.
func TestRows(t *testing.T) {
	cargo := os.Getenv("CARGO_PROGRAM")
	if cargo == "" {
		t.Skip("CARGO_PROGRAM is not set")
	}
	var out strings.Builder
	speeds, err := run(&out, cargo, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range pairsOf(speeds) {
		if p.absolink <= 0 || p.lolHTML <= 0 {
			t.Errorf("%s: %v", works[i].title, p)
		}
	}
	t.Log("\n" + out.String())
	for _, row := range []string{
		`references made absolute: absolink \d+; names/url \d+ .*; any/ada-url \d+ .*`,
		`the same places:`,
		`  same, RFC 1808 +\d+ +\d+ +(names|any)/(url|ada-url) +\d+\.\d\d×`,
		`  same, WHATWG +\d+ +\d+ +(names|any)/(url|ada-url) +\d+\.\d\d×`,
		`the same places, beside .*:`,
		`  same, RFC 1808 +\d+ +\d+ +(idle|unmatched) +\d+\.\d\d×`,
		`  same, WHATWG +\d+ +\d+ +(idle|unmatched) +\d+\.\d\d×`,
		`nothing to do:`,
		`  no rules +\d+ +\d+ +(idle|unmatched) +\d+\.\d\d×`,
		`everything, .*:`,
		`  default rules, RFC 1808 +\d+ +\d+ +(idle|unmatched) +\d+\.\d\d×`,
		`  default rules, WHATWG +\d+ +\d+ +(idle|unmatched) +\d+\.\d\d×`,
		`all ways of lol-html:`,
		`  names/url +\d+`, `  names/ada-url +\d+`, `  any/url +\d+`, `  any/ada-url +\d+`, `  idle +\d+`, `  unmatched +\d+`,
	} {
		if !regexp.MustCompile(`(?m)^` + row + `$`).MatchString(out.String()) {
			t.Errorf("no row like %s", row)
		}
	}
}
