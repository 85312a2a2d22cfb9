package extension_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

func TestRestore(t *testing.T) {
	saved := &gardencorev1beta1.ExtensionResourceState{Kind: "Infrastructure", Name: ptr.To("sun"), State: &runtime.RawExtension{Raw: []byte(`{"id":7}`)}}
	read := func(object *extensionsv1alpha1.Infrastructure) *extensionsv1alpha1.Infrastructure {
		t.Helper()
		if err := seed.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
			t.Fatal(err)
		}
		return object
	}
	t.Run("MIG-4 an object gets its saved state before the request", func(t *testing.T) {
		build := infrastructure(t)
		if _, err := objects().Restore(t.Context(), build(), saved); err != nil {
			t.Fatal(err)
		}
		got := read(build())
		if got.Annotations["gardener.cloud/operation"] != "restore" || got.Status.State == nil || string(got.Status.State.Raw) != `{"id":7}` {
			t.Errorf("annotations %v, status %+v", got.Annotations, got.Status)
		}
	})
	t.Run("MIG-7 an object without a state is only asked for", func(t *testing.T) {
		build := infrastructure(t)
		if _, err := objects().Restore(t.Context(), build(), nil); err != nil {
			t.Fatal(err)
		}
		if got := read(build()); got.Annotations["gardener.cloud/operation"] != "restore" || got.Status.State != nil {
			t.Errorf("annotations %v, status %+v", got.Annotations, got.Status)
		}
	})
	t.Run("EXT-19 a repeated restoration does not put an old state over a newer one", func(t *testing.T) {
		build := infrastructure(t)
		if _, err := objects().Restore(t.Context(), build(), saved); err != nil {
			t.Fatal(err)
		}
		answer(t, build(), func(s *extensionsv1alpha1.InfrastructureStatus) {
			succeeded(s)
			s.LastOperation.Type = gardencorev1beta1.LastOperationTypeRestore
			s.State = &runtime.RawExtension{Raw: []byte(`{"id":8}`)}
		})
		if _, err := objects().Restore(t.Context(), build(), saved); err != nil {
			t.Fatal(err)
		}
		if got := read(build()); got.Annotations["gardener.cloud/operation"] != "reconcile" || string(got.Status.State.Raw) != `{"id":8}` {
			t.Errorf("annotations %v, status %+v", got.Annotations, got.Status)
		}
	})
}

func TestMigrate(t *testing.T) {
	t.Run("MIG-3 an extension is asked once to release an object", migrate)
}

func migrate(t *testing.T) {
	build := infrastructure(t)
	if err := seed.Create(t.Context(), build()); err != nil {
		t.Fatal(err)
	}
	namespace := build().Namespace
	if err := objects().MigrateAll(t.Context(), "Infrastructure", namespace, nil); err != nil {
		t.Fatal(err)
	}
	got := build()
	if err := seed.Get(t.Context(), client.ObjectKeyFromObject(got), got); err != nil || got.Annotations["gardener.cloud/operation"] != "migrate" {
		t.Fatalf("MIG-3 annotations %v, %v", got.Annotations, err)
	}
	answer(t, build(), func(s *extensionsv1alpha1.InfrastructureStatus) {
		succeeded(s)
		s.LastOperation.Type = gardencorev1beta1.LastOperationTypeMigrate
	})
	if err := objects().WaitAllMigrated(t.Context(), "Infrastructure", namespace, nil); err != nil {
		t.Errorf("wait for the release: %v", err)
	}
	if err := objects().MigrateAll(t.Context(), "Infrastructure", namespace, nil); err != nil {
		t.Fatal(err)
	}
	if err := seed.Get(t.Context(), client.ObjectKeyFromObject(got), got); err != nil || got.Annotations["gardener.cloud/operation"] != "" {
		t.Errorf("a released object is asked again: %v, %v", got.Annotations, err)
	}
}
