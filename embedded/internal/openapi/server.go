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

// GardenerUserAgent is the user agent of the Gardener API server. It polls the list of documents.
const GardenerUserAgent = "gardener-apiserver"

// Server is an API server that does not install OpenAPI itself (SkipOpenAPIInstallation).
type Server struct {
	*genericapiserver.GenericAPIServer
	V2 *common.Config
	V3 *common.OpenAPIV3Config
}

// Forget releases the definitions of all types. They are needed for the models of server-side apply until all groups are
// installed. Each document makes them again.
func (s Server) Forget() { s.V3.Definitions = nil }

// DocumentV2 makes the document of the server's own resources. It is served at PathV2 of the mux. The returned service
// changes the served document.
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

// DocumentsV3 makes one document for each version of a group. They are served at PathV3 of the mux and below.
func (s Server) DocumentsV3() (*mux.PathRecorderMux, *handler3.OpenAPIService) {
	paths := mux.NewPathRecorderMux("openapi-v3")
	return paths, routes.OpenAPI{V3Config: s.ConfigV3()}.InstallV3(s.Handler.GoRestfulContainer, paths)
}

// ConfigV3 returns a copy of V3 with the definitions of all types. Without them, each version of a group would make its own.
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
