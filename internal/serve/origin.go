package serve

import (
	"net/http"
	"slices"
	"strings"
)

// guard wraps a handler. A browser may read and send on behalf of the server's own pages,
// and of pages on the origins. What is sent back is never a page of this server's origin:
// a document is shown without scripts, as if it came from nowhere.
func guard(origins []string, next http.Handler) http.Handler {
	protect := http.NewCrossOriginProtection()
	protect.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		Problemf(http.StatusForbidden, "a page of another site asks; --cors %s allows it", r.Header.Get("Origin")).write(w)
	}))
	protected := protect.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
		origin := r.Header.Get("Origin")
		if !slices.Contains(origins, origin) && !slices.Contains(origins, "*") || origin == "" {
			protected.ServeHTTP(w, r)
			return
		}
		h.Set("Access-Control-Allow-Origin", origin)
		h.Add("Vary", "Origin")
		h.Set("Access-Control-Expose-Headers", strings.Join(resultNames, ", "))
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			h.Set("Access-Control-Allow-Methods", "GET, POST")
			h.Set("Access-Control-Allow-Headers", "Content-Type, Content-Encoding")
			w.WriteHeader(http.StatusNoContent)
			return
		}
		next.ServeHTTP(w, r)
	})
}
