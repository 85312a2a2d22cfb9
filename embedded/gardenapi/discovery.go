package gardenapi

import (
	"net/http"
	"net/url"
	"strings"
)

// onlyDiscovery serves nothing but the given paths to clients that connect to the host of the token issuer. That name is
// for everybody; the API is for those who know the server by its other names.
func onlyDiscovery(host string, paths map[string]http.Handler, next http.Handler) http.Handler {
	if host == "" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.TLS == nil || !strings.EqualFold(r.TLS.ServerName, host) {
			next.ServeHTTP(w, r)
			return
		}
		handler, known := paths[r.URL.Path]
		if !known {
			http.NotFound(w, r)
			return
		}
		handler.ServeHTTP(w, r)
	})
}

// host is the name of the issuer, or empty without one.
func (w WorkloadIdentity) host() string {
	if w.KeyFile == "" {
		return ""
	}
	issuer, err := url.Parse(w.Issuer)
	if err != nil {
		return ""
	}
	return issuer.Hostname()
}
