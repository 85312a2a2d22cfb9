package gardenlet

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	operationsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operations/v1alpha1"
	seedmanagementv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
)

// GardenCache selects the objects of the garden that a gardenlet caches: objects of its seed, and kinds that are the same for all
// seeds. It must not select other kinds, since no gardenlet may list them.
func GardenCache(seed string) cache.Options {
	labelled := cache.ByObject{Label: labels.SelectorFromSet(labels.Set{constants.LabelPrefixSeedName + seed: "true"})}
	field := func(name string) cache.ByObject {
		return cache.ByObject{Field: fields.OneTermEqualSelector(name, seed)}
	}
	return cache.Options{
		DefaultTransform: cache.TransformStripManagedFields(), ReaderFailOnMissingInformer: true,
		ByObject: map[client.Object]cache.ByObject{
			&gardencorev1beta1.Seed{}:                   field("metadata.name"),
			&gardencorev1beta1.Shoot{}:                  labelled, // also while it moves to another seed
			&gardencorev1beta1.BackupEntry{}:            labelled,
			&gardencorev1beta1.ControllerInstallation{}: field("spec.seedRef.name"),
			&seedmanagementv1alpha1.ManagedSeed{}:       {Namespaces: map[string]cache.Config{constants.GardenNamespace: {}}},
			&operationsv1alpha1.Bastion{}:               field("spec.seedName"),
		},
	}
}

// GardenUncached are kinds that a gardenlet reads one by one.
func GardenUncached() []client.Object {
	return []client.Object{
		&corev1.Secret{}, &corev1.ConfigMap{}, &corev1.Namespace{}, &corev1.ServiceAccount{},
		&gardencorev1beta1.CloudProfile{}, &gardencorev1beta1.NamespacedCloudProfile{}, &gardencorev1beta1.ExposureClass{},
		&gardencorev1beta1.Project{}, &gardencorev1beta1.SecretBinding{}, &gardencorev1beta1.InternalSecret{}, &gardencorev1beta1.ShootState{},
	}
}
