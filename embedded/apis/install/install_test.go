package install

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	securityv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
)

func TestSchemes(t *testing.T) {
	for name, tc := range map[string]struct {
		add   func(*runtime.Scheme) error
		kinds []schema.GroupVersionKind
	}{
		"a client of the garden knows deployments and the Gardener API": {add: AddGarden, kinds: []schema.GroupVersionKind{
			appsv1.SchemeGroupVersion.WithKind("Deployment"),
			gardencorev1beta1.SchemeGroupVersion.WithKind("Shoot"),
			securityv1alpha1.SchemeGroupVersion.WithKind("CredentialsBindingList"),
			{Group: "apiregistration.k8s.io", Version: "v1", Kind: "APIService"},
		}},
		"a client of a seed knows deployments and extension kinds": {add: AddSeed, kinds: []schema.GroupVersionKind{
			appsv1.SchemeGroupVersion.WithKind("Deployment"),
			extensionsv1alpha1.SchemeGroupVersion.WithKind("Infrastructure"),
			{Group: "resources.gardener.cloud", Version: "v1alpha1", Kind: "ManagedResource"},
			{Group: "druid.gardener.cloud", Version: "v1alpha1", Kind: "Etcd"},
			{Group: "machine.sapcloud.io", Version: "v1alpha1", Kind: "Machine"},
			{Group: "operator.gardener.cloud", Version: "v1alpha1", Kind: "Garden"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			scheme := runtime.NewScheme()
			if err := tc.add(scheme); err != nil {
				t.Fatal(err)
			}
			for _, kind := range tc.kinds {
				if !scheme.Recognizes(kind) {
					t.Errorf("%s is unknown", kind)
				}
			}
		})
	}
}
