package input

// An Entry is a FILE of the command line, or of a manifest.
type Entry struct {
	Name string
	URL  string // from which it was retrieved, as the manifest says; "" where it says nothing
	Line int    // of the manifest; 0 on the command line
}

// EntriesOf returns the entries of the command line.
func EntriesOf(files []string) (entries []Entry) {
	for _, name := range files {
		entries = append(entries, Entry{Name: name})
	}
	return entries
}
