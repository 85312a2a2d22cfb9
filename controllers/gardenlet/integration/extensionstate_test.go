package integration

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// TestExtensionState is about a shoot for which no flow runs: only the controller that watches its extension objects can save their states.
func TestExtensionState(t *testing.T) {
	const technical = "shoot--watched--e"
	eventually(t, "bootstrapped", conditionIs("Bootstrapped", "True"))
	shoot := shootOnSeed(t, "e")
	defer removeShoot(t, shoot)
	state := create(t, &gardencorev1beta1.ShootState{ObjectMeta: metav1.ObjectMeta{Namespace: shoot.Namespace, Name: shoot.Name}})
	raw := func(text string) runtime.RawExtension { return runtime.RawExtension{Raw: []byte(text)} }
	about := create(t, &extensionsv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: technical}, Spec: extensionsv1alpha1.ClusterSpec{
		Shoot: raw(fmt.Sprintf(`{"metadata":{"namespace":%q,"name":%q}}`, shoot.Namespace, shoot.Name)), Seed: raw(`{}`), CloudProfile: raw(`{}`),
	}})
	create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: technical}})
	meta, spec := metav1.ObjectMeta{Namespace: technical, Name: "e"}, extensionsv1alpha1.DefaultSpec{Type: "local"}
	secret := corev1.SecretReference{Namespace: technical, Name: "cloudprovider"}
	network := create(t, &extensionsv1alpha1.Infrastructure{ObjectMeta: meta, Spec: extensionsv1alpha1.InfrastructureSpec{DefaultSpec: spec, Region: "local", SecretRef: secret}})
	plane := create(t, &extensionsv1alpha1.ControlPlane{ObjectMeta: meta, Spec: extensionsv1alpha1.ControlPlaneSpec{DefaultSpec: spec, Region: "local", SecretRef: secret}})
	saved := func(want map[string]string) func(context.Context) error {
		return func(ctx context.Context) error {
			if _, err := get(ctx, state); err != nil {
				return err
			}
			got := map[string]string{}
			for _, one := range state.Spec.Extensions {
				compact, err := json.Marshal(one.State)
				if err != nil {
					return err
				}
				got[one.Kind] = string(compact)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				return fmt.Errorf("states (-want +got):\n%s", diff)
			}
			return nil
		}
	}

	t.Run("EXT-18 MIG-10 the state of an extension object is saved in the garden", func(t *testing.T) {
		merge(t, network, `{"status":{"state":{"id":1}}}`, "status")
		eventually(t, "state", saved(map[string]string{"Infrastructure": `{"id":1}`}))
	})
	t.Run("EXT-18 MIG-10 so are changes of it, and states of other kinds", func(t *testing.T) {
		merge(t, network, `{"status":{"state":{"id":2}}}`, "status")
		merge(t, plane, `{"status":{"state":{"plane":true}}}`, "status")
		eventually(t, "states", saved(map[string]string{"Infrastructure": `{"id":2}`, "ControlPlane": `{"plane":true}`}))
	})
	t.Run("MIG-10 nothing is written while no state changes", func(t *testing.T) {
		version := state.ResourceVersion
		merge(t, network, `{"metadata":{"annotations":{"other":"change"}}}`)
		merge(t, network, `{"status":{"providerStatus":{"other":"change"}}}`, "status")
		testwait.Stays(t, time.Second, "the controller, which reacts to changes at once", func() error {
			if _, err := get(t.Context(), state); err != nil || state.ResourceVersion != version {
				return fmt.Errorf("version %s, was %s, %v", state.ResourceVersion, version, err)
			}
			return nil
		})
	})
	t.Run("EXT-18 the state of an object that is gone goes", func(t *testing.T) {
		if err := cluster.Delete(t.Context(), plane); err != nil {
			t.Fatal(err)
		}
		eventually(t, "state", saved(map[string]string{"Infrastructure": `{"id":2}`}))
	})
	for _, object := range []interface {
		metav1.Object
		runtime.Object
	}{network, about} {
		if err := cluster.Delete(t.Context(), object); err != nil {
			t.Error(err)
		}
	}
}
