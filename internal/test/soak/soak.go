// Package soak says how much of a long test is run. By default a test takes a sample, so
// that all tests take less than a minute. With ABSOLINK_SOAK=1 in the environment, a test runs
// whole. With ABSOLINK_SOAK=2/4, as in .ci/run, it runs the part 2 of 4, which are counted from 0.
// The garbage collector runs less often in samples.
package soak

import (
	"fmt"
	"hash/crc32"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// Of so many parts, one is run; 0 parts are samples.
var part, parts = environment()

func environment() (part, parts uint32) {
	switch of := os.Getenv("ABSOLINK_SOAK"); of {
	case "":
	case "1":
		parts = 1
	default:
		if _, err := fmt.Sscanf(of, "%d/%d", &part, &parts); err != nil || part >= parts {
			panic("ABSOLINK_SOAK=" + of + " is neither 1 nor a part, such as 0/4")
		}
	}
	return part, parts
}

// A sample makes much garbage and holds little, so the collector runs late, unless GOGC is set.
// Benchmarks keep the collector as it is.
func init() {
	isBenchmark := slices.ContainsFunc(os.Args, func(arg string) bool { return strings.HasPrefix(arg, "-test.bench=") })
	if !Enabled() && os.Getenv("GOGC") == "" && !isBenchmark {
		debug.SetGCPercent(400)
	}
}

// Enabled reports whether more than samples is run. A test that has no parts then runs whole.
func Enabled() bool { return parts > 0 }

// Whole reports whether all of each test is run.
func Whole() bool { return parts == 1 }

// N returns n, a number of random inputs, or a tenth of n by default.
func N(n int) int {
	if Enabled() {
		return n
	}
	return (n + 9) / 10
}

// share returns n where one of n is run: nth in a sample, and in parts as many as they are.
func share(nth int) int {
	if Enabled() {
		return min(nth, int(parts))
	}
	return nth
}

// Every returns s, its share in a part, or each nth element of s by default.
func Every[T any](s []T, nth int) []T { return every(s, nth, part) }

// Part is Every with a name, which decides where the share begins.
func Part[T any](s []T, nth int, name string) []T {
	return every(s, nth, turn(name))
}

// turn is a number that the part and a name decide.
func turn(name string) uint32 { return part + crc32.ChecksumIEEE([]byte(name)) }

// every returns one element of each chunk of nth elements. Its place differs from chunk to chunk,
// so that each part has elements of both kinds where two kinds alternate.
func every[T any](s []T, nth int, first uint32) (some []T) {
	nth = share(nth)
	var chunks uint32
	for chunk := range slices.Chunk(s, nth) {
		if i := (first + chunks*2654435761>>16) % uint32(nth); int(i) < len(chunk) {
			some = append(some, chunk[i])
		}
		chunks++
	}
	return some
}

// Sample skips a subtest by default, except for about one in nth. The name of the subtest
// decides, so the same subtests run each time, and others in another part.
func Sample(t *testing.T, nth uint32) {
	if turn(t.Name())%uint32(share(int(nth))) != 0 {
		t.Skip("not in the sample; ABSOLINK_SOAK=1 runs all")
	}
}

// Only skips a test by default.
func Only(t *testing.T) {
	if !Enabled() || turn(t.Name())%parts != 0 {
		t.Skip("takes long; ABSOLINK_SOAK=1 runs it")
	}
}

// Racing says that the race detector is on, under which tests take ten times as long, and
// more memory.
var Racing = func() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}()
