package doors_test

import (
	"os"
	"slices"
	"strconv"
	"testing"

	"absolink/internal/test/doors"
)

// library has a row for each door of the library.
var library = slices.Concat(core, containers, responses, trees)

// TestDoors checks every promise at every door of the library. With -v it prints the table.
func TestDoors(t *testing.T) {
	randomly(t)
	doors.Check(t, 2, library)
}

// randomly has N random documents go through the doors of a test instead, with
// DOORS_RANDOM=N; DOORS_SEED decides which.
func randomly(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("DOORS_RANDOM"))
	if n <= 0 {
		return
	}
	seed, err := strconv.ParseUint(os.Getenv("DOORS_SEED"), 10, 64)
	if err != nil {
		t.Fatalf("DOORS_SEED: %v", err)
	}
	random, usual := doors.Random(n, seed), doors.Documents
	t.Cleanup(func() { doors.Documents = usual })
	doors.Documents = func() []string { return random }
}

const (
	noContext  = "the function takes no context: its reader and writer are its cancellation points"
	inMemory   = "the document is in memory"
	callers    = "the caller hands the document over, or asks for it"
	noDocument = "a list comes out, not a document"
	noSheets   = "a style sheet embeds no base"
)

var (
	plain = doors.Not(noContext, "cancel")
	given = doors.With(plain, doors.Not(callers, "no progress"))
)
