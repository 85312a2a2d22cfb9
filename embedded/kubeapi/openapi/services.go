package openapi

import (
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/labels"
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
	log    logr.Logger
	failed failures
}

// failures are the servers whose last download has failed. They outlive the documents, which are made anew after a pause of their readers.
type failures struct {
	mutex sync.Mutex
	of    map[string]bool
}

// note returns whether the download before has failed, too.
func (f *failures) note(service string, failed bool) bool {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	before := f.of[service]
	if f.of == nil {
		f.of = map[string]bool{}
	}
	f.of[service] = failed
	return before
}

func newServices(config apiserver.ExtraConfig, server *apiserver.APIAggregator, log logr.Logger) *services {
	s := &services{ExtraConfig: config, log: log, lister: server.APIRegistrationInformers.Apiregistration().V1().APIServices().Lister()}
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
		r.log.Error(err, "APIServices cannot be listed")
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
				r.log.Error(err, "Server of an APIService cannot be reached", "apiService", service.Name)
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
		if r.reported(service.Name, documents.download(service.Name)) {
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

// reported returns whether a download has failed, and logs it. One failure is usual: after a restart the status of an APIService is that of a
// server that is only starting. Its documents of versions 2 and 3 count together.
func (s *services) reported(service string, err error) bool {
	switch again := s.failed.note(service, err != nil); {
	case err == nil:
		return false
	case again:
		s.log.Error(err, "OpenAPI documents cannot be downloaded", "apiService", service)
	default:
		s.log.V(1).Info("OpenAPI documents cannot be downloaded yet", "apiService", service, "reason", err.Error())
	}
	return true
}
