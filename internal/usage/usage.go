// Package usage has what the commands of this module say of their command lines: the words for
// errors of the parser, and values that the parser does not know.
package usage

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/alecthomas/kong"
)

// A wording is an error of the parser, and what is said instead.
type wording struct {
	parser *regexp.Regexp
	say    func(m []string) string
}

// words are the errors of the parser that speak of its own types. Only a wrong command line needs
// them.
var words = sync.OnceValue(func() []wording {
	return []wording{
		{regexp.MustCompile(`^(--?[^ :]+): (?:missing value|expected .* value but got "EOL").*$`), func(m []string) string { return m[1] + " needs a value" }},
		{regexp.MustCompile(`^(--?[^ :]+): expected .* value but got "(.*)" \(.*flag\); perhaps.*$`), func(m []string) string {
			return m[1] + " needs a value; if " + m[2] + " is the value, write " + m[1] + "=" + m[2]
		}},
		{regexp.MustCompile(`^(--?[^ :]+) must be one of (.*) but got (.*)$`), func(m []string) string {
			return m[1] + " takes " + or(strings.Split(strings.ReplaceAll(m[2], `"`, ""), ",")) + ", not " + m[3]
		}},
		{regexp.MustCompile(`^(--?[^ :]+): expected a valid .* (?:int|uint) but got (.*)$`), func(m []string) string { return m[1] + " takes a whole number, not " + m[2] }},
		{regexp.MustCompile(`^(--?[^ :]+): bool value must be .* but got .*$`), func(m []string) string { return m[1] + " is given without a value" }},
		{regexp.MustCompile(`^missing flags: (.*)$`), func(m []string) string { return "give " + or(strings.Split(strings.ReplaceAll(m[1], "=", " "), ", ")) }},
		{regexp.MustCompile(`^unknown flag ([^,]*)(?:, did you mean (?:one of )?(.*)\?)?$`), func(m []string) string {
			if m[2] == "" || len(m[1]) == len("-x") { // the parser names all letters
				return "unknown option " + m[1]
			}
			return "unknown option " + m[1] + "; did you mean " + or(strings.Split(strings.ReplaceAll(m[2], `"`, ""), ", ")) + "?"
		}},
		{regexp.MustCompile(`^(.*) \(from envar (.*)\)$`), func(m []string) string { return m[1] + " (" + m[2] + " in the environment says so)" }},
	}
})

// Message returns what an error of the parser says, in the words of this module.
func Message(err error) string {
	message := err.Error()
	for _, w := range words() {
		if m := w.parser.FindStringSubmatch(message); m != nil {
			return w.say(m)
		}
	}
	return message
}

// or returns a list of words as a sentence has it.
func or(list []string) string {
	last := len(list) - 1
	if last == 0 {
		return list[0]
	}
	return strings.Join(list[:last], ", ") + " or " + list[last]
}

// DropEmptyProfile lets an empty ABSOLINK_PROFILE count as none: the parser would take it for
// the name of a profile.
func DropEmptyProfile() {
	if os.Getenv("ABSOLINK_PROFILE") == "" {
		os.Unsetenv("ABSOLINK_PROFILE")
	}
}

// Strings has arguments taken as they are. The parser's own decoder goes by way of JSON, which
// changes the names of files that are not UTF-8.
var Strings = kong.KindMapper(reflect.String, kong.MapperFunc(decodeString))

func decodeString(ctx *kong.DecodeContext, target reflect.Value) error {
	token, err := ctx.Scan.PopValue("string")
	if err != nil {
		return err
	}
	target.SetString(fmt.Sprint(token.Value))
	return nil
}

// Durations has the parser take a number of seconds, too.
var Durations = kong.TypeMapper(reflect.TypeFor[time.Duration](), kong.MapperFunc(decodeDuration))

func decodeDuration(ctx *kong.DecodeContext, target reflect.Value) error {
	token, err := ctx.Scan.PopValue("duration")
	if err != nil {
		return err
	}
	text := fmt.Sprint(token.Value)
	d, err := time.ParseDuration(text)
	if seconds, isNumber := strconv.ParseUint(text, 10, 32); isNumber == nil {
		d, err = time.Duration(seconds)*time.Second, nil
	}
	if err != nil {
		return fmt.Errorf("%q is not a time; 5, 30s and 2m are", text)
	}
	target.SetInt(int64(d))
	return nil
}
