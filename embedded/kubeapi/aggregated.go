package kubeapi

import (
	"net/http"
	"sync/atomic"

	"k8s.io/apiserver/pkg/endpoints/request"
	genericapiserver "k8s.io/apiserver/pkg/server"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"k8s.io/kube-aggregator/pkg/apis/apiregistration/v1/helper"
	listers "k8s.io/kube-aggregator/pkg/client/listers/apiregistration/v1"

	"github.com/gardener-up/gardener-up/embedded/internal/handover"
)

// Aggregated is an API server of this process whose groups APIServices aggregate into the kube-apiserver. Requests for
// its resources reach it by a function call instead of a connection. Discovery and availability checks use connections.
type Aggregated struct {
	// Namespace and Service are those that the APIServices refer to. Groups of other Services are not affected.
	Namespace, Service string
	// Handler serves requests that package handover passes on; nil while the server does not serve.
	Handler func() http.Handler
}

// shortcut calls the aggregated server directly. APIServices decide which requests it serves, as usual.
type shortcut struct {
	Aggregated
	services atomic.Pointer[listers.APIServiceLister] // set if there is an aggregated server
}

// install puts the shortcut before the handler of config, behind all filters.
func (s *shortcut) install(config *genericapiserver.Config) {
	build := config.BuildHandlerChainFunc
	config.BuildHandlerChainFunc = func(api http.Handler, c *genericapiserver.Config) http.Handler {
		return build(s.before(api), c)
	}
}

func (s *shortcut) before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if info, known := request.RequestInfoFrom(r.Context()); known && info.IsResourceRequest && s.takes(info) {
			if handler := s.Handler(); handler != nil && handover.Pass(handler, w, r) {
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// takes reports whether the request is for an available group of the server.
func (s *shortcut) takes(info *request.RequestInfo) bool {
	services := s.services.Load()
	if services == nil || info.APIGroup == "" {
		return false
	}
	service, err := (*services).Get(info.APIVersion + "." + info.APIGroup)
	if err != nil || service.Spec.Service == nil {
		return false
	}
	at := service.Spec.Service
	return at.Namespace == s.Namespace && at.Name == s.Service && helper.IsAPIServiceConditionTrue(service, apiregistrationv1.Available)
}
