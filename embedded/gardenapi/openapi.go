package gardenapi

import (
	apiopenapi "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"

	"github.com/gardener-up/gardener-up/embedded/gardenapi/openapi"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/scheme"
)

// addOpenAPI publishes the schemas, also used for server-side apply, under the names of the served versions only.
func addOpenAPI(config *genericapiserver.Config) {
	namer := apiopenapi.NewDefinitionNamer(scheme.Served())
	config.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(openapi.GetOpenAPIDefinitions, namer)
	config.OpenAPIConfig.Info.Title = "Gardener"
	config.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(openapi.GetOpenAPIDefinitions, namer)
	config.OpenAPIV3Config.Info.Title = "Gardener"
}
