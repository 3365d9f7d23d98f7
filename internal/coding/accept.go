package coding

import (
	"strconv"
	"strings"
)

// preferred are the codings that a response may have, the best first.
var preferred = []Coding{Zstd, Brotli, Gzip, Zlib}

// Accepted returns the coding that the values of Accept-Encoding like best (RFC 9110
// §12.5.3). Of codings that are liked alike, it is the first of zstd, br, gzip and deflate.
// It is not ok if the body is to be sent without a coding.
func Accepted(lists ...string) (best Coding, ok bool) {
	weights := map[string]float64{}
	for element := range Elements(lists...) {
		name, parameters, _ := strings.Cut(element, ";")
		name = strings.ToLower(strings.TrimSpace(name))
		weights[strings.TrimPrefix(name, "x-")] = weight(parameters)
	}
	most := 0.0
	for _, c := range preferred {
		w, named := weights[c.String()]
		if !named {
			w = weights["*"]
		}
		if w > most {
			best, ok, most = c, true, w
		}
	}
	return best, ok && most >= weights["identity"]
}

// weight returns the weight that the parameters of an element have: 1 without q, and 0
// with one that is not a number from 0 to 1.
func weight(parameters string) float64 {
	for p := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		if !strings.EqualFold(name, "q") {
			continue
		}
		q, err := strconv.ParseFloat(value, 64)
		if err != nil || !(q >= 0 && q <= 1) {
			return 0
		}
		return q
	}
	return 1
}
