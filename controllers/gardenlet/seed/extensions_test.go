package seed

import (
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

func TestExtensions(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := errors.Join(gardencorev1beta1.AddToScheme(scheme), extensionsv1alpha1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	ofShoot := named("monitoring") // somebody else's, in the same namespace
	ofShoot.Spec.Type = "monitoring"
	cluster := fake.NewClientBuilder().WithScheme(scheme).WithObjects(ofShoot).WithStatusSubresource(&extensionsv1alpha1.Extension{}).Build()
	now := time.Unix(5000, 0)
	r := &Reconciler{SeedClient: cluster, Clock: clocktesting.NewFakePassiveClock(now)}
	seed := &gardencorev1beta1.Seed{Spec: gardencorev1beta1.SeedSpec{Extensions: []gardencorev1beta1.Extension{
		{Type: "one", ProviderConfig: &runtime.RawExtension{Raw: []byte(`{"a":"b"}`)}}, {Type: "off", Disabled: ptr.To(true)},
	}}}
	exists := func(name string) bool {
		err := cluster.Get(t.Context(), client.ObjectKey{Namespace: "garden", Name: name}, &extensionsv1alpha1.Extension{})
		if client.IgnoreNotFound(err) != nil {
			t.Fatal(err)
		}
		return err == nil
	}

	t.Run("a seed gets the extensions that it names, and waits for them", func(t *testing.T) {
		e := r.extensionsOf(seed)
		if err := e.deploy(t.Context()); err != nil {
			t.Fatal(err)
		}
		object := named("one")
		if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
			t.Fatal(err)
		}
		if spec := object.Spec; spec.Type != "one" || spec.GetExtensionClass() != "seed" || string(spec.ProviderConfig.Raw) != `{"a":"b"}` {
			t.Errorf("extension %+v", spec)
		}
		if exists("off") {
			t.Error("an extension that is disabled was made")
		}
		if err := e.await(t.Context()); err == nil {
			t.Error("the seed does not wait")
		}
		object.Annotations["gardener.cloud/operation"] = "" // as the extension does
		delete(object.Annotations, "gardener.cloud/operation")
		if err := cluster.Update(t.Context(), object); err != nil {
			t.Fatal(err)
		}
		object.Status.ObservedGeneration = object.Generation
		object.Status.LastOperation = &gardencorev1beta1.LastOperation{State: gardencorev1beta1.LastOperationStateSucceeded, LastUpdateTime: metav1.NewTime(now.Add(time.Second))}
		if err := cluster.Status().Update(t.Context(), object); err != nil {
			t.Fatal(err)
		}
		if err := e.await(t.Context()); err != nil {
			t.Errorf("the seed still waits: %v", err)
		}
	})
	t.Run("extensions that it does not name any more go, and those of others stay", func(t *testing.T) {
		seed.Spec.Extensions = nil
		e := r.extensionsOf(seed)
		if err := errors.Join(e.deploy(t.Context()), e.await(t.Context())); err != nil {
			t.Fatal(err)
		}
		if exists("one") || !exists("monitoring") {
			t.Errorf("one exists: %t, monitoring exists: %t", exists("one"), exists("monitoring"))
		}
	})
	t.Run("a seed that is deleted waits until its extensions have gone", func(t *testing.T) {
		stuck := named("stuck")
		stuck.Finalizers = []string{"example.org/extension"}
		stuck.Spec.Type, stuck.Spec.Class = "stuck", ptr.To(extensionsv1alpha1.ExtensionClassSeed)
		if err := cluster.Create(t.Context(), stuck); err != nil {
			t.Fatal(err)
		}
		seed.DeletionTimestamp, seed.Spec.Extensions = &metav1.Time{Time: now}, []gardencorev1beta1.Extension{{Type: "stuck"}}
		if err := r.extensionsOf(seed).await(t.Context()); err == nil {
			t.Error("it does not wait")
		}
		if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(stuck), stuck); err != nil || stuck.DeletionTimestamp == nil || stuck.Annotations["confirmation.gardener.cloud/deletion"] != "true" {
			t.Fatalf("it is not being deleted: %v", err)
		}
		if err := cluster.Patch(t.Context(), stuck, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`))); err != nil {
			t.Fatal(err)
		}
		if err := r.extensionsOf(seed).await(t.Context()); err != nil {
			t.Errorf("it still waits: %v", err)
		}
	})
}
