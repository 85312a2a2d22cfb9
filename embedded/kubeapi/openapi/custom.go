package openapi

import (
	"fmt"
	"slices"

	"github.com/go-logr/logr"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/kube-openapi/pkg/handler"
	"k8s.io/kube-openapi/pkg/handler3"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// version is the schema of one served version of a CustomResourceDefinition.
type version[T any] struct {
	path   string // as in the list of documents
	schema *T
}

// pieces builds the schemas of CustomResourceDefinitions. It does not rebuild unchanged schemas.
type pieces[T any] struct {
	log   logr.Logger
	build func(crd *apiextensionsv1.CustomResourceDefinition, version string) (*T, error)
	known map[string][]version[T] // by their inputs
}

// of leaves out schemas that cannot be built, as kube-apiserver does.
func (p *pieces[T]) of(crds []*apiextensionsv1.CustomResourceDefinition) (all []version[T]) {
	known := map[string][]version[T]{}
	for _, crd := range crds {
		key := fmt.Sprintf("%s/%d/%v", crd.UID, crd.Generation, crd.Status.AcceptedNames)
		versions, found := p.known[key]
		if !found {
			versions = p.make(crd)
		}
		known[key] = versions
		all = append(all, versions...)
	}
	p.known = known
	return all
}

func (p *pieces[T]) make(crd *apiextensionsv1.CustomResourceDefinition) (made []version[T]) {
	for _, v := range crd.Spec.Versions {
		if !v.Served {
			continue
		}
		schema, err := p.build(crd, v.Name)
		if err != nil {
			p.log.Error(err, "Schema of a CustomResourceDefinition cannot be built", "crd", crd.Name, "version", v.Name)
			continue
		}
		made = append(made, version[T]{"apis/" + crd.Spec.Group + "/" + v.Name, schema})
	}
	return made
}

// customV2 merges the schemas into the document of the server of CustomResourceDefinitions.
type customV2 struct {
	pieces[spec.Swagger]
	document *spec.Swagger
	service  *handler.OpenAPIService
}

func newCustomV2(document *spec.Swagger, service *handler.OpenAPIService, log logr.Logger) *customV2 {
	c := &customV2{document: document, service: service}
	c.log = log
	c.build = func(crd *apiextensionsv1.CustomResourceDefinition, version string) (*spec.Swagger, error) {
		schema, err := builder.BuildOpenAPIV2(crd, version, builder.Options{V2: true, IncludeSelectableFields: true})
		if err != nil {
			return nil, err
		}
		schema.Definitions = handler.PruneDefaults(schema.Definitions) // like those of the document
		return schema, nil
	}
	return c
}

func (c *customV2) update(crds []*apiextensionsv1.CustomResourceDefinition) {
	var schemas []*spec.Swagger
	for _, version := range c.of(crds) {
		schemas = append(schemas, version.schema)
	}
	merged, err := builder.MergeSpecs(c.document, schemas...)
	if err != nil {
		c.log.Error(err, "Schemas of CustomResourceDefinitions cannot be merged")
		return
	}
	_ = c.service.UpdateSpec(merged) // never fails
}

// customV3 keeps one document for each version of a group.
type customV3 struct {
	pieces[spec3.OpenAPI]
	service *handler3.OpenAPIService
	served  map[string][]*spec3.OpenAPI // the schemas in the document of a path
}

func newCustomV3(service *handler3.OpenAPIService, log logr.Logger) *customV3 {
	c := &customV3{service: service}
	c.log = log
	c.build = func(crd *apiextensionsv1.CustomResourceDefinition, version string) (*spec3.OpenAPI, error) {
		return builder.BuildOpenAPIV3(crd, version, builder.Options{IncludeSelectableFields: true})
	}
	return c
}

func (c *customV3) update(crds []*apiextensionsv1.CustomResourceDefinition) {
	wanted := map[string][]*spec3.OpenAPI{}
	for _, version := range c.of(crds) {
		wanted[version.path] = append(wanted[version.path], version.schema)
	}
	for path, schemas := range wanted {
		if slices.Equal(c.served[path], schemas) {
			continue
		}
		merged, err := builder.MergeSpecsV3(schemas...)
		if err != nil {
			c.log.Error(err, "Schemas of CustomResourceDefinitions cannot be merged", "path", path)
			continue
		}
		c.service.UpdateGroupVersion(path, merged)
	}
	for path := range c.served {
		if wanted[path] == nil {
			c.service.DeleteGroupVersion(path)
		}
	}
	c.served = wanted
}
