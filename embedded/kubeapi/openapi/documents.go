package openapi

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"k8s.io/apiserver/pkg/server/mux"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	v2 "k8s.io/kube-aggregator/pkg/controllers/openapi/aggregator"
	v3 "k8s.io/kube-aggregator/pkg/controllers/openapiv3/aggregator"

	"github.com/gardener-up/gardener-up/embedded/internal/openapi"
)

// makeV2 builds the single document of all kinds.
func (c *chain) makeV2() (openapi.Documents, error) {
	kube, _, _, err := c.kube.DocumentV2()
	if err != nil {
		return openapi.Documents{}, err
	}
	extensions, service, document, err := c.extensions.DocumentV2()
	if err != nil {
		return openapi.Documents{}, err
	}
	ctx, cancel := context.WithCancel(c.ctx)
	definitions, err := watch(ctx, c.crds)
	if err != nil {
		cancel()
		return openapi.Documents{}, err
	}
	downloader, config, paths := v2.NewDownloader(), *c.aggregator.V2, mux.NewPathRecorderMux("openapi-v2")
	aggregator, err := v2.BuildAndRegisterAggregator(&downloader, delegates(kube, extensions),
		c.aggregator.Handler.GoRestfulContainer.RegisteredWebServices(), &config, paths)
	if err != nil {
		cancel()
		return openapi.Documents{}, fmt.Errorf("aggregate OpenAPI v2: %w", err)
	}
	custom, remote := newCustomV2(document, service, c.log), c.services.all()
	return openapi.Documents{Close: cancel, Handler: fresh(paths, func() {
		definitions.changes(custom.update)
		remote.update(documentV2{aggregator})
	})}, nil
}

// makeV3 builds a document for each version of a group, and the list of documents.
func (c *chain) makeV3() (openapi.Documents, error) {
	ctx, cancel := context.WithCancel(c.ctx)
	definitions, err := watch(ctx, c.crds)
	if err != nil {
		cancel()
		return openapi.Documents{}, err
	}
	kube, _ := c.kube.DocumentsV3()
	extensions, service := c.extensions.DocumentsV3()
	paths := mux.NewPathRecorderMux("openapi-v3")
	aggregator, err := v3.BuildAndRegisterAggregator(v3.NewDownloader(), delegates(kube, extensions),
		c.aggregator.Handler.GoRestfulContainer, c.aggregator.ConfigV3(), paths)
	if err != nil {
		cancel()
		return openapi.Documents{}, fmt.Errorf("aggregate OpenAPI v3: %w", err)
	}
	local := aggregator.GetAPIServiceNames()
	custom, remote := newCustomV3(service, c.log), c.services.all()
	return openapi.Documents{Close: cancel, Handler: fresh(paths, func() {
		if definitions.changes(custom.update) {
			for _, name := range local {
				_ = aggregator.UpdateAPIServiceSpec(name) // requests a handler of this process
			}
		}
		remote.update(documentsV3{aggregator})
	})}, nil
}

// fresh calls update before each request, one at a time.
func fresh(handler http.Handler, update func()) http.Handler {
	var mu sync.Mutex
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		update()
		mu.Unlock()
		handler.ServeHTTP(w, r)
	})
}

// aggregated is the interface of both aggregators for documents of other servers.
type aggregated interface {
	add(service *apiregistration.APIService, handler http.Handler)
	download(name string) error
	remove(name string)
}

type documentV2 struct{ v2.SpecAggregator }

func (d documentV2) add(s *apiregistration.APIService, h http.Handler) {
	_ = d.AddUpdateAPIService(s, h)
}                                               // never fails
func (d documentV2) download(name string) error { return d.UpdateAPIServiceSpec(name) }
func (d documentV2) remove(name string)         { d.RemoveAPIService(name) }

type documentsV3 struct{ v3.SpecProxier }

func (d documentsV3) add(s *apiregistration.APIService, h http.Handler) { d.AddUpdateAPIService(h, s) }
func (d documentsV3) download(name string) error                        { return d.UpdateAPIServiceSpec(name) }
func (d documentsV3) remove(name string)                                { d.RemoveAPIServiceSpec(name) }
