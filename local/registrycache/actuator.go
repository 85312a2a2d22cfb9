package registrycache

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/local/registrycache/proxy"
	"github.com/gardener-up/gardener-up/providers/contract"
	"github.com/gardener-up/gardener-up/providers/managed"
)

const managedResourceName = "extension-registry-cache"

// Actuator keeps the caches of a Shoot in a ManagedResource. It implements contract.ExtensionActuator.
type Actuator struct {
	// Image is the appliance image.
	Image string
	// Client of the seed.
	Client client.Client
	// Reader of the seed without a cache.
	Reader client.Reader
	// Machines says whether nodes pull images at all. If they do not, no cache runs, but all other objects exist.
	Machines api.MachineRuntime
}

var _ contract.ExtensionActuator = &Actuator{}

// Reconcile implements contract.Actuator.
func (a *Actuator) Reconcile(ctx context.Context, cluster *contract.Cluster, extension *extensionsv1alpha1.Extension) error {
	if cluster == nil || cluster.Shoot == nil {
		return fmt.Errorf("the shoot of the extension is not known")
	}
	was := stateOf(extension)
	config, err := Decode(extension.Spec.ProviderConfig)
	if err != nil {
		return contract.Permanent(err, gardencorev1beta1.ErrorConfigurationProblem)
	}
	if errs := Validate(config, cluster.Shoot.Spec.Resources, was); len(errs) > 0 {
		return contract.Permanent(fmt.Errorf("providerConfig of extension %s: %w", Type, errs.ToAggregate()), gardencorev1beta1.ErrorConfigurationProblem)
	}
	services, err := serviceRange(cluster)
	if err != nil {
		return err
	}
	status, err := assign(config.Caches, was, services)
	if err != nil {
		return contract.Permanent(err, gardencorev1beta1.ErrorConfigurationProblem)
	}
	var all []client.Object
	for i, cache := range config.Caches {
		login, err := a.login(ctx, cluster, extension.Namespace, cache)
		if err != nil {
			return err
		}
		all = append(all, objects(cache, a.Image, status.Caches[i], login, a.replicas(cache))...)
	}
	data, err := documents(all)
	if err != nil {
		return err
	}
	status.TypeMeta = metav1.TypeMeta{APIVersion: APIVersion, Kind: KindStatus}
	raw, err := json.Marshal(status)
	if err != nil {
		return fmt.Errorf("encode status: %w", err)
	}
	// The state is stored even if a later step fails, so that used addresses are never assigned to another cache.
	extension.Status.ProviderStatus, extension.Status.State = &runtime.RawExtension{Raw: raw}, &runtime.RawExtension{Raw: raw}
	return a.resource(extension).Apply(ctx, data)
}

func (a *Actuator) replicas(cache Cache) int32 {
	switch {
	case a.Machines != api.Containers:
		return 0
	case cache.HighAvailability != nil && cache.HighAvailability.Enabled:
		return 2
	}
	return 1
}

// login reads username and password of a registry from the copy of the Secret that the Shoot refers to.
func (a *Actuator) login(ctx context.Context, cluster *contract.Cluster, namespace string, cache Cache) (map[string][]byte, error) {
	if cache.SecretReferenceName == nil {
		return nil, nil
	}
	secret := &corev1.Secret{}
	key := client.ObjectKey{Namespace: namespace, Name: constants.ReferencedResourcesPrefix + referenced(cluster.Shoot.Spec.Resources, *cache.SecretReferenceName)}
	if err := a.Reader.Get(ctx, key, secret); err != nil {
		return nil, fmt.Errorf("read credentials of %s: %w", cache.Upstream, err)
	}
	login := map[string][]byte{}
	for _, name := range []string{proxy.FileUsername, proxy.FilePassword} {
		if len(secret.Data[name]) == 0 {
			err := fmt.Errorf("secret %s of registry %s has no %s", *cache.SecretReferenceName, cache.Upstream, name)
			return nil, contract.Permanent(err, gardencorev1beta1.ErrorConfigurationProblem)
		}
		login[name] = secret.Data[name]
	}
	return login, nil
}

// Restore implements contract.Actuator. The state keeps the addresses of caches.
func (a *Actuator) Restore(ctx context.Context, cluster *contract.Cluster, extension *extensionsv1alpha1.Extension) error {
	return a.Reconcile(ctx, cluster, extension)
}

// Delete implements contract.Actuator.
func (a *Actuator) Delete(ctx context.Context, _ *contract.Cluster, extension *extensionsv1alpha1.Extension) error {
	return a.resource(extension).Delete(ctx)
}

// ForceDelete implements contract.Actuator.
func (a *Actuator) ForceDelete(ctx context.Context, _ *contract.Cluster, extension *extensionsv1alpha1.Extension) error {
	return a.resource(extension).ForceDelete(ctx)
}

// Migrate implements contract.Actuator. Caches stay in the Shoot.
func (a *Actuator) Migrate(ctx context.Context, _ *contract.Cluster, extension *extensionsv1alpha1.Extension) error {
	return a.resource(extension).Migrate(ctx)
}

func (a *Actuator) resource(extension *extensionsv1alpha1.Extension) managed.Resource {
	return managed.Resource{Client: a.Client, Namespace: extension.Namespace, Name: managedResourceName}
}

// stateOf returns the stored state, or else what was reported. What cannot be read is assigned anew.
func stateOf(extension *extensionsv1alpha1.Extension) Status {
	for _, document := range []*runtime.RawExtension{extension.Status.State, extension.Status.ProviderStatus} {
		status := Status{}
		if document != nil && json.Unmarshal(document.Raw, &status) == nil && status.Kind == KindStatus {
			return status
		}
	}
	return Status{}
}
