// Package handover passes requests from a kube-apiserver to an API server of the same process that is aggregated into it:
// by a call instead of a connection, which costs more than the work of a small request. It is for requests that the
// kube-apiserver has authenticated and authorized. Nobody outside the process can make one, because the user is told by
// the request's context. It knows neither of both servers.
package handover

import (
	"context"
	"net/http"

	auditinternal "k8s.io/apiserver/pkg/apis/audit"
	"k8s.io/apiserver/pkg/audit"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/endpoints/request"
	genericapiserver "k8s.io/apiserver/pkg/server"
)

// Pass lets handler, made by Receiver, serve a request as its user. It is false, and nothing has been done, if the
// request has no user.
func Pass(handler http.Handler, w http.ResponseWriter, r *http.Request) bool {
	who, known := request.UserFrom(r.Context())
	if !known {
		return false
	}
	passed := r.WithContext(&detached{Context: r.Context(), user: who})
	passed.Header = r.Header.Clone()
	passed.TLS = nil // is about the other server
	if id, found := audit.AuditIDFrom(r.Context()); found {
		passed.Header.Set(auditinternal.HeaderAuditID, string(id))
	}
	handler.ServeHTTP(w, passed)
	return true
}

// Receiver makes the handler of passed requests from the configuration of a server: its usual chain of filters, but
// without asking again who the user is and what the user may do. The other server has just decided the same question, and
// is the one that this server asks about all other requests.
func Receiver(config *genericapiserver.Config, api http.Handler) http.Handler {
	own := *config
	own.Authentication.Authenticator = authenticator.RequestFunc(authenticate)
	own.Authentication.APIAudiences = nil
	own.Authorization.Authorizer = authorizerfactory.NewAlwaysAllowAuthorizer()
	chain := genericapiserver.DefaultBuildHandlerChain(api, &own)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, passed := r.Context().(*detached); !passed || impersonates(r) {
			http.Error(w, "the request was not passed on by the kube-apiserver of this process", http.StatusForbidden)
			return
		}
		chain.ServeHTTP(w, r)
	})
}

// impersonates is never true: the other server has replaced the user and removed the headers. Here they would take
// effect without any check.
func impersonates(r *http.Request) bool {
	for name := range r.Header {
		if len(name) > len(prefix) && name[:len(prefix)] == prefix {
			return true
		}
	}
	return false
}

const prefix = "Impersonate-"

func authenticate(r *http.Request) (*authenticator.Response, bool, error) {
	who, known := r.Context().Value(userKey{}).(user.Info)
	return &authenticator.Response{User: who}, known, nil
}

type userKey struct{}

// detached ends with the request, but has none of its values, which are about the other server: audit, warnings, what the
// request means, latencies.
type detached struct {
	context.Context
	user user.Info
}

func (d *detached) Value(key any) any {
	switch key {
	case userKey{}:
		return d.user
	case http.ServerContextKey, http.LocalAddrContextKey:
		return d.Context.Value(key)
	default:
		return nil
	}
}

// AfterFunc spares a goroutine for every context that is derived from this one.
func (d *detached) AfterFunc(f func()) (stop func() bool) { return context.AfterFunc(d.Context, f) }
