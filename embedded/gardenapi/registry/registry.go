// Package registry assembles the storages of all kinds by group.
//
//	resource            what is the same for every kind
//	<group>/<kind>      one kind: strategy.go for writes, storage.go for names, columns and selectors
//	internal            what several kinds share
package registry

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/shoot"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/operations/bastion"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/security/workloadidentity"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/scheme"
)

// Config of the storages.
type Config struct {
	Scheme  *scheme.Types
	Options generic.RESTOptionsGetter
	// Objects reads from the storages, which Groups adds to it.
	Objects *Objects

	Shoot       shoot.Rules
	Kubeconfigs shoot.Kubeconfigs
	// Tokens configures the tokens of WorkloadIdentities. Groups sets its functions that look up objects.
	Tokens workloadidentity.Tokens
	// BastionTTL is the lifetime of a bastion after its last heartbeat.
	BastionTTL time.Duration
}

// paths maps paths such as "shoots/status" to the storages of one version.
type paths = map[string]rest.Storage

// Groups returns all API groups for the server to install.
func Groups(c Config) ([]*genericapiserver.APIGroupInfo, error) {
	c.Options = noting{c.Options, c.Objects}
	b := &builder{Config: c}
	groups := []*genericapiserver.APIGroupInfo{b.core(), b.seedManagement(), b.settings(), b.operations(), b.security()}
	if b.err != nil {
		return nil, b.err
	}
	return groups, nil
}

// builder keeps the first error, so that the lists of kinds need no error handling.
type builder struct {
	Config
	err error
}

func (b *builder) bastionRules() bastion.Rules { return bastion.Rules{TTL: b.BastionTTL} }

func (b *builder) tokens() workloadidentity.Tokens {
	tokens := b.Tokens
	tokens.Find = b.Objects.Get
	tokens.ProjectOf = func(ctx context.Context, namespace string) (found *core.Project, err error) {
		err = b.Objects.Each(ctx, core.Resource("projects"), "", func(obj runtime.Object) bool {
			if project := obj.(*core.Project); project.Spec.Namespace != nil && *project.Spec.Namespace == namespace {
				found = project
			}
			return found == nil
		})
		return found, err
	}
	return tokens
}

func (b *builder) group(name string, versions map[string]paths) *genericapiserver.APIGroupInfo {
	info := genericapiserver.NewDefaultAPIGroupInfo(name, b.Scheme.Scheme, b.Scheme.ParameterCodec(), b.Scheme.Codecs)
	for version, paths := range versions {
		info.VersionedResourcesStorageMap[version] = paths
	}
	return &info
}

// add makes the storages of a kind and adds them to the paths.
func add[T resource.Object](b *builder, to paths, definition resource.Definition[T]) resource.Storages {
	if b.err != nil {
		return resource.Storages{}
	}
	storages, err := definition.Store(b.Scheme.Scheme, b.Options)
	if err != nil {
		b.err = fmt.Errorf("kind %s: %w", definition.Kind, err)
		return resource.Storages{}
	}
	storages.Add(to)
	b.Objects.add(storages.Main.Store)
	return storages
}
