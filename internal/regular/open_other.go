//go:build !unix

package regular

// dontWait is no flag: nothing in a directory makes opening wait.
const dontWait = 0
