// Package peruser limits the concurrent requests of one user to an API server, and those of all users together, so that neither a
// user nor many users can take the capacity that the landscape itself needs. It is for servers without priority and fairness.
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
	// Reading and Mutating limit all users together, without requests that last. The rest of what the server serves at a time is
	// for the landscape's own users.
	Reading, Mutating int
	Watching          int // limits the watches of all users together, with other requests that last
}

// usersWatching is how many users may have as many watches as one user may have. A project has hundreds of service accounts.
const usersWatching = 10

// New returns the limits of users who may send so many requests and have so many watches. All users together may have ten times the
// watches of one.
func New(requests, watches int) Limits {
	return Limits{Requests: requests, Watches: watches, Watching: usersWatching * watches}
}

// Reserving returns the limits of a server that serves so many reading and mutating requests at a time: a quarter of them is for the
// landscape's own users.
func (l Limits) Reserving(reading, mutating int) Limits {
	l.Reading, l.Mutating = share(reading), share(mutating)
	return l
}

// share is at least one request: 0 would be no limit.
func share(all int) int {
	if all <= 0 {
		return 0
	}
	return max(1, all*3/4)
}

// longVerbs and longSubresources identify long-running requests, as in kube-apiserver.
var (
	longVerbs        = sets.New("watch", "proxy")
	readingVerbs     = sets.New("get", "list")
	longSubresources = sets.New("attach", "exec", "proxy", "log", "portforward")
)

// kind of requests that are counted together.
type kind int

const (
	short kind = iota // of one user
	long              // of one user
	reading
	mutating
	watching
)

// key counts the requests of one kind of a user, or of all users together, who are no user.
type key struct {
	user string
	kind kind
}

// place is one that a request takes.
type place struct {
	key
	limit int
	what  string // for the user who gets none
}

// places of a request.
func (l Limits) places(name string, info *request.RequestInfo) []place {
	if info != nil && lasts(info) {
		return []place{{key{user: name, kind: long}, l.Watches, "of one user"}, {key{kind: watching}, l.Watching, "that last, of all users together,"}}
	}
	all := place{key{kind: mutating}, l.Mutating, "that change something, of all users together,"}
	if info == nil || readingVerbs.Has(info.Verb) {
		all = place{key{kind: reading}, l.Reading, "that read, of all users together,"}
	}
	return []place{{key{user: name, kind: short}, l.Requests, "of one user"}, all}
}

// Filter answers 429 to requests above the limits. It belongs behind authentication. Users that belong to the landscape have no
// limits.
func (l Limits) Filter(next http.Handler) http.Handler {
	taken := &counter{count: map[key]int{}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, known := request.UserFrom(r.Context())
		if !known || trusted(who) {
			next.ServeHTTP(w, r)
			return
		}
		info, _ := request.RequestInfoFrom(r.Context())
		places := l.places(who.GetName(), info)
		if full := taken.enter(places); full != nil {
			w.Header().Set("Retry-After", "1")
			http.Error(w, fmt.Sprintf("Too many requests %s at a time: %d are allowed. Please try again later.", full.what, full.limit), http.StatusTooManyRequests)
			return
		}
		defer taken.leave(places)
		next.ServeHTTP(w, r)
	})
}

// counter counts the places that are taken.
type counter struct {
	mu    sync.Mutex
	count map[key]int
}

// enter takes all places, or none if one is full. It returns the full one.
func (c *counter) enter(places []place) *place {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range places {
		if one.limit > 0 && c.count[one.key] >= one.limit {
			return &one
		}
	}
	for _, one := range places {
		c.count[one.key]++
	}
	return nil
}

func (c *counter) leave(places []place) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range places {
		if c.count[one.key]--; c.count[one.key] == 0 {
			delete(c.count, one.key)
		}
	}
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
