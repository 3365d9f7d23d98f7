// Package size has numbers of bytes as people write them: 4096, 64KiB, 16MiB, 1GiB.
//
// The libraries for this, such as go-humanize and go-units, calculate with floating-point
// numbers. So they round, they do not report every overflow, and they take many more forms.
package size

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Bytes is a number of bytes.
type Bytes int64

// Pattern is a regular expression, also of JSON Schema, for what UnmarshalText takes. It
// leaves out how large the number may be.
const Pattern = "^[0-9]+( ?[KkMmGg]([Ii][Bb])?)?$"

// units are the units, the largest first.
var units = []struct {
	name  string
	bytes Bytes
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

// UnmarshalText reads a whole number, perhaps with a unit: KiB, MiB or GiB, which are 1024,
// 1024² and 1024³ bytes, or K, M or G, which are the same. The case of the unit does not count,
// and there may be a space before it.
func (b *Bytes) UnmarshalText(text []byte) error {
	number, unit := string(text), Bytes(1)
	for _, u := range units {
		rest, ok := cutSuffixFold(number, u.name)
		if !ok {
			rest, ok = cutSuffixFold(number, u.name[:1])
		}
		if ok {
			number, unit = strings.TrimSuffix(rest, " "), u.bytes
			break
		}
	}
	n, err := strconv.ParseUint(number, 10, 64) // without a sign
	switch {
	case err != nil && n != math.MaxUint64:
		return fmt.Errorf("%q is not a number of bytes; 4096, 64KiB, 16MiB and 1GiB are", text)
	case err != nil || n > uint64(math.MaxInt64/unit):
		return fmt.Errorf("%q is more than the largest number of bytes, %d", text, int64(math.MaxInt64))
	}
	*b = Bytes(n) * unit
	return nil
}

// cutSuffixFold is strings.CutSuffix, where the case of ASCII letters does not count.
func cutSuffixFold(s, suffix string) (string, bool) {
	at := len(s) - len(suffix)
	if at <= 0 || !strings.EqualFold(s[at:], suffix) {
		return s, false
	}
	return s[:at], true
}

// UnmarshalJSON reads a string as UnmarshalText does, and a number in the same way: it has to
// be written as a whole number, without a fraction or an exponent. null changes nothing.
func (b *Bytes) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	text := string(data)
	if data[0] == '"' {
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
	}
	return b.UnmarshalText([]byte(text))
}

// MarshalText returns what String returns.
func (b Bytes) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// String returns the number in the largest unit in which it is whole.
func (b Bytes) String() string {
	for _, u := range units {
		if b != 0 && b%u.bytes == 0 {
			return fmt.Sprint(int64(b/u.bytes), u.name)
		}
	}
	return strconv.FormatInt(int64(b), 10)
}

// Int returns the number as an int, or the greatest int: no memory has more bytes.
func (b Bytes) Int() int { return int(min(b, math.MaxInt)) }
