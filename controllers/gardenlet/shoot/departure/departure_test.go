package departure

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// on is the shoot sun, which is to be on one seed, and which another one may have. earth is the seed that looks at it.
func on(wanted, held string, operation gardencorev1beta1.LastOperationType, state gardencorev1beta1.LastOperationState) *gardencorev1beta1.Shoot {
	s := &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-sky", Name: "sun", UID: "1"}, Spec: gardencorev1beta1.ShootSpec{SeedName: &wanted}}
	if held != "" {
		s.Status.SeedName = ptr.To(held)
	}
	s.Status.TechnicalID = "shoot--sky--sun"
	s.Status.LastOperation = &gardencorev1beta1.LastOperation{Type: operation, State: state}
	return s
}

func TestStageOf(t *testing.T) {
	for name, tc := range map[string]struct {
		shoot *gardencorev1beta1.Shoot
		want  Stage
	}{
		"MIG-15 a shoot of this seed stays":                    {on("earth", "earth", "Reconcile", "Succeeded"), Here},
		"MIG-15 a shoot that is to leave stays":                {on("mars", "earth", "Reconcile", "Succeeded"), Here},
		"MIG-15 a shoot that leaves with help stays":           {on("mars", "earth", "Migrate", "Processing"), Here},
		"MIG-15 a shoot that is to come back stays":            {on("earth", "mars", "Migrate", "Processing"), Here},
		"MIG-15 a shoot that has come back stays":              {on("earth", "", "Migrate", "Succeeded"), Here},
		"MIG-20 a shoot that was taken is stopped":             {on("mars", "", "Migrate", "Aborted"), Taken},
		"MIG-20 a shoot that is being restored is stopped":     {on("mars", "mars", "Restore", "Processing"), Taken},
		"MIG-20 so is one whose restoration has failed":        {on("mars", "mars", "Restore", "Failed"), Taken},
		"MIG-15 a shoot that was restored goes":                {on("mars", "mars", "Restore", "Succeeded"), Restored},
		"MIG-15 a shoot that was reconciled there goes":        {on("mars", "mars", "Reconcile", "Error"), Restored},
		"MIG-20 a shoot that moves on from there is stopped":   {on("venus", "mars", "Reconcile", "Succeeded"), Taken},
		"MIG-15 a shoot that is being deleted there goes, too": {on("mars", "mars", "Delete", "Processing"), Restored},
	} {
		t.Run(name, func(t *testing.T) {
			if got := StageOf(tc.shoot, "earth"); got != tc.want {
				t.Errorf("stage %d, want %d", got, tc.want)
			}
		})
	}
}

const id = "shoot--sky--sun"

func newScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		t.Fatal(err)
	}
	if err := install.AddSeed(scheme); err != nil {
		t.Fatal(err)
	}
	return scheme
}

// written is what the seed wrote while it had the shoot.
func written(t *testing.T) (*extensionsv1alpha1.Cluster, *corev1.Namespace) {
	t.Helper()
	raw, err := json.Marshal(on("earth", "earth", "Reconcile", "Succeeded"))
	if err != nil {
		t.Fatal(err)
	}
	meta := metav1.ObjectMeta{Name: id}
	return &extensionsv1alpha1.Cluster{ObjectMeta: meta, Spec: extensionsv1alpha1.ClusterSpec{Shoot: runtime.RawExtension{Raw: raw}}}, &corev1.Namespace{ObjectMeta: meta}
}

