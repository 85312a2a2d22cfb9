// Package peruser limits the concurrent requests of one user to an API server, so that a user cannot take the capacity that all
// users share. It is for servers without priority and fairness.
package peruser

import (
	"fmt"
	"net/http"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
)

// Limits of one user. Zero is no limit.
type Limits struct {
	Requests int // at a time, without those below
	Watches  int // at a time, with other requests that last
}

// longVerbs and longSubresources identify long-running requests, as in kube-apiserver.
var (
	longVerbs        = sets.New("watch", "proxy")
	longSubresources = sets.New("attach", "exec", "proxy", "log", "portforward")
)

// key counts the requests of one kind of a user.
type key struct {
	user string
	long bool
}

// Filter answers 429 to requests above the limits. It belongs behind authentication. Users that belong to the landscape have no
// limits.
func (l Limits) Filter(next http.Handler) http.Handler {
	var mu sync.Mutex
	count := map[key]int{}
	enter := func(k key, limit int) bool {
		mu.Lock()
		defer mu.Unlock()
		if limit > 0 && count[k] >= limit {
			return false
		}
		count[k]++
		return true
	}
	leave := func(k key) {
		mu.Lock()
		defer mu.Unlock()
		if count[k]--; count[k] == 0 {
			delete(count, k)
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, known := request.UserFrom(r.Context())
		if !known || trusted(who) {
			next.ServeHTTP(w, r)
			return
		}
		k, limit := key{user: who.GetName()}, l.Requests
		if info, known := request.RequestInfoFrom(r.Context()); known && lasts(info) {
			k.long, limit = true, l.Watches
		}
		if !enter(k, limit) {
			w.Header().Set("Retry-After", "1")
			http.Error(w, fmt.Sprintf("Too many requests of one user at a time: %d are allowed. Please try again later.", limit), http.StatusTooManyRequests)
			return
		}
		defer leave(k)
		next.ServeHTTP(w, r)
	})
}

func lasts(info *request.RequestInfo) bool {
	return longVerbs.Has(info.Verb) || longSubresources.Has(info.Subresource)
}

// trusted are the users of the landscape, and service accounts of its own namespaces.
func trusted(who user.Info) bool {
	name := who.GetName()
	if account, ok := strings.CutPrefix(name, "system:serviceaccount:"); ok {
		return strings.HasPrefix(account, "kube-system:") || strings.HasPrefix(account, "garden:")
	}
	for _, group := range who.GetGroups() {
		if group == user.SystemPrivilegedGroup {
			return true
		}
	}
	return name != user.Anonymous && (strings.HasPrefix(name, "system:") || strings.HasPrefix(name, "gardener.cloud:"))
}
