package coding

import "testing"

func TestAccepted(t *testing.T) {
	for accept, want := range map[string]string{
		"": "", "gzip": "gzip", "x-gzip": "gzip", "GZIP;Q=1": "gzip", "gzip, deflate, br, zstd": "zstd", "gzip, br": "br", "deflate": "deflate",
		"*": "zstd", "*;q=0, gzip": "gzip", "zstd;q=0, *": "br", "identity": "", "gzip;q=0": "", "gzip;q=0.5, br;q=0.4": "gzip",
		"identity, gzip;q=0.5": "", "identity;q=0.5, gzip": "gzip", "gzip;q=2": "", "gzip;q=NaN": "", "compress": "", "gzip;q": "", "gzip ; q=0.5": "gzip",
	} {
		c, ok := Accepted(accept)
		if got := c.String(); ok && got != want || !ok && want != "" {
			t.Errorf("%q: %s, %v", accept, got, ok)
		}
	}
}
