// Package groups installs API groups in a server. It is what a generic server does itself, but for how objects are looked
// at in order to know who manages which of their fields, see converter.
package groups

import (
	"errors"
	"fmt"
	"path"
	"time"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	genericapi "k8s.io/apiserver/pkg/endpoints"
	"k8s.io/apiserver/pkg/endpoints/discovery"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/kube-openapi/pkg/builder3"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/util"
)

// Install serves groups; all at once, because their models are built once. config is what server has been made of.
func Install(server *genericapiserver.GenericAPIServer, config *genericapiserver.Config, groups ...*genericapiserver.APIGroupInfo) error {
	types, err := models(config.OpenAPIV3Config, groups)
	if err != nil {
		return fmt.Errorf("models of the groups: %w", err)
	}
	for _, group := range groups {
		if err := (installer{server, config, group}).install(newConverter(types)); err != nil {
			return fmt.Errorf("group %s: %w", group.PrioritizedVersions[0].Group, err)
		}
	}
	return nil
}

// models are the schemas of all resources of the groups.
func models(config *common.OpenAPIV3Config, groups []*genericapiserver.APIGroupInfo) (managedfields.TypeConverter, error) {
	var names []string
	for _, group := range groups {
		for _, version := range group.PrioritizedVersions {
			for _, storage := range group.VersionedResourcesStorageMap[version.Version] {
				kind, err := genericapi.GetResourceKind(version, storage, group.Scheme)
				if err != nil {
					return nil, err
				}
				sample, err := group.Scheme.New(kind)
				if err != nil {
					return nil, err
				}
				names = append(names, util.GetCanonicalTypeName(sample))
			}
		}
	}
	if config == nil {
		return nil, errors.New("no configuration of OpenAPI documents")
	}
	definitions, err := builder3.BuildOpenAPIDefinitionsForResources(config, names...)
	if err != nil {
		return nil, err
	}
	for _, group := range groups {
		group.StaticOpenAPISpec = definitions
	}
	return managedfields.NewTypeConverter(definitions, false)
}

// installer is of one group.
type installer struct {
	server *genericapiserver.GenericAPIServer
	config *genericapiserver.Config
	group  *genericapiserver.APIGroupInfo
}

func (i installer) install(types managedfields.TypeConverter) error {
	var served []metav1.GroupVersionForDiscovery
	for _, version := range i.group.PrioritizedVersions {
		storages := i.group.VersionedResourcesStorageMap[version.Version]
		if len(storages) == 0 {
			continue
		}
		installed := i.version(version, types)
		resources, _, err := installed.InstallREST(i.server.Handler.GoRestfulContainer)
		if err != nil {
			return fmt.Errorf("version %s: %w", version.Version, err)
		}
		i.server.AggregatedDiscoveryGroupManager.AddGroupVersion(version.Group, apidiscoveryv2.APIVersionDiscovery{
			Freshness: apidiscoveryv2.DiscoveryFreshnessCurrent, Version: version.Version, Resources: resources,
		})
		i.checkReadiness(version, storages)
		served = append(served, forDiscovery(version))
	}
	i.server.RegisterDestroyFunc(func() {
		for _, storages := range i.group.VersionedResourcesStorageMap {
			for _, storage := range storages {
				storage.Destroy()
			}
		}
	})
	preferred := i.group.PrioritizedVersions[0]
	group := metav1.APIGroup{Name: preferred.Group, Versions: served, PreferredVersion: forDiscovery(preferred)}
	i.server.DiscoveryGroupManager.AddGroup(group)
	i.server.Handler.GoRestfulContainer.Add(discovery.NewAPIGroupHandler(i.server.Serializer, group).WebService())
	return nil
}

func (i installer) version(version schema.GroupVersion, types managedfields.TypeConverter) *genericapi.APIGroupVersion {
	versions := map[string][]string{} // by resource
	for other, storages := range i.group.VersionedResourcesStorageMap {
		for resource := range storages {
			versions[resource] = append(versions[resource], path.Join(version.Group, other))
		}
	}
	scheme := i.group.Scheme
	return &genericapi.APIGroupVersion{
		Root: genericapiserver.APIGroupPrefix, GroupVersion: version, Storage: i.group.VersionedResourcesStorageMap[version.Version],
		AllServedVersionsByResource: versions, MetaGroupVersion: i.group.MetaGroupVersion, OptionsExternalVersion: i.group.OptionsExternalVersion,
		ParameterCodec: i.group.ParameterCodec, Serializer: i.group.NegotiatedSerializer,
		Creater: scheme, Convertor: scheme, ConvertabilityChecker: scheme, UnsafeConvertor: runtime.UnsafeObjectConvertor(scheme),
		Defaulter: scheme, Typer: scheme, Namer: runtime.Namer(meta.NewAccessor()), TypeConverter: types,
		EquivalentResourceRegistry: i.server.EquivalentResourceRegistry,
		Admit:                      i.config.AdmissionControl, Authorizer: i.server.Authorizer,
		MinRequestTimeout:   time.Duration(i.config.MinRequestTimeout) * time.Second,
		MaxRequestBodyBytes: i.config.MaxRequestBodyBytes,
	}
}

func (i installer) checkReadiness(version schema.GroupVersion, storages map[string]rest.Storage) {
	for resource, storage := range storages {
		if waiting, ok := storage.(rest.StorageWithReadiness); ok {
			i.server.StorageReadinessHook.RegisterStorage(metav1.GroupVersionResource{Group: version.Group, Version: version.Version, Resource: resource}, waiting)
		}
	}
}

func forDiscovery(version schema.GroupVersion) metav1.GroupVersionForDiscovery {
	return metav1.GroupVersionForDiscovery{GroupVersion: version.String(), Version: version.Version}
}
