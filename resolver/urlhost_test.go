package resolver

import (
	"net/netip"
	"strings"
	"testing"
)

// The percent-encode sets follow the URL Standard, §1.3.
func TestPercentEncodeSets(t *testing.T) {
	for _, tt := range []struct {
		name, printable string // the set's bytes from 0x20 to 0x7E
		set             urlSet
	}{
		{"C0 control", "", encodeC0},
		{"fragment", " \"<>`", encodeFragment},
		{"query", " \"#<>", encodeQuery},
		{"special-query", " \"#<>'", encodeSpecialQuery},
		{"path", " \"#<>?^`{}", encodePath},
		{"userinfo", " \"#<>?^`{}/:;=@[\\]|", encodeUserinfo},
	} {
		for i := range 256 {
			c := byte(i)
			want := c < 0x20 || c > 0x7e || strings.IndexByte(tt.printable, c) >= 0
			if got := urlClass[c]&tt.set != 0; got != want {
				t.Errorf("%s percent-encode set: 0x%02x is in it: %v", tt.name, c, got)
			}
		}
	}
}

// Every pattern of pieces that are 0 is written as package net/netip writes it, and
// parsed again.
func TestIPv6Zeros(t *testing.T) {
	for pattern := range 1 << 8 {
		var address [8]uint16
		var bytes [16]byte
		for i := range address {
			if pattern&(1<<i) != 0 {
				address[i] = uint16(0x10*i + 1)
				bytes[2*i], bytes[2*i+1] = byte(address[i]>>8), byte(address[i])
			}
		}
		got := string(appendIPv6(nil, address))
		if want := "[" + netip.AddrFrom16(bytes).String() + "]"; got != want {
			t.Errorf("%x is %s, want %s", address, got, want)
		}
		if again, ok := parseIPv6([]byte(got[1 : len(got)-1])); !ok || again != address {
			t.Errorf("%s is parsed as %x, %v", got, again, ok)
		}
	}
}
