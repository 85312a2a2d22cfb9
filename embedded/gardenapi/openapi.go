package gardenapi

import (
	"github.com/go-logr/logr"
	apiopenapi "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"

	"github.com/gardener-up/gardener-up/embedded/gardenapi/openapi"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/scheme"
	ondemand "github.com/gardener-up/gardener-up/embedded/internal/openapi"
)

// addOpenAPI configures the OpenAPI schemas under the names of the served versions. Server-side apply uses them too.
func addOpenAPI(config *genericapiserver.Config) {
	namer := apiopenapi.NewDefinitionNamer(scheme.Served())
	config.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(openapi.GetOpenAPIDefinitions, namer)
	config.OpenAPIConfig.Info.Title = "Gardener"
	config.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(openapi.GetOpenAPIDefinitions, namer)
	config.OpenAPIV3Config.Info.Title = "Gardener"
	config.SkipOpenAPIInstallation = true // serveOpenAPI does it
}

// serveOpenAPI serves the OpenAPI documents and drops them when they are not read. All groups must be installed before.
func serveOpenAPI(config *genericapiserver.Config, server *genericapiserver.GenericAPIServer, log logr.Logger) {
	s := ondemand.Server{GenericAPIServer: server, V2: config.OpenAPIConfig, V3: config.OpenAPIV3Config}
	s.Forget()
	paths := server.Handler.NonGoRestfulMux
	paths.Handle(ondemand.PathV2, &ondemand.OnDemand{Idle: ondemand.Idle, Log: log.WithValues("version", "v2"), Make: func() (ondemand.Documents, error) {
		handler, _, _, err := s.DocumentV2()
		return ondemand.Documents{Handler: handler}, err
	}})
	v3 := &ondemand.OnDemand{Idle: ondemand.Idle, Log: log.WithValues("version", "v3"), Make: func() (ondemand.Documents, error) {
		handler, _ := s.DocumentsV3()
		return ondemand.Documents{Handler: handler}, nil
	}}
	paths.Handle(ondemand.PathV3, v3)
	paths.HandlePrefix(ondemand.PathV3+"/", v3)
}
