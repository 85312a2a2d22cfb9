package gardenlet

import (
	"fmt"

	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/owncache"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/tokenrequestor"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// gardenTokens adds the controller that fills Secrets of the seed with tokens for the garden, above all those of
// extensions. The service accounts are in the namespace of the seed in the garden: the gardenlet has no access to others.
func (p parts) gardenTokens() error {
	garden, err := client.New(p.garden.GetConfig(), client.Options{
		HTTPClient: p.garden.GetHTTPClient(), Scheme: p.garden.GetScheme(), Mapper: p.garden.GetRESTMapper(),
	})
	if err != nil {
		return fmt.Errorf("make client of the garden: %w", err)
	}
	secrets, err := owncache.New(p.seed, p.seed, cache.Options{
		DefaultTransform: cache.TransformStripManagedFields(),
		DefaultLabelSelector: labels.SelectorFromSet(labels.Set{
			resourcesv1alpha1.ResourceManagerPurpose: resourcesv1alpha1.LabelPurposeTokenRequest,
			resourcesv1alpha1.ResourceManagerClass:   resourcesv1alpha1.ResourceManagerClassGarden,
		}),
	})
	if err != nil {
		return fmt.Errorf("make cache of Secrets that ask for tokens: %w", err)
	}
	reconciler := &tokenrequestor.Reconciler{
		Name:   "gardenlet-" + p.name + "-tokenrequestor",
		Source: p.seedClient, Reader: p.seedClient, Cache: secrets, Target: garden, Clock: p.clock,
		Class: resourcesv1alpha1.ResourceManagerClassGarden, OnlyClass: true, TargetNamespace: constants.SeedNamespaceNamePrefix + p.name,
	}
	return reconciler.AddToManager(p.seed, workers.Insistent(*p.cfg.Configuration.Controllers.TokenRequestor.ConcurrentSyncs))
}
