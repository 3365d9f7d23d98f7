package rewriter

// listReferences appends the references in a list that white space separates
// (HTML Standard, "split a string on ASCII whitespace"), as ping holds them.
func listReferences(dst []reference, value []byte) []reference {
	for i := skipSpace(value, 0); i < len(value); {
		end := skipNonSpace(value, i)
		dst = append(dst, reference{i, end, value[i:end], formListed})
		i = skipSpace(value, end)
	}
	return dst
}

// commaReferences appends the references in a list that commas separate, with
// or without white space (HTML 4.01 §13.4), as the archive of applet holds
// them.
func commaReferences(dst []reference, value []byte) []reference {
	for i := 0; i < len(value); i++ {
		start := skipSpace(value, i)
		for i < len(value) && value[i] != ',' {
			i++
		}
		if end := trimSpaceRight(value, start, i); start < end {
			dst = append(dst, reference{start, end, value[start:end], formComma})
		}
	}
	return dst
}

func skipNonSpace(b []byte, i int) int {
	for i < len(b) && !isSpace(b[i]) {
		i++
	}
	return i
}

// trimSpaceRight returns where b[start:end] ends without the white space at
// its end.
func trimSpaceRight(b []byte, start, end int) int {
	for start < end && isSpace(b[end-1]) {
		end--
	}
	return end
}
