package peruser_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"

	"github.com/gardener-up/gardener-up/embedded/internal/peruser"
)

func TestFilter(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	handler := peruser.Limits{Requests: 2, Watches: 1}.Filter(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		entered <- struct{}{}
		<-release
	}))
	ask := func(name, verb string, groups ...string) chan int {
		answer := make(chan int, 1)
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		ctx := request.WithUser(r.Context(), &user.DefaultInfo{Name: name, Groups: groups})
		ctx = request.WithRequestInfo(ctx, &request.RequestInfo{Verb: verb})
		go func() {
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r.WithContext(ctx))
			answer <- w.Code
		}()
		return answer
	}
	serves := func(what string, answer chan int) {
		t.Helper()
		select {
		case <-entered:
		case code := <-answer:
			t.Fatalf("%s: answer %d", what, code)
		}
	}
	refuses := func(what string, answer chan int) {
		t.Helper()
		select {
		case <-entered:
			t.Fatalf("%s is served", what)
		case code := <-answer:
			if code != http.StatusTooManyRequests {
				t.Errorf("%s: answer %d", what, code)
			}
		}
	}
	serves("the first request", ask("eve", "list"))
	serves("the second request", ask("eve", "get"))
	refuses("one more than the limit", ask("eve", "list"))
	serves("a watch beside requests", ask("eve", "watch"))
	refuses("one more watch than the limit", ask("eve", "watch"))
	serves("another user", ask("bob", "list"))
	serves("a service account of a project", ask("system:serviceaccount:garden-local:robot", "watch"))
	refuses("a watch of another service account of the same project", ask("system:serviceaccount:garden-local:other", "watch"))
	serves("a service account of another project", ask("system:serviceaccount:garden-other:robot", "watch"))
	serves("somebody unknown", ask("system:anonymous", "watch"))
	refuses("somebody unknown again", ask("system:anonymous", "watch"))
	for name, groups := range map[string][]string{
		"admin": {"system:masters"}, "system:kube-controller-manager": nil, "gardener.cloud:system:seed:local": nil,
		"system:serviceaccount:kube-system:namespace-controller": nil,
	} {
		for range 4 {
			serves(name, ask(name, "watch", groups...))
		}
	}
	close(release)
	for served := false; !served; { // as soon as the first ones end
		select {
		case <-entered:
			served = true
		case code := <-ask("eve", "list"):
			served = code == http.StatusOK
		}
	}
}

// TestTogether is about many users, each below the limit of one.
func TestTogether(t *testing.T) {
	const all = 8
	entered, release := make(chan struct{}), make(chan struct{})
	handler := peruser.New(2, 1).Reserving(all, all/2).Filter(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		entered <- struct{}{}
		<-release
	}))
	answers := make(chan int, 100)
	ask := func(name, verb string) (served bool, body string) {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		ctx := request.WithUser(r.Context(), &user.DefaultInfo{Name: name})
		ctx = request.WithRequestInfo(ctx, &request.RequestInfo{Verb: verb})
		done := make(chan struct{})
		go func() {
			handler.ServeHTTP(w, r.WithContext(ctx))
			answers <- w.Code
			close(done)
		}()
		select {
		case <-entered:
			return true, ""
		case <-done:
			if w.Code != http.StatusTooManyRequests {
				t.Errorf("%s %s: answer %d", name, verb, w.Code)
			}
			return false, w.Body.String()
		}
	}
	served := func(verb string) (n int, refusal string) {
		for i := range 2 * all {
			ok, body := ask(fmt.Sprintf("system:serviceaccount:garden-%d:robot", i), verb)
			if ok {
				n++
			} else {
				refusal = body
			}
		}
		return n, refusal
	}
	if n, refusal := served("list"); n != 6 || !strings.Contains(refusal, "that read, of all users together") {
		t.Errorf("%d of %d reading requests of many users are served, want 6: %s", n, all, refusal)
	}
	if n, refusal := served("create"); n != 3 || !strings.Contains(refusal, "that change something, of all users together") {
		t.Errorf("%d of %d changing requests of many users are served, want 3: %s", n, all/2, refusal)
	}
	if n, refusal := served("watch"); n != 10 || !strings.Contains(refusal, "that last, of all users together") {
		t.Errorf("%d watches of %d users are served, want 10: %s", n, 2*all, refusal)
	}
	for _, own := range []string{"gardener.cloud:system:seed:local", "system:serviceaccount:garden:controller", "system:kube-controller-manager"} {
		for _, verb := range []string{"list", "create", "watch"} {
			if ok, body := ask(own, verb); !ok {
				t.Errorf("%s %s is refused: %s", own, verb, body)
			}
		}
	}
	close(release)
}

// TestShares is about users who ask for as much as they get, one after the other. The last places are for those who have none.
func TestShares(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	var held sync.WaitGroup
	handler := peruser.New(0, 0).Reserving(40, 40).Filter(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		entered <- struct{}{}
		<-release
	}))
	serves := func(name string) bool {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		ctx := request.WithUser(r.Context(), &user.DefaultInfo{Name: name})
		ctx = request.WithRequestInfo(ctx, &request.RequestInfo{Verb: "list"})
		refused := make(chan struct{})
		held.Go(func() {
			handler.ServeHTTP(httptest.NewRecorder(), r.WithContext(ctx))
			close(refused)
		})
		select {
		case <-entered:
			return true
		case <-refused:
			return false
		}
	}
	flood := func(name string) (n int) {
		for serves(name) {
			n++
		}
		return n
	}
	var got []int
	for i := range 8 {
		got = append(got, flood(fmt.Sprintf("system:serviceaccount:garden-%d:robot", i)))
	}
	if want := []int{20, 7, 1, 1, 1, 0, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("of 30 places users took %v, want %v", got, want)
	}
	if flood("system:serviceaccount:garden-0:another") != 0 {
		t.Error("another service account of the same project is served")
	}
	close(release)
	held.Wait()
}
