package main

import (
	"bytes"
	"slices"
)

// lineChanges returns the changes between two texts whose lines may move: lines that
// stand once in both are found first, and then what stands between them (patience
// diff). It takes about linear time; only in a long stretch without such lines may lines
// that are in both count as changed.
func lineChanges(before, after []byte) []change {
	ids := map[string]int{}
	d := lineDiff{before: numberLines(before, ids), after: numberLines(after, ids)}
	d.compare(0, len(d.before.ids), 0, len(d.after.ids), 0)
	return d.changes
}

// numberedLines are the lines of a text: a number for each, and where it begins. Lines with the
// same bytes have the same number.
type numberedLines struct {
	ids     []int
	offsets []int // one more than lines: the end of the text
}

func numberLines(text []byte, ids map[string]int) (l numberedLines) {
	offset := 0
	for line := range bytes.Lines(text) {
		id, ok := ids[string(line)]
		if !ok {
			id = len(ids)
			ids[string(line)] = id
		}
		l.ids, l.offsets = append(l.ids, id), append(l.offsets, offset)
		offset += len(line)
	}
	l.offsets = append(l.offsets, offset)
	return l
}

func (l *numberedLines) point(line int) point { return point{l.offsets[line], line} }

type lineDiff struct {
	before, after numberedLines
	changes       []change
}

const (
	maxPatience = 32      // how often a stretch is divided again
	maxTable    = 1 << 20 // how many pairs of lines are compared with each other
)

// compare adds the changes between the lines before[a:aEnd] and after[b:bEnd].
func (d *lineDiff) compare(a, aEnd, b, bEnd, depth int) {
	for a < aEnd && b < bEnd && d.before.ids[a] == d.after.ids[b] {
		a, b = a+1, b+1
	}
	for a < aEnd && b < bEnd && d.before.ids[aEnd-1] == d.after.ids[bEnd-1] {
		aEnd, bEnd = aEnd-1, bEnd-1
	}
	if a == aEnd && b == bEnd {
		return
	}
	var same [][2]int
	if a < aEnd && b < bEnd && depth < maxPatience {
		if same = d.unique(a, aEnd, b, bEnd); same == nil && (aEnd-a)*(bEnd-b) <= maxTable {
			same = d.longest(a, aEnd, b, bEnd)
			depth = maxPatience
		}
	}
	if same == nil {
		d.changes = append(d.changes, change{d.before.point(a), d.before.point(aEnd), d.after.point(b), d.after.point(bEnd)})
		return
	}
	for _, pair := range append(same, [2]int{aEnd, bEnd}) {
		d.compare(a, pair[0], b, pair[1], depth+1)
		a, b = pair[0]+1, pair[1]+1
	}
}

// unique returns the lines that stand once in both stretches, as pairs, in the longest order
// that is the same in both.
func (d *lineDiff) unique(a, aEnd, b, bEnd int) [][2]int {
	type place struct{ after, inBefore, inAfter int }
	places := map[int]*place{}
	for i := a; i < aEnd; i++ {
		if p := places[d.before.ids[i]]; p != nil {
			p.inBefore++
		} else {
			places[d.before.ids[i]] = &place{inBefore: 1}
		}
	}
	var pairs [][2]int
	for i := b; i < bEnd; i++ {
		if p := places[d.after.ids[i]]; p != nil {
			p.inAfter, p.after = p.inAfter+1, i
		}
	}
	for i := a; i < aEnd; i++ {
		if p := places[d.before.ids[i]]; p.inBefore == 1 && p.inAfter == 1 {
			pairs = append(pairs, [2]int{i, p.after})
		}
	}
	// The longest subsequence of pairs whose second lines increase.
	var ends []int // of the best subsequence of each length, as indices of pairs
	back := make([]int, len(pairs))
	for i, pair := range pairs {
		k, _ := slices.BinarySearchFunc(ends, pair[1], func(end, line int) int { return pairs[end][1] - line })
		if back[i] = -1; k > 0 {
			back[i] = ends[k-1]
		}
		if k == len(ends) {
			ends = append(ends, i)
		} else {
			ends[k] = i
		}
	}
	if len(ends) == 0 {
		return nil
	}
	var same [][2]int
	for i := ends[len(ends)-1]; i >= 0; i = back[i] {
		same = append(same, pairs[i])
	}
	slices.Reverse(same)
	return same
}

// longest returns the longest common subsequence of two short stretches, as pairs.
func (d *lineDiff) longest(a, aEnd, b, bEnd int) [][2]int {
	n, m := aEnd-a, bEnd-b
	table := make([]int32, (n+1)*(m+1)) // [i][j]: how long it is from there on
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			here := &table[i*(m+1)+j]
			if d.before.ids[a+i] == d.after.ids[b+j] {
				*here = table[(i+1)*(m+1)+j+1] + 1
			} else {
				*here = max(table[(i+1)*(m+1)+j], table[i*(m+1)+j+1])
			}
		}
	}
	var same [][2]int
	for i, j := 0, 0; i < n && j < m; {
		switch {
		case d.before.ids[a+i] == d.after.ids[b+j]:
			same = append(same, [2]int{a + i, b + j})
			i, j = i+1, j+1
		case table[(i+1)*(m+1)+j] >= table[i*(m+1)+j+1]:
			i++
		default:
			j++
		}
	}
	return same
}
