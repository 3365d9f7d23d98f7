//go:build !race

package warc

const raceDetector = false
