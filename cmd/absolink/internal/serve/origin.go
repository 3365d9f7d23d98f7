package serve

import (
	"cmp"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"absolink/resolver"
)

// guard wraps a handler. Pages on the origins may read what a browser gets for them. What is
// sent back is never a page of this server's origin: a document is shown without scripts, as
// if it came from nowhere.
func guard(origins []string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
		if origin := r.Header.Get("Origin"); allows(origins, origin) {
			h.Set("Access-Control-Allow-Origin", origin)
			h.Add("Vary", "Origin")
			h.Set("Access-Control-Expose-Headers", strings.Join(ResultNames, ", "))
			if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
				h.Set("Access-Control-Allow-Methods", "GET, POST")
				h.Set("Access-Control-Allow-Headers", "Content-Type, Content-Encoding")
				w.WriteHeader(http.StatusNoContent)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// CheckOrigin reports what is wrong with one of the origins of a Server: it is neither "*" nor
// what a browser sends.
func CheckOrigin(origin string) error {
	if origin == "*" {
		return nil
	}
	base, err := resolver.ParseBase(origin, resolver.WHATWG)
	u := resolver.Split(base.WithoutCredentials().String())
	if err != nil || u.NetLoc == "" || strings.Contains(origin, "*") {
		return fmt.Errorf("%.200q is not an origin; https://app.example.org is, and * is any", origin)
	}
	if sent := u.Scheme + "://" + u.NetLoc; sent != origin {
		return fmt.Errorf("%.200q is not what browsers send; write %s", origin, sent)
	}
	return nil
}

// allows reports whether pages of an origin may use the server. A request without Origin has
// none.
func allows(origins []string, origin string) bool {
	return origin != "" && (slices.Contains(origins, origin) || slices.Contains(origins, "*"))
}

// sameOrigin returns a Problem for a request that a browser makes for a page of another
// origin, unless pages of that origin may use the server. Another port is another origin.
// Here, a GET does work as a POST does, and so does a link that leads here.
func (s *Server) sameOrigin(r *http.Request) *Problem {
	origin := r.Header.Get("Origin")
	asked := *r
	asked.Method = http.MethodPost // Check takes a GET for harmless
	if allows(s.Origins, origin) || new(http.CrossOriginProtection).Check(&asked) == nil {
		return nil
	}
	return Problemf(http.StatusForbidden, "a page of another site asks; --cors %s allows it", cmp.Or(origin, "ORIGIN"))
}

// LocalHost reports whether a request names its server by an address or as localhost. Any
// other name may be of a site that has its name lead here, so that its pages may read the
// answers.
func LocalHost(r *http.Request) bool {
	host, _ := splitPort(r.Host)
	_, err := netip.ParseAddr(host)
	return err == nil || host == "localhost"
}
