// Package openapi serves the OpenAPI documents of a kube-apiserver: those of its own kinds, of
// CustomResourceDefinitions and of aggregated servers. Unlike kube-apiserver itself, it keeps the documents only while
// clients read them.
package openapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	crdclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/mux"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kube-aggregator/pkg/apiserver"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"

	"github.com/gardener-up/gardener-up/embedded/internal/openapi"
)

// Skip switches off the OpenAPI of kube-apiserver. The OpenAPI of the aggregator is off if its generic server is run
// instead of the result of its PrepareRun, which differ in nothing else.
func Skip(config *app.Config) {
	config.KubeAPIs.ControlPlane.Generic.SkipOpenAPIInstallation = true
	config.ApiExtensions.GenericConfig.SkipOpenAPIInstallation = true
}

// Install serves the documents until ctx ends, and keeps them for idle after the last request. It must be called with
// the configuration that server was made from, before PrepareRun is called on server.
func Install(ctx context.Context, config *app.Config, server *apiserver.APIAggregator, idle time.Duration, log logr.Logger) error {
	c, err := newChain(ctx, config, server, log)
	if err != nil {
		return err
	}
	for _, s := range []openapi.Server{c.aggregator, c.kube, c.extensions} {
		s.Forget()
	}
	paths := server.GenericAPIServer.Handler.NonGoRestfulMux
	paths.Handle(openapi.PathV2, &openapi.OnDemand{Make: c.makeV2, Idle: idle, Log: log.WithValues("version", "v2")})
	v3 := &openapi.OnDemand{Make: c.makeV3, Idle: idle, Log: log.WithValues("version", "v3")}
	client, err := kubernetes.NewForConfig(config.KubeAPIs.ControlPlane.Generic.LoopbackClientConfig)
	if err != nil {
		return fmt.Errorf("client of policies: %w", err)
	}
	paths.Handle(openapi.PathV3, polled{documents: v3, services: c.services.lister, policies: policiesOf(client), log: log})
	paths.HandlePrefix(openapi.PathV3+"/", v3)
	return nil
}

// chain lists the servers that a request passes through, and what is needed to watch kinds that come and go.
type chain struct {
	ctx                          context.Context
	aggregator, kube, extensions openapi.Server
	crds                         crdclient.Interface
	services                     *services
	log                          logr.Logger
}

func newChain(ctx context.Context, config *app.Config, server *apiserver.APIAggregator, log logr.Logger) (*chain, error) {
	kube, ok := server.GenericAPIServer.NextDelegate().(*genericapiserver.GenericAPIServer)
	if !ok {
		return nil, errors.New("no kube-apiserver behind the aggregator")
	}
	extensions, ok := kube.NextDelegate().(*genericapiserver.GenericAPIServer)
	if !ok {
		return nil, errors.New("no server of CustomResourceDefinitions behind kube-apiserver")
	}
	crds, err := crdclient.NewForConfig(config.ApiExtensions.GenericConfig.LoopbackClientConfig)
	if err != nil {
		return nil, fmt.Errorf("client of CustomResourceDefinitions: %w", err)
	}
	of := func(server *genericapiserver.GenericAPIServer, config *genericapiserver.Config) openapi.Server {
		return openapi.Server{GenericAPIServer: server, V2: config.OpenAPIConfig, V3: config.OpenAPIV3Config}
	}
	return &chain{
		ctx:        ctx,
		aggregator: of(server.GenericAPIServer, &config.Aggregator.GenericConfig.Config),
		kube:       of(kube, config.KubeAPIs.ControlPlane.Generic),
		extensions: of(extensions, &config.ApiExtensions.GenericConfig.Config),
		crds:       crds,
		services:   newServices(config.Aggregator.ExtraConfig, server, log),
		log:        log,
	}, nil
}

// delegate is a link of the chain for the aggregators of documents, which use only its handler.
type delegate struct {
	genericapiserver.DelegationTarget
	handler *mux.PathRecorderMux
	next    genericapiserver.DelegationTarget
}

func (d delegate) UnprotectedHandler() http.Handler                { return d.handler }
func (d delegate) ListedPaths() []string                           { return d.handler.ListedPaths() }
func (d delegate) NextDelegate() genericapiserver.DelegationTarget { return d.next }

func delegates(kube, extensions *mux.PathRecorderMux) genericapiserver.DelegationTarget {
	end := genericapiserver.NewEmptyDelegate()
	return delegate{DelegationTarget: end, handler: kube, next: delegate{DelegationTarget: end, handler: extensions, next: end}}
}
