package integration

import (
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// TestWithoutController is the last test of the package: it stops the component for good.
func TestWithoutController(t *testing.T) {
	ctx := t.Context()
	gardenlet, err := newClient(gardenletOf("a"))
	if err != nil {
		t.Fatal(err)
	}
	own := client.ObjectKey{Namespace: "garden-a", Name: "cloud"}
	if err := gardenlet.Get(ctx, own, secret("", "", nil)); err != nil {
		t.Fatalf("the gardenlet is refused before: %v", err)
	}
	if err := admin.Create(ctx, secret("garden-a", "unasked", nil), client.DryRunAll); err != nil {
		t.Fatalf("a Secret is refused before: %v", err)
	}
	stop()
	t.Run("GAC-1 nothing that would be checked is written while nobody can be asked", func(t *testing.T) {
		if err := admin.Create(ctx, secret("garden-a", "unasked", nil), client.DryRunAll); !refusedWith(err, "failed calling webhook") {
			t.Errorf("a Secret: %v", err)
		}
		shoot := &core.Shoot{}
		if err := admin.Get(ctx, client.ObjectKey{Namespace: "garden-a", Name: "shoot"}, shoot); err != nil {
			t.Fatal(err)
		}
		before := shoot.DeepCopy()
		shoot.Annotations = map[string]string{"a": "b"}
		if err := admin.Patch(ctx, shoot, client.MergeFrom(before), client.DryRunAll); !refusedWith(err, "failed calling webhook") {
			t.Errorf("a Shoot: %v", err)
		}
		if err := admin.Delete(ctx, &corev1.Namespace{ObjectMeta: meta("", "seed-a")}, client.DryRunAll); !refusedWith(err, "failed calling webhook") {
			t.Errorf("the deletion of a namespace: %v", err)
		}
	})
	t.Run("GAC-5 components of Kubernetes write their Leases while nobody can be asked", func(t *testing.T) {
		lease := &coordinationv1.Lease{ObjectMeta: meta("kube-system", "kube-controller-manager")}
		for _, user := range [][]string{{"system:kube-controller-manager", "system:masters"}, {"system:serviceaccount:kube-system:any", "system:serviceaccounts:kube-system", "system:masters"}} {
			config, err := garden.ConfigFor(user[0], user[1:]...)
			if err != nil {
				t.Fatal(err)
			}
			component, err := newClient(config)
			if err != nil {
				t.Fatal(err)
			}
			if err := component.Create(ctx, lease.DeepCopy(), client.DryRunAll); err != nil {
				t.Errorf("%s: %v", user[0], err)
			}
		}
		if err := admin.Create(ctx, lease.DeepCopy(), client.DryRunAll); !refusedWith(err, "failed calling webhook") {
			t.Errorf("somebody else: %v", err)
		}
	})
	t.Run("GAC-8 gardenlets may nothing while nobody can be asked", func(t *testing.T) {
		if err := gardenlet.Get(ctx, own, secret("", "", nil)); !refusedWith(err, "/webhooks/auth/seed") {
			t.Errorf("error: %v", err)
		}
	})
}
