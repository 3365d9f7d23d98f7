// Package soak says how much of a long test is run. By default a test takes a sample, so
// that all tests take less than a minute. With ABSOLINK_SOAK=1 in the environment, as in
// .ci/run, a test runs whole. The garbage collector runs less often in samples.
package soak

import (
	"hash/crc32"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// A sample makes much garbage and holds little, so the collector runs late, unless GOGC is set.
// Benchmarks keep the collector as it is.
func init() {
	isBenchmark := slices.ContainsFunc(os.Args, func(arg string) bool { return strings.HasPrefix(arg, "-test.bench=") })
	if !Enabled() && os.Getenv("GOGC") == "" && !isBenchmark {
		debug.SetGCPercent(400)
	}
}

// Enabled reports whether tests run whole.
func Enabled() bool { return os.Getenv("ABSOLINK_SOAK") == "1" }

// N returns n, a number of random inputs, or a tenth of n by default.
func N(n int) int {
	if Enabled() {
		return n
	}
	return (n + 9) / 10
}

// Every returns s, or each nth element of s by default.
func Every[T any](s []T, nth int) []T {
	if Enabled() {
		return s
	}
	var some []T
	for i := 0; i < len(s); i += nth {
		some = append(some, s[i])
	}
	return some
}

// Part returns s, or about one in nth elements of s by default. The name decides which.
func Part[T any](s []T, nth int, name string) []T {
	if Enabled() {
		return s
	}
	first := int(crc32.ChecksumIEEE([]byte(name)) % uint32(nth))
	return Every(s[min(first, len(s)):], nth)
}

// Sample skips a subtest by default, except for about one in nth. The name of the subtest
// decides, so the same subtests run each time.
func Sample(t *testing.T, nth uint32) {
	if !Enabled() && crc32.ChecksumIEEE([]byte(t.Name()))%nth != 0 {
		t.Skip("not in the sample; ABSOLINK_SOAK=1 runs all")
	}
}

// Only skips a test by default.
func Only(t *testing.T) {
	if !Enabled() {
		t.Skip("takes long; ABSOLINK_SOAK=1 runs it")
	}
}

// Racing says that the race detector is on, under which tests take ten times as long, and
// more memory.
var Racing = func() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}()
