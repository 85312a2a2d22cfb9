package handover_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/endpoints/request"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/util/compatibility"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/apiserver/pkg/util/flowcontrol"

	"github.com/gardener-up/gardener-up/embedded/internal/handover"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// receiver is the handler of a server that authenticates and allows nobody by itself.
func receiver(t *testing.T, api http.HandlerFunc) http.Handler {
	t.Helper()
	config := genericapiserver.NewConfig(serializer.NewCodecFactory(runtime.NewScheme()))
	config.EffectiveVersion = compatibility.DefaultBuildEffectiveVersion()
	config.FeatureGate = utilfeature.DefaultFeatureGate
	config.RequestInfoResolver = genericapiserver.NewRequestInfoResolver(config)
	config.Authentication.Authenticator = authenticator.RequestFunc(func(*http.Request) (*authenticator.Response, bool, error) {
		return nil, false, errors.New("not asked")
	})
	config.Authorization.Authorizer = authorizerfactory.NewAlwaysDenyAuthorizer()
	return handover.Receiver(config, api)
}

type key struct{}

func get(ctx context.Context) *http.Request {
	return httptest.NewRequest(http.MethodGet, "/apis/example.org/v1/things", nil).WithContext(ctx)
}

func TestHandover(t *testing.T) {
	ctx := context.WithValue(request.WithUser(t.Context(), &user.DefaultInfo{Name: "alice", Groups: []string{"a"}}), key{}, "of the other server")

	t.Run("the user comes along, other values do not", func(t *testing.T) {
		called := false
		handler := receiver(t, func(_ http.ResponseWriter, r *http.Request) {
			called = true
			if who, known := request.UserFrom(r.Context()); !known || who.GetName() != "alice" || len(who.GetGroups()) != 1 {
				t.Errorf("user is %v", who)
			}
			if value := r.Context().Value(key{}); value != nil {
				t.Errorf("value %v was passed on", value)
			}
			if info, known := request.RequestInfoFrom(r.Context()); !known || info.Resource != "things" {
				t.Errorf("request means %+v", info)
			}
		})
		original := get(ctx)
		original.Header.Set("Authorization", "kept")
		if !handover.Pass(handler, httptest.NewRecorder(), original) || !called {
			t.Error("not passed on")
		}
		if original.Header.Get("Authorization") != "kept" {
			t.Error("the original request was changed")
		}
	})

	t.Run("the end of the request is passed on", func(t *testing.T) {
		ctx, cancel := context.WithCancel(ctx)
		handler := receiver(t, func(_ http.ResponseWriter, r *http.Request) {
			cancel()
			<-r.Context().Done()
		})
		if !handover.Pass(handler, httptest.NewRecorder(), get(ctx)) {
			t.Error("not passed on")
		}
	})

	t.Run("a watch gives back its seat of the kube-apiserver", func(t *testing.T) {
		seat := flowcontrol.NewInitializationSignal()
		handler := receiver(t, func(http.ResponseWriter, *http.Request) {
			back := make(chan struct{})
			go func() { seat.Wait(); close(back) }()
			select {
			case <-back:
			case <-time.After(testwait.Patience):
				t.Error("the seat stays taken")
			}
		})
		if !handover.Pass(handler, httptest.NewRecorder(), get(flowcontrol.WithInitializationSignal(ctx, seat))) {
			t.Error("not passed on")
		}
	})

	t.Run("a request without a user is not passed on", func(t *testing.T) {
		handler := receiver(t, func(http.ResponseWriter, *http.Request) { t.Error("served") })
		if handover.Pass(handler, httptest.NewRecorder(), get(t.Context())) {
			t.Error("passed on")
		}
	})

	for name, serve := range map[string]func(http.Handler, http.ResponseWriter){
		"a request that nobody has passed is refused, whatever it says about its user": func(handler http.Handler, w http.ResponseWriter) {
			r := get(ctx)
			r.Header.Set("X-Remote-User", "alice")
			handler.ServeHTTP(w, r)
		},
		"a request that wants to be another user's is refused": func(handler http.Handler, w http.ResponseWriter) {
			r := get(ctx)
			r.Header.Set("Impersonate-User", "bob")
			handover.Pass(handler, w, r)
		},
	} {
		t.Run(name, func(t *testing.T) {
			answer := httptest.NewRecorder()
			serve(receiver(t, func(http.ResponseWriter, *http.Request) { t.Error("served") }), answer)
			if answer.Code != http.StatusForbidden {
				t.Errorf("answer is %d", answer.Code)
			}
		})
	}
}
