// Package admission selects and configures the admission plugins of the Gardener API server: the generic plugins of
// Kubernetes and, one per folder, the plugins for Gardener's kinds. Checks and defaults that need only the object itself
// belong to validation and defaulting.
package admission

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/admission"
	mutatingpolicy "k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	webhookinit "k8s.io/apiserver/pkg/admission/plugin/webhook/initializer"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/internal/gardendomains"
)

// Config of the admission chain.
type Config struct {
	Enable, Disable []string
	// File holds an AdmissionConfiguration with the plugins' own configurations; may be empty.
	File string

	// ReservedDomains are used by no shoot, and neither are internal domains.
	ReservedDomains []string

	Objects       initializer.Objects
	Garden        kubernetes.Interface
	DynamicGarden dynamic.Interface
	Informers     informers.SharedInformerFactory
}

// ApplyTo adds the chain to config. The authorizer of config must be set.
func (c Config) ApplyTo(config *genericapiserver.Config) error {
	chain := options.NewAdmissionOptions() // knows the generic plugins
	chain.RecommendedPluginOrder = nil
	chain.DefaultOffPlugins = sets.New(mutatingpolicy.PluginName)
	for _, plugin := range plugins() {
		chain.RecommendedPluginOrder = append(chain.RecommendedPluginOrder, plugin.name)
		if plugin.register != nil {
			plugin.register(chain.Plugins)
		}
		if plugin.off {
			chain.DefaultOffPlugins.Insert(plugin.name)
		}
	}
	chain.EnablePlugins, chain.DisablePlugins, chain.ConfigFile = c.Enable, c.Disable, c.File
	if err := errors.Join(chain.Validate()...); err != nil {
		return err
	}
	if c.File == "" { // which may name further webhooks
		chain.Decorators = append(chain.Decorators, unlessUnused(c.Informers))
	}
	// Webhooks in the garden may be named by a Service there.
	services := serviceResolver{c.Informers.Core().V1().Services().Lister()}
	auth := webhook.NewDefaultAuthenticationInfoResolverWrapper(nil, nil, config.LoopbackClientConfig, config.TracerProvider)
	err := chain.ApplyTo(config, c.Informers, c.Garden, c.DynamicGarden, config.FeatureGate, config.EffectiveVersion,
		webhookinit.NewPluginInitializer(auth, services), initializer.Initializer{
			Objects: c.Objects, Domains: gardendomains.Watch(c.Garden, constants.GardenRoleDefaultDomain, config.DrainedNotify()),
			Reserved: gardendomains.With(c.ReservedDomains, gardendomains.Watch(c.Garden, constants.GardenRoleInternalDomain, config.DrainedNotify())),
		})
	if err != nil {
		return fmt.Errorf("initialize plugins: %w", err)
	}
	return nil
}

var _ admission.PluginInitializer = initializer.Initializer{}
