package peruser_test

import (
	"flag"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/go-logr/logr/funcr"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/server/httplog"
	"k8s.io/klog/v2"

	"github.com/gardener-up/gardener-up/embedded/internal/peruser"
)

// TestReason is about the log of requests, since the server answers the same to all that it does not serve.
func TestReason(t *testing.T) {
	defer klog.CaptureState().Restore()
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	if err := flags.Set("v", "3"); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var lines strings.Builder
	klog.SetLogger(funcr.New(func(_, line string) {
		mu.Lock()
		defer mu.Unlock()
		lines.WriteString(line)
	}, funcr.Options{Verbosity: 3}))

	s := newServer(peruser.Limits{Requests: 1})
	defer s.end()
	s.serves(t, "eve", "list", "shoots")
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	ctx := request.WithUser(r.Context(), &user.DefaultInfo{Name: "eve"})
	ctx = request.WithRequestInfo(ctx, &request.RequestInfo{Verb: "list", Resource: "shoots"})
	httplog.WithLogging(s.handler, httplog.DefaultStacktracePred).ServeHTTP(httptest.NewRecorder(), r.WithContext(ctx))
	mu.Lock()
	defer mu.Unlock()
	if want := "of one user at a time: 1 are allowed"; !strings.Contains(lines.String(), want) {
		t.Errorf("the log does not say %q: %s", want, lines.String())
	}
}
