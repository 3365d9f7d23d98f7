package steady

import (
	"errors"
	"io"
	"testing"
)

// A script is a reader that returns its answers, one after another.
type script struct {
	answers []answer
	calls   int
}

type answer struct {
	n   int
	err error
}

func (s *script) Read(p []byte) (int, error) {
	a := s.answers[min(s.calls, len(s.answers)-1)]
	s.calls++
	return a.n, a.err
}

var errFault = errors.New("it fails")

// nothing is n empty answers, and then another one.
func nothing(n int, then answer) []answer { return append(make([]answer, n), then) }

func TestRead(t *testing.T) {
	for name, test := range map[string]struct {
		answers []answer
		room    int
		want    answer
		calls   int
	}{
		"bytes":              {[]answer{{3, nil}}, 4, answer{3, nil}, 1},
		"all there is room":  {[]answer{{4, nil}}, 4, answer{4, nil}, 1},
		"bytes with the end": {[]answer{{3, io.EOF}}, 4, answer{3, io.EOF}, 1},
		"an error":           {[]answer{{0, errFault}}, 4, answer{0, errFault}, 1},
		"bytes and an error": {[]answer{{2, errFault}}, 4, answer{2, errFault}, 1},
		"nothing at first":   {nothing(99, answer{1, nil}), 4, answer{1, nil}, 100},
		"nothing for ever":   {nothing(100, answer{1, nil}), 4, answer{0, io.ErrNoProgress}, 100},
		"no room":            {[]answer{{0, nil}}, 0, answer{0, nil}, 1},
		"below 0":            {[]answer{{-1, nil}}, 4, answer{0, ErrCount}, 1},
		"beyond the slice":   {[]answer{{5, nil}}, 4, answer{0, ErrCount}, 1},
		"beyond, at the end": {[]answer{{5, io.EOF}}, 4, answer{0, ErrCount}, 1},
	} {
		src := &script{answers: test.answers}
		n, err := Read(src, make([]byte, test.room))
		if (answer{n, err}) != test.want || src.calls != test.calls {
			t.Errorf("%s: %d, %v after %d calls, not %v after %d", name, n, err, src.calls, test.want, test.calls)
		}
	}
}

// After its first error a Reader gives that error, and leaves its source alone.
func TestReader(t *testing.T) {
	for name, answers := range map[string][]answer{
		"the end":        {{2, nil}, {0, io.EOF}, {1, nil}},
		"with the bytes": {{2, errFault}, {1, nil}},
		"no progress":    append([]answer{{2, nil}}, nothing(100, answer{1, nil})...),
		"a wrong count":  {{2, nil}, {9, nil}, {1, nil}},
	} {
		src := &script{answers: answers}
		r := &Reader{Src: src}
		b := make([]byte, 4)
		if n, _ := r.Read(b); n != 2 {
			t.Errorf("%s: %d bytes at first", name, n)
		}
		_, first := r.Read(b)
		calls := src.calls
		if n, err := r.Read(b); first == nil || n != 0 || err != first || r.Err != first || src.calls != calls {
			t.Errorf("%s: %v, and then %d, %v after %d calls more", name, first, n, err, src.calls-calls)
		}
	}
	r := &Reader{Err: errFault}
	if n, err := r.Read(make([]byte, 1)); n != 0 || err != errFault {
		t.Errorf("without a source: %d, %v", n, err)
	}
}
