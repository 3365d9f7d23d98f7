package rewriter

import "bytes"

// srcsetReferences appends the URLs of the image candidates in a srcset (HTML
// Standard, "parse a srcset attribute"), also of those that browsers drop for
// their descriptors.
func srcsetReferences(dst []reference, value []byte) []reference {
	for i := 0; ; {
		for i < len(value) && (isSpace(value[i]) || value[i] == ',') {
			i++
		}
		if i == len(value) {
			return dst
		}
		end := skipNonSpace(value, i)
		url := bytes.TrimRight(value[i:end], ",")
		dst = append(dst, newReference(i, i+len(url), formCandidate))
		if i += len(url); i == end {
			i = skipDescriptors(value, end)
		}
	}
}

// skipDescriptors returns where the descriptors from i on end: at a comma that
// is not in parentheses, of which the first closes all, or with the value.
func skipDescriptors(value []byte, i int) int {
	for i < len(value) && value[i] != ',' {
		if value[i] == '(' {
			n := bytes.IndexByte(value[i:], ')')
			if n < 0 {
				return len(value)
			}
			i += n
		}
		i++
	}
	return i
}
