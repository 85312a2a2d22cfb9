// Package peruser limits the concurrent requests of one user to an API server, and those of all users together, so that neither a
// user nor many users can take the capacity that the landscape itself needs. It is for servers without priority and fairness.
//
// It also shares out what is for all users: a user gets no more than twice what is still free. A single user gets two thirds, two
// users get two fifths each, and so on. The last tenth is for users who have nothing, so that who asks for little is served, whatever
// a few others do. All service accounts of a namespace count as one user, since a project has as many as it likes.
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

// usersWatching is how many users may have as many watches as one user may have.
const usersWatching = 10

// sharePerFree is how much a user may have of what is for all users, for each place that is free.
const sharePerFree = 2

// leastWatches is how many requests that last a user may have of the last places. Watches are kept for long, and a small controller has several.
const leastWatches = 10

// newcomersPart of what is for all users is only for users who have none of it.
const newcomersPart = 10

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

// places that a request takes: of its user, of what is for all users, and of the user's share of the latter, which is never below least.
type places struct {
	own, all, share place
	least           int
}

func (l Limits) places(user string, info *request.RequestInfo) places {
	if info != nil && lasts(info) {
		return places{
			own:   place{key{user, long}, l.Watches, "of one user"},
			all:   place{key{"", watching}, l.Watching, "that last, of all users together,"},
			least: leastWatches,
		}.shared(user)
	}
	out := places{
		least: 1,
		own:   place{key{user, short}, l.Requests, "of one user"},
		all:   place{key{"", mutating}, l.Mutating, "that change something, of all users together,"},
	}
	if info == nil || readingVerbs.Has(info.Verb) {
		out.all = place{key{"", reading}, l.Reading, "that read, of all users together,"}
	}
	return out.shared(user)
}

func (p places) shared(user string) places {
	p.share = place{key: key{user, p.all.kind}, what: "of one user beside others"}
	return p
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
		places := l.places(owner(who.GetName()), info)
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
func (c *counter) enter(p places) *place {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.all.limit > 0 {
		p.share.limit = shareOf(p.all.limit, p.all.limit-c.count[p.all.key], p.least)
	}
	for _, one := range []place{p.own, p.all, p.share} {
		if one.limit > 0 && c.count[one.key] >= one.limit {
			return &one
		}
	}
	c.count[p.own.key]++
	c.count[p.all.key]++
	c.count[p.share.key]++
	return nil
}

// shareOf is how much one user may have of all places, while so many are free. least is what each user may have of the last ones.
func shareOf(all, free, least int) int {
	if free <= max(1, all/newcomersPart) {
		return least
	}
	return max(least, sharePerFree*free)
}

func (c *counter) leave(p places) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range []place{p.own, p.all, p.share} {
		if c.count[one.key]--; c.count[one.key] == 0 {
			delete(c.count, one.key)
		}
	}
}

func lasts(info *request.RequestInfo) bool {
	return longVerbs.Has(info.Verb) || longSubresources.Has(info.Subresource)
}

const serviceAccounts = "system:serviceaccount:"

// owner is who counts as the user: the namespace of a service account, or the user itself.
func owner(name string) string {
	if account, ok := strings.CutPrefix(name, serviceAccounts); ok {
		namespace, _, _ := strings.Cut(account, ":")
		return serviceAccounts + namespace
	}
	return name
}

// trusted are the users of the landscape, and service accounts of its own namespaces.
func trusted(who user.Info) bool {
	name := who.GetName()
	if account, ok := strings.CutPrefix(name, serviceAccounts); ok {
		return strings.HasPrefix(account, "kube-system:") || strings.HasPrefix(account, "garden:")
	}
	for _, group := range who.GetGroups() {
		if group == user.SystemPrivilegedGroup {
			return true
		}
	}
	return name != user.Anonymous && (strings.HasPrefix(name, "system:") || strings.HasPrefix(name, "gardener.cloud:"))
}
