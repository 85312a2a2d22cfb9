package infrastructure

import (
	"context"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/providers/contract"
)

func networkIDOf(t *testing.T, shoot types.UID, infra *extensionsv1alpha1.Infrastructure) string {
	t.Helper()
	cluster := &contract.Cluster{Shoot: &gardencorev1beta1.Shoot{}}
	cluster.Shoot.UID = shoot
	if err := apply(context.Background(), cluster, infra); err != nil {
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
