package passage

// A Trail is a stretch of a container that is held: bytes are added at its end, and
// forgotten at its start. They are never moved, so that even a long Trail takes no more
// memory than its bytes do. The zero value is empty, at offset 0.
type Trail struct {
	chunks     [][]byte // of Size bytes each, except that the last may have fewer
	start, end int64    // of the chunks

	joined   []byte // a copy of bytes on both sides of where a chunk ends
	joinedAt int64
}

// Reset empties t, which begins at offset then.
func (t *Trail) Reset(offset int64) { *t = Trail{start: offset, end: offset} }

// Start returns the offset of the first byte that is held.
func (t *Trail) Start() int64 { return t.start }

// End returns the offset of the end.
func (t *Trail) End() int64 { return t.end }

// Append adds bytes at the end.
func (t *Trail) Append(b []byte) {
	t.end += int64(len(b))
	for len(b) > 0 {
		last := len(t.chunks) - 1
		if last < 0 || len(t.chunks[last]) == Size {
			// The first chunk is as large as what comes, since little more may come.
			size := Size
			if last < 0 {
				size = 0
			}
			t.chunks = append(t.chunks, make([]byte, 0, size))
			last++
		}
		c := t.chunks[last]
		n := min(len(b), Size-len(c))
		t.chunks[last] = append(c, b[:n]...)
		b = b[n:]
	}
}

// Forget forgets bytes before an offset, but not all of them.
func (t *Trail) Forget(offset int64) {
	n := int(min(offset, t.end)-t.start) / Size
	if n <= 0 {
		return
	}
	clear(t.chunks[:n])
	t.chunks = t.chunks[n:]
	t.start += int64(n) * Size
}

// View returns n bytes from an offset on, which is held, or more of them; fewer only if
// the Trail ends before. They are good until the next call of a method.
func (t *Trail) View(offset int64, n int) []byte {
	i := int(offset-t.start) / Size
	if i >= len(t.chunks) {
		return nil
	}
	rest := t.chunks[i][int(offset-t.start)%Size:]
	if len(rest) >= n || i == len(t.chunks)-1 {
		return rest
	}
	if end := min(offset+int64(n), t.end); offset < t.joinedAt || end > t.joinedAt+int64(len(t.joined)) {
		t.joined, t.joinedAt = append(t.joined[:0], rest...), offset
		for next := t.chunks[i+1:]; n > 0 && len(next) > 0; next = next[1:] {
			part := next[0][:min(n, len(next[0]))]
			t.joined, n = append(t.joined, part...), n-len(part)
		}
	}
	return t.joined[offset-t.joinedAt:]
}
