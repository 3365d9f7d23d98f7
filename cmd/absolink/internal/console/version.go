package console

import (
	"runtime/debug"
	"strings"
)

// Release returns the version of the module that the build recorded, or devel.
func Release() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return strings.TrimPrefix(info.Main.Version, "v")
}

// Version returns the release, and the revision that the build recorded. Without these, it says what
// records them.
func Version() string {
	text := "absolink " + Release()
	info, ok := debug.ReadBuildInfo()
	if !ok || Release() == "devel" {
		return text + " (built without its commit, as by go run; go build ./cmd/absolink in a clone records it)"
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			text += " " + s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			text += " (modified)"
		}
	}
	return text
}
