package openapi

import (
	"fmt"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/mux"
	"k8s.io/apiserver/pkg/server/routes"
	"k8s.io/kube-openapi/pkg/builder"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/common/restfuladapter"
	"k8s.io/kube-openapi/pkg/handler"
	"k8s.io/kube-openapi/pkg/handler3"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// Paths of the documents.
const (
	PathV2 = "/openapi/v2"
	PathV3 = "/openapi/v3"
)

// Server is one API server, whose own installation of OpenAPI is off (SkipOpenAPIInstallation).
type Server struct {
	*genericapiserver.GenericAPIServer
	V2 *common.Config
	V3 *common.OpenAPIV3Config
}

// Forget releases the definitions of all types. They have served the models for server-side apply once all groups are
// installed, and are made again with each document.
func (s Server) Forget() { s.V3.Definitions = nil }

// DocumentV2 makes the document of what the server serves itself; it is served at PathV2 of the mux. The service
// changes what is served, beginning with the document.
func (s Server) DocumentV2() (*mux.PathRecorderMux, *handler.OpenAPIService, *spec.Swagger, error) {
	config := *s.V2 // the builder completes it
	document, err := builder.BuildOpenAPISpecFromRoutes(restfuladapter.AdaptWebServices(s.Handler.GoRestfulContainer.RegisteredWebServices()), &config)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("build OpenAPI v2: %w", err)
	}
	document.Definitions = handler.PruneDefaults(document.Definitions)
	paths := mux.NewPathRecorderMux("openapi-v2")
	service := handler.NewOpenAPIService(document)
	service.RegisterOpenAPIVersionedService(PathV2, paths)
	return paths, service, document, nil
}

// DocumentsV3 makes one document for each version of a group, served at PathV3 of the mux and below.
func (s Server) DocumentsV3() (*mux.PathRecorderMux, *handler3.OpenAPIService) {
	paths := mux.NewPathRecorderMux("openapi-v3")
	return paths, routes.OpenAPI{V3Config: s.ConfigV3()}.InstallV3(s.Handler.GoRestfulContainer, paths)
}

// ConfigV3 is a copy with the definitions of all types, which would otherwise be made once for each version of a group.
func (s Server) ConfigV3() *common.OpenAPIV3Config {
	config := *s.V3
	if config.Definitions == nil {
		config.Definitions = config.GetDefinitions(func(name string) spec.Ref {
			name, _ = config.GetDefinitionName(name)
			return spec.MustCreateRef("#/components/schemas/" + common.EscapeJsonPointer(name))
		})
	}
	return &config
}
