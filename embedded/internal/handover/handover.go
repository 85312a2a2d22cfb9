// Package handover passes requests from a kube-apiserver to an aggregated API server of the same process. It uses a function call,
// because a connection costs more than the work of a small request. The kube-apiserver must have authenticated and authorized the
// request. The user is in the context of the request, so nobody outside the process can forge a user. The package knows neither of
// the two servers.
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
	"k8s.io/apiserver/pkg/util/flowcontrol"
)

// Pass lets a handler of Receiver serve a request as the user in its context. It returns false, and does nothing, if the
// context has no user. A watch does not keep its seat of the kube-apiserver: it has one of the other server until it has begun.
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
	flowcontrol.RequestDelegated(r.Context())
	handler.ServeHTTP(w, passed)
	return true
}

// Receiver makes the handler for passed requests from the configuration of a server. The handler has the usual chain of
// filters, without authentication and authorization: the kube-apiserver has just decided both, and this server would
// only ask the kube-apiserver again.
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

// impersonates reports whether a request has headers for impersonation. It never should: the kube-apiserver replaces the
// user and removes the headers. Here they would take effect without any check.
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

// detached is a context that ends with the request but carries none of its values, because those belong to the
// kube-apiserver: audit, warnings, request info and latencies.
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

// AfterFunc saves a goroutine for every context that is derived from this one.
func (d *detached) AfterFunc(f func()) (stop func() bool) { return context.AfterFunc(d.Context, f) }
