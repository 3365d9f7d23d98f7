package waiting

import (
	"slices"
	"testing"
)

func TestQueue(t *testing.T) {
	var q Queue[int]
	q.Reset(0)
	push := func(items ...int) {
		for _, i := range items {
			q.Push(&i)
		}
	}
	drain := func(decided bool) (items []int) {
		for q.IsDue(decided) {
			items = append(items, q.Pop())
		}
		return items
	}
	check := func(what string, got, want []int) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	one := 1
	q.PushReady(&one)
	push(2, 3)
	if q.Len() != 3 || q.Waiting() != 2 || *q.First() != 1 || *q.FirstWaiting() != 2 {
		t.Errorf("%+v", q)
	}
	check("ready", drain(false), []int{1})
	if q.Waiting() != 2 {
		t.Errorf("%+v", q)
	}
	check("undecided", drain(false), nil)
	check("decided", drain(true), []int{2, 3})
	q.Reset(1 << 10)
	if q.Len() != 0 || q.Cap() == 0 {
		t.Errorf("%+v", q)
	}
	q.Reset(1)
	if q.Cap() > 1 {
		t.Errorf("%+v", q)
	}
}
