//go:build race

package rewriter

const raceDetector = true
