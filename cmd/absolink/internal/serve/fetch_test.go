package serve

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// attempt sends a GET by way of a Fetcher, following redirects, and returns the status of
// the Problem, or 0 where a server answered. Any other error is 1.
func attempt(t *testing.T, f *Fetcher, url string) int {
	t.Helper()
	f.Init()
	resp, err := (&http.Client{Transport: f}).Get(url)
	var p *Problem
	switch {
	case errors.As(err, &p):
		return p.Status
	case err != nil:
		t.Log(err)
		return 1
	}
	resp.Body.Close()
	return 0
}

// inner is a server that must not be reached, and its port.
func inner(t *testing.T) (url, port string) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}))
	t.Cleanup(server.Close)
	_, port, _ = net.SplitHostPort(server.Listener.Addr().String())
	return server.URL, port
}

// only is loopback as a network.
var only = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}

// A host that is listed is fetched from if its network is allowed.
func TestFetchAllowed(t *testing.T) {
	url, port := inner(t)
	if got := attempt(t, &Fetcher{Hosts: []string{"127.0.0.1:" + port}, Networks: only}, url); got != 0 {
		t.Error(got)
	}
}

// Hosts and ports that are not listed are refused.
func TestFetchHosts(t *testing.T) {
	f := &Fetcher{Hosts: []string{"example.org", "*.example.net", "Intranet:8080", "[2001:db8::1]"}}
	for host, want := range map[string]bool{
		"example.org": true, "EXAMPLE.org.": true, "example.org:443": true, "example.org:80": true, "example.org:22": false,
		"a.example.org": false, "example.net": false, "a.example.net": true, "a.b.example.net": true, "aexample.net": false,
		"example.org.evil.test": false, "intranet:8080": true, "intranet": false, "[2001:db8::1]": true, "[2001:db8::2]": false,
	} {
		name, port := splitPort(host)
		if got := f.allows(name, port); got != want {
			t.Errorf("%s: %v", host, got)
		}
	}
	if !(&Fetcher{Hosts: []string{"*"}}).allows("any.test", "") {
		t.Error("* does not allow a host")
	}
}

// A redirect to a private address is refused, and so is one to a host that is not listed.
func TestFetchRedirect(t *testing.T) {
	_, port := inner(t)
	to := ""
	outer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, to, http.StatusFound)
	}))
	defer outer.Close()
	_, outerPort, _ := net.SplitHostPort(outer.Listener.Addr().String())
	f := &Fetcher{Hosts: []string{"127.0.0.1:" + outerPort, "127.0.0.2:" + port}, Networks: only}
	for _, to = range []string{"http://127.0.0.2:" + port + "/", "http://127.0.0.1:" + port + "/", "http://[::1]:" + port + "/"} {
		if got := attempt(t, f, outer.URL); got != http.StatusForbidden {
			t.Errorf("%s: %d", to, got)
		}
	}
}

// A name whose address is private is refused, whatever is listed.
func TestFetchPrivateName(t *testing.T) {
	for _, address := range []string{"127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "224.0.0.1", "0.0.0.0",
		"::1", "fe80::1", "fc00::1", "ff02::1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::a00:1", "2002:7f00:1::", "::"} {
		f := &Fetcher{Hosts: []string{"*"}, Resolver: resolverTo(t, netip.MustParseAddr(address))}
		if got := attempt(t, f, "http://public.test/"); got != http.StatusForbidden {
			t.Errorf("a name with the address %s: %d", address, got)
		}
	}
}

// The networks that the special-purpose registries of IANA do not call globally reachable,
// and those that are not for hosts, are refused from their first address to their last.
func TestFetchReserved(t *testing.T) {
	for _, network := range []string{
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
		"192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
		"::/96", "::ffff:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001::/23", "2001:db8::/32",
		"2002::/16", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
	} {
		prefix := netip.MustParsePrefix(network)
		last := prefix.Addr().AsSlice()
		for bit := prefix.Bits(); bit < 8*len(last); bit++ {
			last[bit/8] |= 1 << (7 - bit%8)
		}
		end, _ := netip.AddrFromSlice(last)
		for _, address := range []netip.Addr{prefix.Addr(), end} {
			if got := attempt(t, &Fetcher{Hosts: []string{"*"}}, "http://"+netip.AddrPortFrom(address, 80).String()+"/"); got != http.StatusForbidden {
				t.Errorf("%s in %s: %d", address, network, got)
			}
		}
	}
}

// Each form of an IPv6 address that leads inside is refused.
func TestFetchIPv6(t *testing.T) {
	for _, host := range []string{"[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::127.0.0.1]",
		"[fe80::1]", "[fe80::1%25lo]", "[fc00::1]", "[fd00::1]", "[ff02::1]", "[2002:7f00:1::]", "[2001::1]", "[::]"} {
		if got := attempt(t, &Fetcher{Hosts: []string{"*"}}, "http://"+host+"/"); got != http.StatusForbidden {
			t.Errorf("%s: %d", host, got)
		}
	}
}

// A host of decimal, octal or hexadecimal numbers never leads inside: where the resolver
// of the system takes it for an address, that is refused.
func TestFetchDecimal(t *testing.T) {
	_, port := inner(t)
	for _, host := range []string{"2130706433", "0177.0.0.1", "017700000001", "0x7f000001", "0x7f.1", "127.1", "127.0.1"} {
		f := &Fetcher{Hosts: []string{host + ":" + port}, Resolver: resolverTo(t, netip.MustParseAddr("127.0.0.1"))}
		if got := attempt(t, f, "http://"+host+":"+port+"/"); got == 0 {
			t.Errorf("%s leads to 127.0.0.1", host)
		}
		f.Resolver = nil
		if got := attempt(t, f, "http://"+host+":"+port+"/"); got == 0 {
			t.Errorf("%s leads to 127.0.0.1 by the resolver of the system", host)
		}
	}
}

// resolverTo returns a resolver by which all names have one address.
func resolverTo(t *testing.T, address netip.Addr) *net.Resolver {
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	go func() {
		b := make([]byte, 1500)
		for {
			n, from, err := server.ReadFrom(b)
			if err != nil {
				return
			}
			if reply := answerDNS(b[:n], address); reply != nil {
				server.WriteTo(reply, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

// answerDNS answers a question of DNS with an address.
func answerDNS(query []byte, address netip.Addr) []byte {
	var m dnsmessage.Message
	if m.Unpack(query) != nil || len(m.Questions) == 0 {
		return nil
	}
	q := m.Questions[0]
	m.Response, m.Additionals = true, nil
	header := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
	switch {
	case q.Type == dnsmessage.TypeA && address.Is4():
		m.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AResource{A: address.As4()}}}
	case q.Type == dnsmessage.TypeAAAA && address.Is6():
		m.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AAAAResource{AAAA: address.As16()}}}
	}
	reply, _ := m.Pack()
	return reply
}

func TestParseNetworks(t *testing.T) {
	got, err := ParseNetworks([]string{"10.0.0.0/8", "127.0.0.1", "::1"})
	if err != nil || len(got) != 3 || got[1].Bits() != 32 || got[2].Bits() != 128 {
		t.Error(got, err)
	}
	if _, err := ParseNetworks([]string{"localhost"}); err == nil || !strings.Contains(err.Error(), "not a network") {
		t.Error(err)
	}
}
