package panics

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// passed returns what recover returns after Pass, and whether Pass returned.
func passed(err error) (value any, returned bool) {
	ended := make(chan bool)
	go func() {
		defer close(ended)
		defer func() { value = recover() }()
		Pass(err)
		returned = true
	}()
	<-ended
	return value, returned
}

// caughtIn returns the error of Catch for a function that runs in another goroutine.
func caughtIn(f func()) (err error) {
	ended := make(chan bool)
	go func() {
		defer close(ended)
		Catch(&err, f)
	}()
	<-ended
	return err
}

func TestPass(t *testing.T) {
	fault := errors.New("a fault")
	var nilMap map[int]int
	for name, f := range map[string]func(){
		"an error":   func() { panic(fault) },
		"a text":     func() { panic("text") },
		"at runtime": func() { nilMap[0] = 1 },
		"in a defer": func() { defer panic(fault); panic("first") },
	} {
		var want any
		func() {
			defer func() { want = recover() }()
			f()
		}()
		err := caughtIn(f)
		for _, err := range []error{err, fmt.Errorf("wrapped: %w", errors.Join(errors.New("other"), err))} {
			got, returned := passed(err)
			if got != want || returned {
				t.Errorf("%s: %v, want %v; returned: %v", name, got, want, returned)
			}
		}
	}
	if got, returned := passed(caughtIn(func() { panic(nil) })); fmt.Sprint(got) != new(runtime.PanicNilError).Error() || returned {
		t.Errorf("nil: %v, returned: %v", got, returned)
	}
	if got, returned := passed(caughtIn(runtime.Goexit)); got != nil || returned {
		t.Errorf("runtime.Goexit: %v, returned: %v", got, returned)
	}
	for _, err := range []error{nil, fault, caughtIn(func() {})} {
		if got, returned := passed(err); got != nil || !returned {
			t.Errorf("%v: %v, returned: %v", err, got, returned)
		}
	}
}

// What f has made of *err stays if f returns.
func TestCatchKeeps(t *testing.T) {
	fault := errors.New("a fault")
	var err error
	if Catch(&err, func() { err = fault }); err != fault {
		t.Error(err)
	}
}

// A program that does not recover shows where the panic was.
func TestStack(t *testing.T) {
	if os.Getenv("ABSOLINK_TEST_PANIC") != "" {
		Pass(caughtIn(aFunctionOfTheCaller))
	}
	child := exec.Command(os.Args[0], "-test.run=^TestStack$")
	child.Env = append(os.Environ(), "ABSOLINK_TEST_PANIC=1")
	out, err := child.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "aFunctionOfTheCaller") || !strings.Contains(string(out), "panic: it panics") {
		t.Errorf("%v\n%s", err, out)
	}
}

func aFunctionOfTheCaller() { panic("it panics") }
