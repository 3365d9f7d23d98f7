package job

import (
	"bufio"
	"container/heap"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A tally adds up numbers by key, and gives the sums in the order of the keys. Beyond a
// limit of memory it puts sorted runs into a temporary file. Keys have no line break.
type tally struct {
	sums  map[string]*int64
	bytes int // of the keys in sums

	file *os.File // nil as long as everything is in memory
	runs []int64  // where the runs in the file end
}

// tallyMemory is how many bytes of keys a tally has in memory, with tallyKey for each
// key in addition.
var tallyMemory = 6 << 20

const tallyKey = 64

// add adds n to the sum of a key, which may be a part of a buffer.
func (t *tally) add(key []byte, n int64) error {
	sum, err := t.sum(key)
	if err == nil {
		*sum += n
	}
	return err
}

// sum returns the sum of a key, which is good as long as runs stays as it is.
func (t *tally) sum(key []byte) (*int64, error) {
	if sum := t.sums[string(key)]; sum != nil {
		return sum, nil
	}
	if t.bytes += len(key) + tallyKey; t.bytes > tallyMemory && len(t.sums) > 0 {
		if err := t.spill(); err != nil {
			return nil, err
		}
		t.bytes = len(key) + tallyKey
	}
	if t.sums == nil {
		t.sums = map[string]*int64{}
	}
	sum := new(int64)
	t.sums[string(key)] = sum
	return sum, nil
}

// spill writes the sums in memory as a sorted run.
func (t *tally) spill() error {
	if t.file == nil {
		f, err := os.CreateTemp("", "absolink-*")
		if err != nil {
			return err
		}
		t.file = f
		t.runs = []int64{0}
	}
	w := bufio.NewWriterSize(t.file, 256<<10)
	n := int64(0)
	for _, key := range slices.Sorted(maps.Keys(t.sums)) {
		written, _ := fmt.Fprintf(w, "%s\t%d\n", key, *t.sums[key])
		n += int64(written)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("cannot write a temporary file: %w", err)
	}
	t.runs = append(t.runs, t.runs[len(t.runs)-1]+n)
	clear(t.sums)
	t.bytes = 0
	return nil
}

// each calls f for every key, in order, with its sum.
func (t *tally) each(f func(key string, sum int64) error) error {
	if t.file == nil {
		for _, key := range slices.Sorted(maps.Keys(t.sums)) {
			if err := f(key, *t.sums[key]); err != nil {
				return err
			}
		}
		return nil
	}
	if err := t.spill(); err != nil {
		return err
	}
	var runs merge
	for i := range len(t.runs) - 1 {
		section := io.NewSectionReader(t.file, t.runs[i], t.runs[i+1]-t.runs[i])
		if err := runs.push(&spilled{lines: bufio.NewReaderSize(section, 64<<10)}); err != nil {
			return err
		}
	}
	for len(runs) > 0 {
		key, sum := runs[0].key, int64(0)
		for len(runs) > 0 && runs[0].key == key {
			sum += runs[0].n
			next := heap.Pop(&runs).(*spilled)
			if err := runs.push(next); err != nil {
				return err
			}
		}
		if err := f(key, sum); err != nil {
			return err
		}
	}
	return nil
}

// close removes the temporary file.
func (t *tally) close() {
	if t.file != nil {
		t.file.Close()
		os.Remove(t.file.Name())
	}
}

// A spilled is a sorted run of lines, and the line that it stands at.
type spilled struct {
	lines *bufio.Reader
	key   string
	n     int64
}

// merge is the heap of the runs that are merged.
type merge []*spilled

func (m merge) Len() int           { return len(m) }
func (m merge) Less(i, j int) bool { return m[i].key < m[j].key }
func (m merge) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }
func (m *merge) Push(x any)        { *m = append(*m, x.(*spilled)) }
func (m *merge) Pop() any {
	last := (*m)[len(*m)-1]
	*m = (*m)[:len(*m)-1]
	return last
}

// push reads the next line of a run and adds the run, unless it has ended.
func (m *merge) push(r *spilled) error {
	line, err := r.lines.ReadString('\n')
	if err == io.EOF && line == "" {
		return nil
	}
	if err == nil {
		r.key, r.n, err = cutSum(line)
	}
	if err != nil {
		return fmt.Errorf("cannot read a sum: %w", err)
	}
	heap.Push(m, r)
	return nil
}

// cutSum cuts a line into a key and its sum.
func cutSum(line string) (key string, sum int64, err error) {
	line = strings.TrimSuffix(line, "\n")
	i := strings.LastIndexByte(line, '\t')
	if i < 0 {
		return "", 0, fmt.Errorf("%q is not a line with a sum", line)
	}
	sum, err = strconv.ParseInt(line[i+1:], 10, 64)
	return line[:i], sum, err
}
