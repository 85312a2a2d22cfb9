package peruser_test

import (
	"net/http"
	"net/http/httptest"
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
	refuses("a second watch of a service account of a project", ask("system:serviceaccount:garden-local:robot", "watch"))
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
