package extensionstate

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/extension"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

const namespace = "shoot--sky--sun"

var key = client.ObjectKey{Namespace: "garden-sky", Name: "sun"}

func raw(text string) *runtime.RawExtension { return &runtime.RawExtension{Raw: []byte(text)} }

func infrastructure(state string) *extensionsv1alpha1.Infrastructure {
	object := &extensionsv1alpha1.Infrastructure{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "sun"}}
	if state != "" {
		object.Status.State = raw(state)
	}
	return object
}

func saved(kind, state string) gardencorev1beta1.ExtensionResourceState {
	return gardencorev1beta1.ExtensionResourceState{Kind: kind, Name: ptr.To("sun"), State: raw(state)}
}

// landscape is a seed with an Infrastructure and a Network, and a garden with their Shoot.
func landscape(t *testing.T, state string, change func(*gardencorev1beta1.Shoot), before ...gardencorev1beta1.ExtensionResourceState) (*Reconciler, client.Client) {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		t.Fatal(err)
	}
	if err := install.AddGarden(scheme); err != nil {
		t.Fatal(err)
	}
	shoot := &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}
	shoot.Spec.SeedName, shoot.Status.SeedName = ptr.To("earth"), ptr.To("earth")
	change(shoot)
	garden := fake.NewClientBuilder().WithScheme(scheme).WithObjects(shoot, &gardencorev1beta1.ShootState{
		ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}, Spec: gardencorev1beta1.ShootStateSpec{
			Gardener: []gardencorev1beta1.GardenerResourceData{{Name: "ca", Type: "secret", Data: *raw(`{"a":"b"}`)}}, Extensions: before,
		},
	}).Build()
	seed := fake.NewClientBuilder().WithScheme(scheme).WithObjects(
		&extensionsv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: namespace}, Spec: extensionsv1alpha1.ClusterSpec{
			Shoot: *raw(fmt.Sprintf(`{"metadata":{"namespace":%q,"name":%q}}`, key.Namespace, key.Name)),
		}},
		infrastructure(state), &extensionsv1alpha1.Network{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "sun"}},
	).Build()
	return &Reconciler{Garden: garden, GardenReader: garden, Objects: extension.Objects{Client: seed}, SeedName: "earth"}, garden
}

func TestReconcile(t *testing.T) {
	stays := func(*gardencorev1beta1.Shoot) {}
	for name, tc := range map[string]struct {
		state  string
		change func(*gardencorev1beta1.Shoot)
		before []gardencorev1beta1.ExtensionResourceState
		want   []gardencorev1beta1.ExtensionResourceState
	}{
		"EXT-18 MIG-10 a new state is saved once":   {state: `{"id":1}`, change: stays, want: []gardencorev1beta1.ExtensionResourceState{saved("Infrastructure", `{"id":1}`)}},
		"EXT-18 a changed state is saved":           {state: `{"id":2}`, change: stays, before: []gardencorev1beta1.ExtensionResourceState{saved("Infrastructure", `{"id":1}`)}, want: []gardencorev1beta1.ExtensionResourceState{saved("Infrastructure", `{"id":2}`)}},
		"MIG-7 objects without a state have none":   {change: stays},
		"the state of an object that is gone goes":  {state: `{"id":1}`, change: stays, before: []gardencorev1beta1.ExtensionResourceState{saved("Worker", `{}`)}, want: []gardencorev1beta1.ExtensionResourceState{saved("Infrastructure", `{"id":1}`)}},
		"MIG-6 it stays while the shoot moves away": {change: func(s *gardencorev1beta1.Shoot) { s.Spec.SeedName = ptr.To("mars") }, before: []gardencorev1beta1.ExtensionResourceState{saved("Worker", `{}`)}, want: []gardencorev1beta1.ExtensionResourceState{saved("Worker", `{}`)}},
		"MIG-6 it stays between two seeds": {
			change: func(s *gardencorev1beta1.Shoot) {
				s.Status.SeedName, s.Status.LastOperation = nil, &gardencorev1beta1.LastOperation{Type: "Migrate", State: "Succeeded"}
			},
			before: []gardencorev1beta1.ExtensionResourceState{saved("Worker", `{}`)}, want: []gardencorev1beta1.ExtensionResourceState{saved("Worker", `{}`)},
		},
		"MIG-6 it stays until the shoot is restored": {
			change: func(s *gardencorev1beta1.Shoot) {
				s.Status.LastOperation = &gardencorev1beta1.LastOperation{Type: "Restore", State: "Processing"}
			},
			before: []gardencorev1beta1.ExtensionResourceState{saved("Worker", `{}`)}, want: []gardencorev1beta1.ExtensionResourceState{saved("Worker", `{}`)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, garden := landscape(t, tc.state, tc.change, tc.before...)
			versions := map[string]bool{}
			for range 2 {
				if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Name: namespace}}); err != nil {
					t.Fatal(err)
				}
				got := &gardencorev1beta1.ShootState{}
				if err := garden.Get(t.Context(), key, got); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tc.want, got.Spec.Extensions); diff != "" {
					t.Errorf("states (-want +got):\n%s", diff)
				}
				if len(got.Spec.Gardener) != 1 {
					t.Errorf("data of the gardenlet: %v", got.Spec.Gardener)
				}
				versions[got.ResourceVersion] = true
			}
			if len(versions) != 1 {
				t.Errorf("MIG-10 the second look writes: %v", versions)
			}
		})
	}
}

func TestAddKeepsStatesOfObjectsThatAreGone(t *testing.T) {
	got := Add(
		[]gardencorev1beta1.ExtensionResourceState{saved("Worker", `{"old":1}`), saved("Network", `{}`)},
		[]gardencorev1beta1.ExtensionResourceState{saved("Worker", `{"new":1}`), saved("Infrastructure", `{}`)})
	want := []gardencorev1beta1.ExtensionResourceState{saved("Worker", `{"new":1}`), saved("Network", `{}`), saved("Infrastructure", `{}`)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("MIG-6 states (-want +got):\n%s", diff)
	}
}
