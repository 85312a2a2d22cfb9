package extensions

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

func TestNetwork(t *testing.T) {
	const config = `{"apiVersion":"calico.networking.extensions.gardener.cloud/v1alpha1","backend":"bird","ipam":{"cidr":"usePodCIDR","type":"host-local"},"kind":"NetworkConfig","new":[1,{"a":null}]}`
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		networking *gardencorev1beta1.Networking
		want       extensionsv1alpha1.NetworkSpec
	}{
		"NWX-1 NWX-2 type, ranges and configuration are those of the shoot": {
			networking: &gardencorev1beta1.Networking{
				Type: ptr.To("calico"), Pods: ptr.To("10.1.0.0/16"), Services: ptr.To("10.2.0.0/16"), ProviderConfig: &runtime.RawExtension{Raw: []byte(config)},
				IPFamilies: []gardencorev1beta1.IPFamily{"IPv4"},
			},
			want: extensionsv1alpha1.NetworkSpec{
				DefaultSpec: extensionsv1alpha1.DefaultSpec{Type: "calico", ProviderConfig: &runtime.RawExtension{Raw: []byte(config)}},
				PodCIDR:     "10.1.0.0/16", ServiceCIDR: "10.2.0.0/16", IPFamilies: []extensionsv1alpha1.IPFamily{"IPv4"},
			},
		},
		"NWX-1 NWX-2 another type, the usual ranges, no configuration": {
			networking: &gardencorev1beta1.Networking{Type: ptr.To("cilium")},
			want:       extensionsv1alpha1.NetworkSpec{DefaultSpec: extensionsv1alpha1.DefaultSpec{Type: "cilium"}, PodCIDR: "100.96.0.0/11", ServiceCIDR: "100.64.0.0/13"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := fake.NewClientBuilder().WithScheme(scheme).Build()
			op := &operation.Operation{Shoot: &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Name: "sun"}, Spec: gardencorev1beta1.ShootSpec{Networking: tc.networking}}, Seed: &gardencorev1beta1.Seed{}}
			n := Network{Shoot: op.Shoot, Networks: op.Networks(), Space: seed.New("shoot--sky--sun", "image", c, nil, clock.RealClock{})}
			if _, err := n.Deploy(t.Context()); err != nil {
				t.Fatal(err)
			}
			got := &extensionsv1alpha1.Network{}
			if err := c.Get(t.Context(), client.ObjectKey{Namespace: "shoot--sky--sun", Name: "sun"}, got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got.Spec); diff != "" {
				t.Errorf("spec (-want +got):\n%s", diff)
			}
			if got.Annotations["gardener.cloud/operation"] != "reconcile" || got.Labels["provider.extensions.gardener.cloud/mutated-by-controlplane-webhook"] != "true" {
				t.Errorf("annotations are %v, labels %v", got.Annotations, got.Labels)
			}
		})
	}
}
