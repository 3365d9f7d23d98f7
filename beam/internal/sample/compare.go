package sample

import "testing"

// Compare reports how two trees of files differ. A tree has the content of each file by
// its name.
func Compare(t testing.TB, got, want map[string]string) {
	t.Helper()
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s differs: %d bytes, want %d", name, len(got[name]), len(want[name]))
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("there is a file %s", name)
		}
	}
}
