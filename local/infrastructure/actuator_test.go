package infrastructure

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/providers/contract"
)

func networkIDOf(t *testing.T, shoot types.UID, infra *extensionsv1alpha1.Infrastructure) string {
	t.Helper()
	cluster := &contract.Cluster{Shoot: &gardencorev1beta1.Shoot{}}
	cluster.Shoot.UID = shoot
	if err := apply(cluster, infra); err != nil {
		t.Fatal(err)
	}
	status := api.InfrastructureStatus{}
	if err := api.Decode(infra.Status.ProviderStatus, &status); err != nil || status.NetworkID == "" {
		t.Fatalf("status %+v, %v", status, err)
	}
	return status.NetworkID
}

func TestNetworkID(t *testing.T) {
	first := &extensionsv1alpha1.Infrastructure{}
	id := networkIDOf(t, "one", first)
	if again := networkIDOf(t, "one", first); again != id {
		t.Errorf("GLT-27 the next reconciliation changes the network from %s to %s", id, again)
	}
	if stale := networkIDOf(t, "one", &extensionsv1alpha1.Infrastructure{}); stale != id {
		t.Errorf("GLT-27 a reconciliation that does not see the status yet chooses %s after %s", stale, id)
	}
	if other := networkIDOf(t, "two", &extensionsv1alpha1.Infrastructure{}); other == id {
		t.Error("two shoots have one network")
	}
}

func TestRangesOfNodes(t *testing.T) {
	seed := &gardencorev1beta1.Seed{}
	seed.Spec.Networks.Nodes = ptr.To("172.18.0.0/16")
	for name, tc := range map[string]struct {
		beside bool
		want   *extensionsv1alpha1.InfrastructureStatusNetworking
	}{
		"NET-3 containers beside the seed have addresses of its range": {beside: true, want: &extensionsv1alpha1.InfrastructureStatusNetworking{Nodes: []string{"172.18.0.0/16"}}},
		"nodes that are pods have not":                                 {},
	} {
		t.Run(name, func(t *testing.T) {
			infra := &extensionsv1alpha1.Infrastructure{}
			if err := New(tc.beside).Reconcile(t.Context(), &contract.Cluster{Seed: seed, Shoot: &gardencorev1beta1.Shoot{}}, infra); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, infra.Status.Networking); diff != "" {
				t.Errorf("networking (-want +got):\n%s", diff)
			}
		})
	}
}