func TestReconcile(t *testing.T) {
	another, renamed := on("mars", "mars", "Reconcile", "Succeeded"), on("mars", "mars", "Reconcile", "Succeeded")
	another.UID, renamed.Status.TechnicalID = "2", "shoot--sky--other"
	for name, tc := range map[string]struct {
		shoot   *gardencorev1beta1.Shoot // nil if there is none
		stopped bool                     // machine-controller-manager and cloud-controller-manager
		gone    bool                     // namespace and Cluster
	}{
		"MIG-15 a shoot of this seed is left alone":                           {shoot: on("earth", "earth", "Reconcile", "Succeeded")},
		"MIG-15 a shoot that the garden does not know stays":                  {},
		"MIG-15 what is left of an older shoot stays":                         {shoot: another},
		"MIG-15 what is left of a shoot with another ID stays":                {shoot: renamed},
		"MIG-20 machines and volumes of a shoot that was taken are let alone": {shoot: on("mars", "", "Migrate", "Aborted"), stopped: true},
		"MIG-15 MIG-20 all of a shoot that was restored goes":                 {shoot: on("mars", "mars", "Restore", "Succeeded"), stopped: true, gone: true},
	} {
		t.Run(name, func(t *testing.T) {
			scheme := newScheme(t)
			manager := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: id, Name: "machine-controller-manager"}}
			cloud := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: id, Name: "cloud-controller-manager"}}
			maker := &resourcesv1alpha1.ManagedResource{
				ObjectMeta: metav1.ObjectMeta{Namespace: id, Name: "extension-controlplane-seed"}, Spec: resourcesv1alpha1.ManagedResourceSpec{Class: ptr.To("seed")},
				Status: resourcesv1alpha1.ManagedResourceStatus{Resources: []resourcesv1alpha1.ObjectReference{{Kind: "Deployment", Namespace: id, Name: cloud.Name}}},
			}
			other := &resourcesv1alpha1.ManagedResource{
				ObjectMeta: metav1.ObjectMeta{Namespace: id, Name: "extension-other-seed"}, Spec: resourcesv1alpha1.ManagedResourceSpec{Class: ptr.To("seed")},
			}
			cluster, namespace := written(t)
			credentials := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "entry-" + id + "--1"}}
			seed := fake.NewClientBuilder().WithScheme(scheme).WithObjects(cluster, manager, cloud, maker, other, namespace, credentials).Build()
			garden := fake.NewClientBuilder().WithScheme(scheme)
			if tc.shoot != nil {
				garden = garden.WithObjects(tc.shoot.DeepCopy())
			}
			r := &Reconciler{GardenReader: garden.Build(), Seed: seed, Clock: clocktesting.NewFakePassiveClock(time.Unix(0, 0)), SeedName: "earth"}
			result, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(cluster)})
			if again := tc.stopped && !tc.gone; err != nil || (result.RequeueAfter > 0) != again {
				t.Errorf("looks again after %s, %v", result.RequeueAfter, err)
			}
			exists := func(object client.Object) bool {
				return seed.Get(t.Context(), client.ObjectKeyFromObject(object), object.DeepCopyObject().(client.Object)) == nil
			}
			for _, object := range []client.Object{manager, cloud, maker} {
				if exists(object) == tc.stopped {
					t.Errorf("%s is there: %t", object.GetName(), !tc.stopped)
				}
			}
			for _, object := range []client.Object{namespace, cluster, credentials, other} {
				if exists(object) == tc.gone {
					t.Errorf("%T is there: %t", object, !tc.gone)
				}
			}
		})
	}
}

// TestExtensionsLearnOfTheDeparture looks at what extensions see when their objects go.
func TestExtensionsLearnOfTheDeparture(t *testing.T) {
	cluster, namespace := written(t)
	resource := &resourcesv1alpha1.ManagedResource{ObjectMeta: metav1.ObjectMeta{Namespace: id, Name: "extension"}}
	told := false
	scheme := newScheme(t)
	seed := interceptor.NewClient(fake.NewClientBuilder().WithScheme(scheme).WithObjects(cluster, namespace, resource).Build(), interceptor.Funcs{
		Delete: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.DeleteOption) error {
			if object.GetName() == resource.Name {
				now, err := contract.GetCluster(ctx, c, id)
				if err != nil {
					return err
				}
				told = now.Leaves()
			}
			return c.Delete(ctx, object, options...)
		},
	})
	garden := fake.NewClientBuilder().WithScheme(scheme).WithObjects(on("mars", "mars", "Restore", "Succeeded")).Build()
	r := &Reconciler{GardenReader: garden, Seed: seed, Clock: clocktesting.NewFakePassiveClock(time.Unix(0, 0)), SeedName: "earth"}
	if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(cluster)}); err != nil {
		t.Fatal(err)
	}
	if !told {
		t.Error("MIG-15 the ManagedResource goes before the Cluster says that the shoot leaves")
	}
	if err := seed.Get(t.Context(), client.ObjectKeyFromObject(cluster), cluster); !apierrors.IsNotFound(err) {
		t.Errorf("MIG-15 the Cluster stays: %v", err)
	}
}

func TestShootThatComesBackMeanwhile(t *testing.T) {
	scheme, shoot := newScheme(t), on("mars", "mars", "Restore", "Succeeded")
	cluster, namespace := written(t)
	seed := interceptor.NewClient(fake.NewClientBuilder().WithScheme(scheme).WithObjects(cluster, namespace).Build(), interceptor.Funcs{
		Delete: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.DeleteOption) error {
			if _, last := object.(*corev1.Namespace); last {
				anew := &extensionsv1alpha1.Cluster{}
				if err := c.Get(ctx, client.ObjectKeyFromObject(cluster), anew); err != nil {
					return err
				}
				anew.Annotations = map[string]string{"anew": "yes"}
				if err := c.Update(ctx, anew); err != nil {
					return err
				}
			}
			return c.Delete(ctx, object, options...)
		},
	})
	garden := fake.NewClientBuilder().WithScheme(scheme).WithObjects(shoot).Build()
	r := &Reconciler{GardenReader: garden, Seed: seed, Clock: clocktesting.NewFakePassiveClock(time.Unix(0, 0)), SeedName: "earth"}
	_, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(cluster)})
	if !apierrors.IsConflict(err) {
		t.Errorf("MIG-15 the departure ends with %v", err)
	}
	if err := seed.Get(t.Context(), client.ObjectKeyFromObject(cluster), cluster); err != nil || cluster.Annotations["anew"] != "yes" {
		t.Errorf("MIG-15 the Cluster that was written anew is %v, %v", cluster.Annotations, err)
	}
}
