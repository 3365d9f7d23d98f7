package usage_test

import (
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"absolink/internal/usage"
)

// What the parser says of its own types is said in words for users.
func TestMessage(t *testing.T) {
	for args, want := range map[string]string{
		"--url":                 "--url needs a value",
		"-u":                    "--url needs a value",
		"--jobs":                "--jobs needs a value",
		"--wait":                "--wait needs a value",
		"--jobs x":              `--jobs takes a whole number, not "x"`,
		"--jobs=1.5":            `--jobs takes a whole number, not "1.5"`,
		"--wait x":              `--wait: "x" is not a time; 5, 30s and 2m are`,
		"--wait 5 -u x":         "",
		"--wait 1m30s -u x":     "",
		"--wait -- -5":          "--wait needs a value; if -- is the value, write --wait=--",
		"--format x":            `--format takes a, b or c, not "x"`,
		"--quiet=x":             "--quiet is given without a value",
		"--nope":                "unknown option --nope",
		"--jop 1":               "unknown option --jop; did you mean --jobs?",
		"-z":                    "unknown option -z",
		"":                      "give --url URL",
		"--url x y":             "unexpected argument y",
		"--url x --format=a -q": "",
	} {
		var c struct {
			URL    string        `short:"u" required:"" placeholder:"URL"`
			Jobs   int           `short:"j"`
			Wait   time.Duration ``
			Format string        `enum:"a,b,c" default:"a"`
			Quiet  bool          `short:"q"`
		}
		_, err := kong.Must(&c, usage.Durations, kong.NoDefaultHelp()).Parse(strings.Fields(args))
		switch {
		case err == nil && want == "":
			if c.Wait != 0 && c.Wait != 5*time.Second && c.Wait != 90*time.Second {
				t.Errorf("%s: %v", args, c.Wait)
			}
		case err == nil || usage.Message(err) != want:
			t.Errorf("%s: %v", args, err)
			if err != nil {
				t.Log(usage.Message(err))
			}
		}
	}
}
