package main

import (
	"io"
	"strings"
	"testing"

	"absolink/cmd/absolink/internal/console"
	"absolink/internal/listing"
)

// resolve takes references of 1 MB, as arguments and in lines; a message about one is
// short.
func TestResolveLongReferences(t *testing.T) {
	const size = 1 << 20
	repeat := func(s string) string { return strings.Repeat(s, size/len(s)) }
	for _, tt := range []struct{ ref, want string }{
		{"?" + repeat("\u2603"), "http://h/a/b?" + strings.Repeat("%E2%98%83", size/3)},
		{repeat("x/../") + "y", "http://h/a/y"},
		{repeat("\t"), "http://h/a/b"},
		{"//" + repeat("%41") + "\\#'", "http://" + strings.Repeat("a", size/3) + "/#'"},
		{"//[" + repeat(":"), ""},
		{"//" + repeat("\u0378"), ""},
	} {
		code := console.ExitDone
		if tt.want == "" {
			code = console.ExitNotDone
		}
		for _, stdin := range []bool{false, true} {
			in, args := "", []string{"resolve", "--profile", "whatwg", "http://h/a/b", tt.ref}
			if stdin {
				in, args = tt.ref+"\n", args[:4]
			}
			got, stdout, stderr := run1(in, args...)
			if got != code || stdout != tt.want+"\n" || len(stderr) > listing.MaxMessage || (stderr == "") != (code == console.ExitDone) {
				t.Errorf("%.20q…: %d, %.30q… of %d bytes, %.100s", tt.ref, got, stdout, len(stdout), stderr)
			}
		}
	}
}

// When standard output has failed, resolve reads and says no more. No line ends where a
// buffer of 4 KiB ends.
func TestResolveOutputFails(t *testing.T) {
	in := strings.NewReader(strings.Repeat("./../b/c\n", 1<<17))
	closed, out := io.Pipe()
	closed.Close()
	var messages strings.Builder
	code := run([]string{"resolve", "http://h/a/b"}, in, out, &messages)
	if read := int(in.Size()) - in.Len(); code != console.ExitNotDone || read > 64<<10 || strings.Count(messages.String(), "\n") != 1 {
		t.Errorf("exit code %d after %d bytes: %.200s", code, read, messages.String())
	}
}
