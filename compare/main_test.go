package compare

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// What tests share, until all of them end.
var shared struct {
	dir string // has the command

	mu     sync.Mutex
	idle   map[string][]context.Context // browsers, by the rules for hosts
	closes []context.CancelFunc         // of all browsers
}

func TestMain(m *testing.M) {
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	var err error
	shared.idle = make(map[string][]context.Context)
	if shared.dir, err = os.MkdirTemp("", "absolink-compare"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(shared.dir)
	defer func() {
		for _, closes := range shared.closes {
			closes()
		}
	}()
	return m.Run()
}

// buildAbsolink returns the name of the command, which is built when a test asks first.
func buildAbsolink(t testing.TB) string {
	t.Helper()
	return must(built())(t)
}

var built = sync.OnceValues(func() (name string, err error) {
	name = filepath.Join(shared.dir, "absolink")
	return name, build(name)
})

// build builds the command.
func build(name string, env ...string) error {
	cmd := exec.Command("go", "build", "-o", name, "./cmd/absolink")
	cmd.Dir, cmd.Env = "..", append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", cmd, err, out)
	}
	return nil
}

// must returns a value to a test, which ends where there is an error instead.
func must[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
		return v
	}
}

// noError ends a test where there is an error.
func noError(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}
