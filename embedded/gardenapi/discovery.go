package gardenapi

import (
	"net/http"
	"net/url"
	"strings"
)

// onlyDiscovery limits clients that connect to the host name of the token issuer to the given paths. That name is
// public. The API is served under the other names of the server.
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

// host is the host name of the issuer, or empty if there is no issuer.
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
