package doors

import "maps"

// Exceptions are promises that do not hold at a door, each with its reason.
type Exceptions map[Promise]string

// Not returns the exceptions for one reason.
func Not(why string, promises ...Promise) Exceptions {
	e := Exceptions{}
	for _, p := range promises {
		e[p] = why
	}
	return e
}

// With returns the exceptions of several lists. Of several reasons for a promise, the last
// counts.
func With(lists ...Exceptions) Exceptions {
	all := Exceptions{}
	for _, list := range lists {
		maps.Copy(all, list)
	}
	return all
}

// Without returns e without the exceptions for some promises, which are checked then.
func (e Exceptions) Without(promises ...Promise) Exceptions {
	some := maps.Clone(e)
	for _, p := range promises {
		delete(some, p)
	}
	return some
}
