package serving

import (
	"net/http"
	"slices"
)

// Callers are the clients that may ask about gardenlets and see the graph. Nil lets everybody do so, for servers that ask
// for no certificates.
type Callers struct {
	Name   string   // of API servers, in their certificates
	Groups []string // of administrators, in theirs
}

// Only passes a request to the handler if it comes from one of the callers, with a verified client certificate.
func (c *Callers) Only(next http.Handler) http.Handler {
	if c == nil {
		return next
	}
	isOne := func(group string) bool { return slices.Contains(c.Groups, group) }
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.TLS != nil {
			for _, chain := range r.TLS.VerifiedChains {
				subject := chain[0].Subject
				if subject.CommonName == c.Name || slices.ContainsFunc(subject.Organization, isOne) {
					next.ServeHTTP(w, r)
					return
				}
			}
		}
		http.Error(w, "this path needs a client certificate of an API server", http.StatusUnauthorized)
	})
}
