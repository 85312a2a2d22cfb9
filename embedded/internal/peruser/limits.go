// Package peruser limits what one user asks of an API server at a time, and what all users have of it for long, so that neither a user
// nor many users can take it from others. It complements priority and fairness, which does not end a request to serve another one: a
// user holds seats for a minute by requests whose bodies do not arrive or whose answers nobody reads, and without end by watches whose
// first events nobody reads. And it does not count watches.
//
// What is for all users is shared out: a user gets no more than twice what is still free. A single user gets two thirds, two
// users get two fifths each, and so on. The last tenth is for users who have nothing, so that who asks for little is served, whatever
// a few others do. All service accounts of a namespace count as one user, since a project has as many as it likes.
package peruser

import (
	"fmt"
	"net/http"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"

	"github.com/gardener-up/gardener-up/embedded/internal/landscape"
)

// Limits of one user. Zero is no limit.
type Limits struct {
	Requests int  // at a time, without watches that have begun
	Watches  int  // at a time, with other requests that last
	Seats    int  // limits the seats of all users together. Most requests take one; long lists take several
	Borrows  bool // Seats are shared out, but there are more at times. Then each user may have one of them
	Watching int  // limits the watches of all users together, with other requests that last
}

// usersWatching is how many users may have as many watches as one user may have, and how many times as many watches as a user a gardenlet
// may have. Its credentials are in another cluster, where somebody may take them.
const usersWatching = 10

// sharePerFree is how much a user may have of what is for all users, for each place that is free.
const sharePerFree = 2

// leastWatches is how many requests that last a user may have of the last places. Watches are kept for long, and a small controller has several.
const leastWatches = 10

// newcomersPart of what is for all users is only for users who have none of it.
const newcomersPart = 10

// New returns the limits of users who may send so many requests, and have so many watches. All users together may have ten times the
// watches of one.
func New(requests, watches int) Limits {
	return Limits{Requests: requests, Watches: watches, Watching: usersWatching * watches}
}

// longVerbs and longSubresources identify long-running requests, as in kube-apiserver.
var (
	longVerbs        = sets.New("watch", "proxy")
	longSubresources = sets.New("attach", "exec", "proxy", "log", "portforward")
)

// kind of requests that are counted together.
type kind int

const (
	short kind = iota // of one user
	long              // of one user
	seats
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
	width int    // how many such places the request takes. It gets them if one is free
	what  string // for the user who gets none
}

func (p place) reason() string {
	return fmt.Sprintf("Too many requests %s at a time: %d are allowed", p.what, p.limit)
}

// places that a request takes: of its user, of what is for all users, and of the user's share of the latter, which is never below least.
type places struct {
	own, all, share place
	total           int // what is shared out
	least           int
}

// lasting are the places of a watch, or of another request that lasts.
func (l Limits) lasting(user string) places {
	return places{
		own:   place{key{user, long}, l.Watches, 1, "of one user"},
		all:   place{key{"", watching}, l.Watching, 1, "that last, of all users together,"},
		total: l.Watching,
		least: leastWatches,
	}.shared(user)
}

// ofGardenlet are the places of a watch of a gardenlet, which has no part in what is for all users.
func (l Limits) ofGardenlet(name string) places {
	return places{own: place{key{name, long}, l.Watching, 1, "of one gardenlet"}}
}

// ending are the places of a request that has seats, until it gives them back.
func (l Limits) ending(user string, width int) places {
	most := l.Seats
	if l.Borrows {
		most = 0
	}
	return places{
		own:   place{key{user, short}, l.Requests, 1, "of one user"},
		all:   place{key{"", seats}, most, width, "of all users together"},
		total: l.Seats,
		least: 1,
	}.shared(user)
}

func (p places) shared(user string) places {
	p.share = place{key: key{user, p.all.kind}, width: p.all.width, what: "of one user beside others"}
	return p
}

// Filter answers 429 to watches, and other requests that last, above the limits. It belongs behind authentication. Users of the
// landscape have no limits, but gardenlets have one.
func (l Limits) Filter(next http.Handler) http.Handler {
	taken := newCounter()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info, _ := request.RequestInfoFrom(r.Context())
		who, known := request.UserFrom(r.Context())
		gardenlet := known && landscape.Gardenlet(who)
		if !known || !gardenlet && landscape.Has(who) || !lasts(info) {
			next.ServeHTTP(w, r)
			return
		}
		places := l.lasting(owner(who.GetName()))
		if gardenlet {
			places = l.ofGardenlet(who.GetName())
		}
		if full := taken.enter(places); full != nil {
			w.Header().Set("Retry-After", "1")
			http.Error(w, full.reason()+". Please try again later.", http.StatusTooManyRequests)
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

func newCounter() *counter { return &counter{count: map[key]int{}} }

// enter takes all places, or none if one is full. It returns the full one.
func (c *counter) enter(p places) *place {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.total > 0 {
		p.share.limit = shareOf(p.total, p.total-c.count[p.all.key], p.least)
	}
	for _, one := range []place{p.own, p.all, p.share} {
		if one.limit > 0 && c.count[one.key] >= one.limit {
			return &one
		}
	}
	for _, one := range []place{p.own, p.all, p.share} {
		c.count[one.key] += one.width
	}
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
		if c.count[one.key] -= one.width; c.count[one.key] == 0 {
			delete(c.count, one.key)
		}
	}
}

func lasts(info *request.RequestInfo) bool {
	return info != nil && (longVerbs.Has(info.Verb) || longSubresources.Has(info.Subresource))
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
