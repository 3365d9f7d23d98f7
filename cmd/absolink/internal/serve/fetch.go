package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"code.dny.dev/ssrf"
)

// A Fetcher is the transport of what a server retrieves for its clients. It asks only the
// hosts that are listed, and connects only to public addresses and to those in Networks.
// Both are checked for each request, also after a redirect; the address when its
// connection is made, after DNS.
type Fetcher struct {
	// Hosts are names of hosts, with a port where it is neither 80 nor 443. A name that
	// begins with "*." is any host below a domain, and "*" is any host.
	Hosts    []string
	Networks []netip.Prefix // with addresses that are not public, but allowed

	Resolver *net.Resolver // nil is the system's resolver

	transport *http.Transport
}

// Init makes the Fetcher ready for use.
func (f *Fetcher) Init() {
	// A prefix contains no address of the other version of IP.
	safe := ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(f.Networks...), ssrf.WithAllowedV6Prefixes(f.Networks...))
	dialer := &net.Dialer{Timeout: 30 * time.Second, Resolver: f.Resolver, Control: safe.Safe}
	f.transport = &http.Transport{ // without a proxy: it would hide the address
		DialContext:       dialer.DialContext,
		ForceAttemptHTTP2: true, TLSHandshakeTimeout: 10 * time.Second,
		MaxIdleConns: 100, IdleConnTimeout: 90 * time.Second, MaxResponseHeaderBytes: maxHeader,
		DisableCompression: true,
	}
}

// RoundTrip implements [http.RoundTripper].
func (f *Fetcher) RoundTrip(r *http.Request) (*http.Response, error) {
	if !f.allows(r.URL.Hostname(), r.URL.Port()) {
		return nil, Problemf(http.StatusForbidden, "%s is not a host to fetch from (--fetch lists them)", r.URL.Host)
	}
	resp, err := f.transport.RoundTrip(r)
	if errors.Is(err, ssrf.ErrProhibitedIP) {
		return nil, Problemf(http.StatusForbidden, "%s has an address that is not public (--fetch-networks allows networks)", r.URL.Host)
	}
	return resp, err
}

// allows reports whether a host is listed.
func (f *Fetcher) allows(host, port string) bool {
	if port == "80" || port == "443" {
		port = ""
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return slices.ContainsFunc(f.Hosts, func(listed string) bool {
		name, listedPort := splitPort(strings.ToLower(listed))
		if port != listedPort {
			return false
		}
		domain, below := strings.CutPrefix(name, "*")
		return name == host || below && strings.HasSuffix(host, domain) && host != domain
	})
}

// splitPort splits a host from its port, which is "" where there is none.
func splitPort(listed string) (host, port string) {
	if host, port, err := net.SplitHostPort(listed); err == nil {
		return host, port
	}
	return strings.Trim(listed, "[]"), ""
}

// FetchProblem returns what a client is told about a document that could not be fetched
// within ctx.
func FetchProblem(ctx context.Context, err error) *Problem {
	if p, ok := errors.AsType[*Problem](err); ok {
		return p
	}
	if ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) {
		return Problemf(http.StatusGatewayTimeout, "%v", err)
	}
	return Problemf(http.StatusBadGateway, "%v", err)
}

// ParseNetworks parses networks such as 10.0.0.0/8, and single addresses.
func ParseNetworks(networks []string) (prefixes []netip.Prefix, err error) {
	for _, n := range networks {
		p, err := netip.ParsePrefix(n)
		if addr, addrErr := netip.ParseAddr(n); addrErr == nil {
			p, err = netip.PrefixFrom(addr, addr.BitLen()), nil
		}
		if err != nil {
			return nil, fmt.Errorf("%q is not a network; 10.0.0.0/8 and ::1 are", n)
		}
		prefixes = append(prefixes, p)
	}
	return prefixes, nil
}
