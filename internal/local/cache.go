package local

// A Cache remembers what names lead to. Its memory is bounded however long names are and
// however many there are. The zero value is empty.
type Cache[V any] struct {
	known map[string]V
	size  int // of known, in bytes
}

// cacheSize is how many bytes are remembered: names, and entry for each of them.
const (
	cacheSize = 2 << 20
	entry     = 96
)

// Get returns what a name leads to, which find finds out if it is not known.
func (c *Cache[V]) Get(name string, find func(name string) V) V {
	v, ok := c.known[name]
	if ok {
		return v
	}
	v = find(name)
	if c.size += len(name) + entry; c.known == nil || c.size > cacheSize {
		c.known, c.size = map[string]V{}, len(name)+entry
	}
	c.known[name] = v
	return v
}
