package peruser_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"

	"github.com/gardener-up/gardener-up/embedded/internal/peruser"
)

// server answers requests when it is told to. Requests of the level tenants have limits, and take so many seats.
type server struct {
	handler          http.Handler
	entered, release chan struct{}
	held             sync.WaitGroup
}

func newServer(limits peruser.Limits) *server {
	s := &server{entered: make(chan struct{}), release: make(chan struct{})}
	s.handler = limits.Filter(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		s.entered <- struct{}{}
		<-s.release
	}))
	levels := limits.Fair(seating{}, "tenants")
	next := s.handler
	s.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // as the filter of priority and fairness
		who, _ := request.UserFrom(r.Context())
		info, _ := request.RequestInfoFrom(r.Context())
		served := false
		levels.Handle(r.Context(), flowcontrol.RequestDigest{RequestInfo: info, User: who}, func(*flowcontrolv1.FlowSchema, *flowcontrolv1.PriorityLevelConfiguration, string) {},
			func() fcrequest.WorkEstimate { return fcrequest.WorkEstimate{InitialSeats: seatsOf(info)} }, nil, func() {
				served = true
				if !begins(info) {
					next.ServeHTTP(w, r)
				}
			})
		switch {
		case !served:
			w.WriteHeader(http.StatusTooManyRequests)
		case begins(info):
			next.ServeHTTP(w, r)
		}
	})
	return s
}

// seatsOf is 10 for lists of Secrets.
func seatsOf(info *request.RequestInfo) uint64 {
	if info.Resource == "secrets" {
		return 10
	}
	return 1
}

// begins reports whether a watch gives back its seat. Nobody reads the first events of watches of Pods.
func begins(info *request.RequestInfo) bool { return info.Verb == "watch" && info.Resource != "pods" }

// seating is priority and fairness with seats for everybody. Users of the group landscape are of another level.
type seating struct{ flowcontrol.Interface }

func (seating) Handle(_ context.Context, digest flowcontrol.RequestDigest, note func(*flowcontrolv1.FlowSchema, *flowcontrolv1.PriorityLevelConfiguration, string),
	estimate func() fcrequest.WorkEstimate, _ fairqueuing.QueueNoteFn, execute func(),
) {
	level := "tenants"
	if slices.Contains(digest.User.GetGroups(), "landscape") {
		level = "landscape"
	}
	note(&flowcontrolv1.FlowSchema{}, &flowcontrolv1.PriorityLevelConfiguration{ObjectMeta: metav1.ObjectMeta{Name: level}}, digest.User.GetName())
	estimate()
	execute()
}

// serves reports whether a request is served. Then the server holds it until it is released. Otherwise it returns the answer.
func (s *server) serves(t *testing.T, name, verb, resource string, groups ...string) (bool, string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	ctx := request.WithUser(r.Context(), &user.DefaultInfo{Name: name, Groups: groups})
	ctx = request.WithRequestInfo(ctx, &request.RequestInfo{Verb: verb, Resource: resource})
	w, done := httptest.NewRecorder(), make(chan struct{})
	s.held.Go(func() {
		s.handler.ServeHTTP(w, r.WithContext(ctx))
		close(done)
	})
	select {
	case <-s.entered:
		return true, ""
	case <-done:
		if w.Code != http.StatusTooManyRequests {
			t.Errorf("%s %s: answer %d", name, verb, w.Code)
		}
		return false, w.Body.String()
	}
}

func (s *server) end() {
	close(s.release)
	s.held.Wait()
}

func TestOneUser(t *testing.T) {
	s := newServer(peruser.Limits{Requests: 2, Watches: 1})
	want := func(what string, want bool, name, verb string, groups ...string) {
		t.Helper()
		if got, answer := s.serves(t, name, verb, "shoots", groups...); got != want {
			t.Errorf("%s: served is %t: %s", what, got, answer)
		}
	}
	want("the first request", true, "eve", "list")
	want("a watch beside a request", true, "eve", "watch")
	want("one more watch than the limit", false, "eve", "watch")
	want("the second request", true, "eve", "get")
	want("one more than the limit", false, "eve", "list")
	want("a watch that cannot begin beside so many requests", false, "eve", "watch")
	want("another user", true, "bob", "list")
	want("a service account of a project", true, "system:serviceaccount:garden-local:robot", "watch")
	want("a watch of another service account of the same project", false, "system:serviceaccount:garden-local:other", "watch")
	want("a service account of another project", true, "system:serviceaccount:garden-other:robot", "watch")
	want("somebody unknown", true, "system:anonymous", "watch")
	want("somebody unknown again", false, "system:anonymous", "watch")
	want("a gardenlet that has no certificate yet", true, "system:bootstrap:abcdef", "watch", "system:bootstrappers")
	want("a gardenlet that has no certificate yet, again", false, "system:bootstrap:abcdef", "watch", "system:bootstrappers")
	for name, groups := range map[string][]string{
		"admin": {"system:masters"}, "system:kube-controller-manager": nil, "gardener.cloud:system:seed:local": {"gardener.cloud:system:seeds"},
		"gardener-admin": {"gardener.cloud:landscape:operators"}, "system:serviceaccount:kube-system:namespace-controller": nil,
	} {
		for range 4 {
			want(name, true, name, "watch", groups...)
			want(name, true, name, "list", append(groups, "landscape")...)
		}
	}
	s.end()
	s.release = make(chan struct{})
	want("a request when the first ones have ended", true, "eve", "list")
	s.end()
}

