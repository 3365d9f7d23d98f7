package outfile

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// promises are what the ends of names promise of a file.
var promises = []struct{ end, format string }{
	{".warc", "WARC"}, {".warc.gz", "WARC"}, {".warc.zst", "WARC"}, {".arc", "ARC"}, {".arc.gz", "ARC"}, {".wacz", "WACZ"},
	{".jsonl", "JSON lines"}, {".csv", "CSV"}, {".parquet", "Parquet"}, {".html", "HTML"}, {".htm", "HTML"}, {".xhtml", "HTML"},
	{".zip", "ZIP"}, {".pdf", "PDF"}, {".gz", "gzip"}, {".zst", "Zstandard"}, {".br", "Brotli"}, {".bz2", "bzip2"}, {".xz", "XZ"},
}

// CheckPromise refuses the name of an output that promises another format than the one that
// is written. taken are the formats that the name may promise; a name that promises nothing
// is taken as well. hint says what to do.
func CheckPromise(output, written, hint string, taken ...string) error {
	if IsStdout(output) || strings.HasSuffix(output, "/") || strings.HasSuffix(output, string(filepath.Separator)) {
		return nil
	}
	name, format := strings.ToLower(output), ""
	for _, p := range promises {
		if strings.HasSuffix(name, p.end) && (format == "" || strings.Contains(p.end[1:], ".")) {
			format = p.format
		}
	}
	if format == "" || slices.Contains(taken, format) {
		return nil
	}
	return fmt.Errorf("--output %s: the name promises %s, and %s would be written; %s", output, format, written, hint)
}
