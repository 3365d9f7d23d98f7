//go:build !unix

package regular

import "os"

// dontWait is no flag: nothing in a directory makes opening wait.
const dontWait = 0

// OpenRoot opens a directory.
func OpenRoot(name string) (*os.Root, error) { return os.OpenRoot(name) }