// TestTogether is about many users, each below the limit of one.
func TestTogether(t *testing.T) {
	limits := peruser.New(2, 1)
	limits.Seats = 6
	s := newServer(limits)
	defer s.end()
	served := func(verb string) (n int, refusal string) {
		for i := range 16 {
			ok, answer := s.serves(t, fmt.Sprintf("system:serviceaccount:garden-%d:robot", i), verb, "shoots")
			if ok {
				n++
			} else {
				refusal = answer
			}
		}
		return n, refusal
	}
	if n, refusal := served("watch"); n != 10 || !strings.Contains(refusal, "that last, of all users together") {
		t.Errorf("%d watches of many users are served, want 10: %s", n, refusal)
	}
	if n, _ := served("list"); n != 6 {
		t.Errorf("%d requests of many users are served, want 6", n)
	}
	for _, verb := range []string{"list", "create", "watch"} {
		if ok, answer := s.serves(t, "gardener.cloud:system:seed:local", verb, "shoots", "gardener.cloud:system:seeds", "landscape"); !ok {
			t.Errorf("%s of the landscape is refused: %s", verb, answer)
		}
	}
}

func TestGardenletWatches(t *testing.T) {
	s := newServer(peruser.New(2, 1))
	defer s.end()
	served := func(name, verb string) (n int, refusal string) {
		for range 14 {
			ok, answer := s.serves(t, name, verb, "shoots", "gardener.cloud:system:seeds", "landscape")
			if ok {
				n++
			} else {
				refusal = answer
			}
		}
		return n, refusal
	}
	for _, name := range []string{"gardener.cloud:system:seed:one", "gardener.cloud:system:seed:two"} {
		if n, refusal := served(name, "watch"); n != 10 || !strings.Contains(refusal, "of one gardenlet") {
			t.Errorf("%d watches of a gardenlet are served, want 10: %s", n, refusal)
		}
	}
	if n, _ := served("gardener.cloud:system:seed:one", "list"); n != 14 {
		t.Errorf("%d other requests of a gardenlet are served, want 14", n)
	}
	if ok, answer := s.serves(t, "eve", "watch", "shoots"); !ok {
		t.Errorf("gardenlets take the watches of users: %s", answer)
	}
}

// TestShares is about users who ask for as much as they get, one after the other. The last places are for those who have none.
func TestShares(t *testing.T) {
	for name, tc := range map[string]struct {
		verb, resource string
		want           []int
		borrows        bool
	}{
		"each request takes a seat":         {"list", "shoots", []int{20, 7, 1, 1, 1, 0, 0, 0}, false},
		"long lists take ten seats each":    {"list", "secrets", []int{2, 1, 0, 0, 0, 0, 0, 0}, false},
		"of the last watches each gets ten": {"watch", "shoots", []int{20, 10, 0, 0, 0, 0, 0, 0}, false},
		"watches that do not begin":         {"watch", "pods", []int{20, 7, 1, 1, 1, 0, 0, 0}, false},
		"a level with borrowed seats":       {"list", "shoots", []int{20, 7, 1, 1, 1, 1, 1, 1}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(peruser.Limits{Seats: 30, Borrows: tc.borrows, Watching: 30})
			defer s.end()
			flood := func(name string) (n int) {
				for ok, _ := s.serves(t, name, tc.verb, tc.resource); ok; ok, _ = s.serves(t, name, tc.verb, tc.resource) {
					n++
				}
				return n
			}
			var got []int
			for i := range tc.want {
				got = append(got, flood(fmt.Sprintf("system:serviceaccount:garden-%d:robot", i)))
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("of 30 places users took %v requests, want %v", got, tc.want)
			}
			if flood("system:serviceaccount:garden-0:another") != 0 {
				t.Error("another service account of the same project is served")
			}
		})
	}
}
