// Package hosts finds the hosts of URLs, with their registered domains. The list of public
// suffixes that it needs comes with net/http.
package hosts

import (
	"hash/maphash"
	"strings"
	"sync"

	"absolink/internal/listing"
	"absolink/resolver"

	"golang.org/x/net/publicsuffix"
)

const (
	knownHosts = 1 << 10 // how many hosts are known at a time
	maxHost    = 253     // how long a host is in DNS
	maxOrigin  = 1 << 9  // how long an origin is, with a user, for its host to be known
)

// known has hosts, each for one goroutine at a time.
var known = sync.Pool{New: func() any { return new(cache) }}

// A cache has the host of the last URL, because several columns ask for it, and the host of an
// origin where the hash of the origin says.
type cache struct {
	url     string
	host    listing.Host
	origins [knownHosts]struct {
		origin string
		host   listing.Host
	}
}

var seed = maphash.MakeSeed()

// Of returns the host of a URL. It does not allocate for most URLs whose host was
// asked for before.
func Of(url string) listing.Host {
	h := known.Get().(*cache)
	defer known.Put(h)
	if h.url != url {
		h.url, h.host = url, h.find(url)
	}
	return h.host
}

// find returns the host of a URL.
func (h *cache) find(url string) listing.Host {
	origin, plain := originOf(url)
	if !plain || len(origin) > maxOrigin {
		return hostOf(parsed(url))
	}
	of := &h.origins[maphash.String(seed, origin)%knownHosts]
	if of.origin != origin {
		of.origin = strings.Clone(origin)
		host, ok := plainHost(of.origin)
		if !ok {
			host = parsed(of.origin)
		}
		of.host = hostOf(host)
	}
	return of.host
}

// afterAuthority has the bytes that the authority of a URL ends before, or that are dropped.
var afterAuthority = [256]bool{'/': true, '?': true, '#': true, '\\': true, '\t': true, '\n': true, '\r': true}

// originOf returns what stands before the path of a URL. plain says that the rest of
// the URL does not matter for its host.
func originOf(url string) (origin string, plain bool) {
	rest, ok := strings.CutPrefix(url, "http")
	if !ok {
		return "", false
	}
	rest = strings.TrimPrefix(rest, "s")
	if rest, ok = strings.CutPrefix(rest, "://"); !ok {
		return "", false
	}
	end := 0
	for end < len(rest) && !afterAuthority[rest[end]] {
		end++
	}
	switch {
	case end == len(rest):
		return url, true
	case end == 0 || rest[end] != '/' && rest[end] != '?' && rest[end] != '#' || rest[end-1] <= ' ':
		return "", false // alone, an origin would lose the space at its end
	}
	return url[:len(url)-len(rest)+end], true
}

// plainHost returns the host of an origin if the parser of the URL Standard leaves that
// host as it is: a domain in lower case without Punycode, and without a port.
func plainHost(origin string) (host string, ok bool) {
	_, host, _ = strings.Cut(origin, "://")
	last := host[strings.LastIndexByte(host, '.')+1:]
	return host, strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789-.") == "" && last > "a" && !strings.Contains(host, "xn--")
}

// parsed returns the host of a URL as the parser of the URL Standard writes it; "" if
// the URL has none, or is not http or https.
func parsed(url string) string {
	base, err := resolver.ParseBase(url, resolver.WHATWG)
	if err != nil {
		return ""
	}
	u := resolver.Split(base.String())
	if u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return listing.HostIn(u.NetLoc)
}

// hostOf returns the Host of a host that the parser has written.
func hostOf(host string) listing.Host {
	if strings.HasPrefix(host, "[") || isIPv4(host) {
		return listing.Host{Reversed: strings.TrimSuffix(host, ".")}
	}
	host = strings.TrimSuffix(host, ".")
	if len(host) > maxHost || strings.HasPrefix(host, ".") || strings.HasSuffix(host, ".") || strings.Contains(host, "..") {
		return listing.Host{} // a label of a domain in DNS has at least one byte
	}
	return listing.Host{Reversed: reversed(host), Domain: domainOf(host)}
}

// reversed returns a host with its labels in reverse order.
func reversed(host string) string {
	var b [maxHost]byte
	start := len(host)
	for label := range strings.SplitSeq(host, ".") {
		start -= len(label)
		copy(b[start:], label)
		if start > 0 {
			start--
			b[start] = '.'
		}
	}
	return string(b[:len(host)])
}

// isIPv4 reports whether a host of the URL Standard is an IPv4 address: no domain ends
// in a number there.
func isIPv4(host string) bool {
	host = strings.TrimSuffix(host, ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	return last != "" && strings.Trim(last, "0123456789") == ""
}

// domainOf returns the registered domain of a host.
func domainOf(host string) string {
	suffix, icann := publicsuffix.PublicSuffix(host)
	for !icann { // a suffix of the private section stands below a suffix of a registry
		_, parent, ok := strings.Cut(suffix, ".")
		if !ok {
			return "" // no registry has the last label
		}
		suffix, icann = publicsuffix.PublicSuffix(parent)
	}
	below, ok := strings.CutSuffix(host, "."+suffix)
	if !ok {
		return ""
	}
	return host[strings.LastIndexByte(below, '.')+1:]
}
