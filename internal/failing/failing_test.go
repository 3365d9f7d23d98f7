package failing

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestReader(t *testing.T) {
	err := errors.New("it fails")
	r := io.MultiReader(strings.NewReader("ab"), Reader(err))
	if b, got := io.ReadAll(r); string(b) != "ab" || got != err {
		t.Errorf("reads %q, %v", b, got)
	}
	if n, got := r.Read(make([]byte, 1)); n != 0 || got != err {
		t.Errorf("then %d bytes, %v", n, got)
	}
}
