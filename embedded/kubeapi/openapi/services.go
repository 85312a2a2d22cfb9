package openapi

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/labels"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/transport"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"k8s.io/kube-aggregator/pkg/apis/apiregistration/v1/helper"
	"k8s.io/kube-aggregator/pkg/apiserver"
	listers "k8s.io/kube-aggregator/pkg/client/listers/apiregistration/v1"
)

// Minimum interval between downloads of the documents of another server, and the retry interval after an error.
const (
	refreshInterval = time.Minute
	retryInterval   = 10 * time.Second
)

// services are the aggregated servers.
type services struct {
	apiserver.ExtraConfig
	lister listers.APIServiceLister
	dial   *transport.DialHolder
}

func newServices(config apiserver.ExtraConfig, server *apiserver.APIAggregator) *services {
	s := &services{ExtraConfig: config, lister: server.APIRegistrationInformers.Apiregistration().V1().APIServices().Lister()}
	if config.ProxyTransport != nil && config.ProxyTransport.DialContext != nil {
		s.dial = &transport.DialHolder{Dial: config.ProxyTransport.DialContext}
	}
	return s
}

// all is empty until the first update.
func (s *services) all() *remotes { return &remotes{services: s, known: map[string]*remote{}} }

// remotes are the servers whose documents one aggregator has.
type remotes struct {
	*services
	known map[string]*remote
}

// remote is a server and the time of the next download.
type remote struct {
	spec apiregistration.APIServiceSpec
	next time.Time
}

// update adds and removes servers and downloads due documents. The documents of unavailable servers are kept.
func (r *remotes) update(documents aggregated) {
	all, err := r.lister.List(labels.Everything())
	if err != nil {
		utilruntime.HandleError(fmt.Errorf("list APIServices: %w", err))
		return
	}
	present := map[string]bool{}
	for _, service := range all {
		if service.Spec.Service == nil {
			continue
		}
		present[service.Name] = true
		known := r.known[service.Name]
		if known == nil || !equality.Semantic.DeepEqual(known.spec, service.Spec) {
			handler, err := r.handler(service)
			if err != nil {
				utilruntime.HandleError(fmt.Errorf("reach the server of %s: %w", service.Name, err))
				continue
			}
			known = &remote{spec: service.Spec}
			r.known[service.Name] = known
			documents.add(service, handler)
		}
		if time.Now().Before(known.next) || !helper.IsAPIServiceConditionTrue(service, apiregistration.Available) {
			continue
		}
		known.next = time.Now().Add(refreshInterval)
		if err := documents.download(service.Name); err != nil {
			utilruntime.HandleError(fmt.Errorf("download the OpenAPI documents of %s: %w", service.Name, err))
			known.next = time.Now().Add(retryInterval)
		}
	}
	for name := range r.known {
		if !present[name] {
			documents.remove(name)
			delete(r.known, name)
		}
	}
}
