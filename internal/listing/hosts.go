package listing

import (
	"slices"
	"strings"
	"sync"

	"absolink/resolver"

	"golang.org/x/net/publicsuffix"
)

// A Host is the host of a URL.
type Host struct {
	// Reversed is the host as browsers see it, with its labels in reverse order, such as
	// com.example.www; the index and the web graph of Common Crawl write hosts so. It is
	// "" if the URL is not http or https, or has a host longer than any that can exist. A
	// dot at the end is not a part of it. An address stays as it is.
	Reversed string

	// Domain is the registered domain, such as example.com: one label more than a suffix
	// of the public suffix list, in its section for registries (ICANN). It is "" if there
	// is none, as for addresses.
	Domain string
}

const (
	maxHosts  = 1 << 12 // how many hosts are known at a time
	maxHost   = 253     // how long a host is in DNS
	maxOrigin = 1 << 9  // how long an origin is, with a user, for its host to be known
)

// known has the hosts of origins, each for one goroutine at a time.
var known = sync.Pool{New: func() any { return new(hosts) }}

type hosts struct {
	of   map[string]originHost
	last [2]originHost // the last one first: a page and its links are asked for in turn
}

type originHost struct {
	origin string
	host   Host
}

// HostOf returns the host of a URL. It does not allocate for most URLs whose host was
// asked for before.
func HostOf(url string) Host {
	origin, plain := originOf(url)
	if !plain || len(origin) > maxOrigin {
		return parseHost(url)
	}
	h := known.Get().(*hosts)
	defer known.Put(h)
	switch origin {
	case h.last[0].origin:
	case h.last[1].origin:
		h.last[0], h.last[1] = h.last[1], h.last[0]
	default:
		of, ok := h.of[origin]
		if !ok {
			of = originHost{strings.Clone(origin), parseHost(origin)}
			if h.of == nil || len(h.of) == maxHosts {
				h.of = map[string]originHost{}
			}
			h.of[of.origin] = of
		}
		h.last[0], h.last[1] = of, h.last[0]
	}
	return h.last[0].host
}

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
	end := strings.IndexAny(rest, "/?#\\\t\n\r")
	switch {
	case end < 0:
		return url, true
	case end == 0 || rest[end] != '/' && rest[end] != '?' && rest[end] != '#':
		return "", false
	}
	return url[:len(url)-len(rest)+end], true
}

// parseHost finds the host of a URL with the parser of the URL Standard.
func parseHost(url string) Host {
	base, err := resolver.ParseBase(url, resolver.WHATWG)
	if err != nil {
		return Host{}
	}
	origin, ok := originOf(base.String())
	if !ok {
		return Host{}
	}
	_, host, _ := strings.Cut(origin, "://")
	host = host[strings.LastIndexByte(host, '@')+1:]
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		host = host[:i]
	}
	if strings.HasPrefix(host, "[") || isIPv4(host) {
		return Host{Reversed: strings.TrimSuffix(host, ".")}
	}
	host = strings.TrimSuffix(host, ".")
	if len(host) > maxHost || strings.HasPrefix(host, ".") || strings.HasSuffix(host, ".") || strings.Contains(host, "..") {
		return Host{} // a label of a domain in DNS has at least one byte
	}
	labels := strings.Split(host, ".")
	slices.Reverse(labels)
	return Host{strings.Join(labels, "."), domainOf(host)}
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
	return below[strings.LastIndexByte(below, '.')+1:] + "." + suffix
}
