package extension_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/extension"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/crds"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/embedded/testenv"
	"github.com/gardener-up/gardener-up/providers/contract"
)

var seed client.WithWatch

func TestMain(m *testing.M) {
	definitions, err := crds.Extensions()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	testenv.Main(m, testenv.Options{CRDs: definitions}, func(env *testenv.Env) {
		scheme := runtime.NewScheme()
		if err = install.AddSeed(scheme); err == nil {
			seed, err = client.NewWithWatch(env.Config, client.Options{Scheme: scheme})
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			env.Stop()
			os.Exit(1)
		}
	})
}

func objects() extension.Objects {
	return extension.Objects{Client: seed, Applier: patch.Applier{Client: seed, Owner: "gardenlet"}, Clock: clock.RealClock{}}
}

// infrastructure returns an object in a namespace of its own.
func infrastructure(t *testing.T) func() *extensionsv1alpha1.Infrastructure {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "shoot-"}}
	if err := seed.Create(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	return func() *extensionsv1alpha1.Infrastructure {
		return &extensionsv1alpha1.Infrastructure{
			ObjectMeta: metav1.ObjectMeta{Name: "sun", Namespace: namespace.Name},
			Spec: extensionsv1alpha1.InfrastructureSpec{
				DefaultSpec: extensionsv1alpha1.DefaultSpec{Type: "test"}, Region: "here", SecretRef: corev1.SecretReference{Name: "cloudprovider", Namespace: namespace.Name},
			},
		}
	}
}

// answer plays the extension: it takes the annotation away and writes the status.
func answer(t *testing.T, object *extensionsv1alpha1.Infrastructure, change func(*extensionsv1alpha1.InfrastructureStatus)) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	current := object.DeepCopy()
	if err := seed.Get(ctx, client.ObjectKeyFromObject(object), current); err != nil {
		t.Error(err)
		return
	}
	before := current.DeepCopy()
	delete(current.Annotations, "gardener.cloud/operation")
	if err := seed.Patch(ctx, current, client.MergeFrom(before)); err != nil {
		t.Error(err)
		return
	}
	before = current.DeepCopy()
	current.Status.ObservedGeneration = current.Generation
	change(&current.Status)
	if err := seed.Status().Patch(ctx, current, client.MergeFrom(before)); err != nil {
		t.Error(err)
	}
}

func succeeded(s *extensionsv1alpha1.InfrastructureStatus) {
	s.LastError = nil
	s.LastOperation = &gardencorev1beta1.LastOperation{Type: "Reconcile", State: "Succeeded", Progress: 100, Description: "done", LastUpdateTime: metav1.Now()}
}

func failed(codes ...gardencorev1beta1.ErrorCode) func(*extensionsv1alpha1.InfrastructureStatus) {
	return func(s *extensionsv1alpha1.InfrastructureStatus) {
		now := metav1.Now()
		s.LastOperation = &gardencorev1beta1.LastOperation{Type: "Reconcile", State: "Error", Description: "broken", LastUpdateTime: now}
		s.LastError = &gardencorev1beta1.LastError{Description: "broken", Codes: codes, LastUpdateTime: &now}
	}
}

func TestDeployAndWait(t *testing.T) {
	t.Run("EXT-3 a request carries the operation and its time", func(t *testing.T) {
		object := infrastructure(t)()
		stamp, err := objects().Deploy(t.Context(), object, "reconcile")
		if err != nil {
			t.Fatal(err)
		}
		if err := seed.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"gardener.cloud/operation": "reconcile", "gardener.cloud/timestamp": stamp}
		if diff := cmp.Diff(want, object.Annotations); diff != "" {
			t.Errorf("annotations (-want +got):\n%s", diff)
		}
	})
	t.Run("EXT-2 the wait ends with the success and returns the status", func(t *testing.T) {
		build := infrastructure(t)
		stamp, err := objects().Deploy(t.Context(), build(), "reconcile")
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(100*time.Millisecond, func() {
			answer(t, build(), func(s *extensionsv1alpha1.InfrastructureStatus) {
				succeeded(s)
				s.ProviderStatus = &runtime.RawExtension{Raw: []byte(`{"id":"7"}`)}
			})
		})
		got := build()
		if err := objects().Wait(t.Context(), got, stamp); err != nil {
			t.Fatal(err)
		}
		if got.Status.ProviderStatus == nil || string(got.Status.ProviderStatus.Raw) != `{"id":"7"}` {
			t.Errorf("provider status is %v", got.Status.ProviderStatus)
		}
	})
	t.Run("EXT-2 the success of an earlier request does not count", func(t *testing.T) {
		build := infrastructure(t)
		if _, err := objects().Deploy(t.Context(), build(), "reconcile"); err != nil {
			t.Fatal(err)
		}
		answer(t, build(), succeeded)
		stamp, err := objects().Deploy(t.Context(), build(), "reconcile")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		if err := objects().Wait(ctx, build(), stamp); err == nil || !strings.Contains(err.Error(), "picked up") {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("EXT-2 an error that only a user can heal ends the wait at once, with its code", func(t *testing.T) {
		build := infrastructure(t)
		stamp, err := objects().Deploy(t.Context(), build(), "reconcile")
		if err != nil {
			t.Fatal(err)
		}
		answer(t, build(), failed(gardencorev1beta1.ErrorConfigurationProblem))
		began := time.Now()
		err = objects().Wait(t.Context(), build(), stamp)
		if err == nil || time.Since(began) > extension.Patience/2 {
			t.Fatalf("error %v after %s", err, time.Since(began))
		}
		if diff := cmp.Diff([]gardencorev1beta1.ErrorCode{"ERR_CONFIGURATION_PROBLEM"}, contract.Codes(err)); diff != "" {
			t.Errorf("codes (-want +got):\n%s", diff)
		}
	})
	t.Run("EXT-2 it also ends the wait for what comes before the success", func(t *testing.T) {
		build := infrastructure(t)
		stamp, err := objects().Deploy(t.Context(), build(), "reconcile")
		if err != nil {
			t.Fatal(err)
		}
		answer(t, build(), failed(gardencorev1beta1.ErrorConfigurationProblem))
		err = objects().WaitFor(t.Context(), build(), stamp, func() error { return errors.New("nothing yet") })
		if err == nil || strings.Contains(err.Error(), "nothing yet") || len(contract.Codes(err)) != 1 {
			t.Errorf("got %v with codes %v", err, contract.Codes(err))
		}
	})
	t.Run("an error that heals does not end the wait", func(t *testing.T) {
		build := infrastructure(t)
		stamp, err := objects().Deploy(t.Context(), build(), "reconcile")
		if err != nil {
			t.Fatal(err)
		}
		answer(t, build(), failed(gardencorev1beta1.ErrorInfraResourcesDepleted))
		time.AfterFunc(200*time.Millisecond, func() { answer(t, build(), succeeded) })
		if err := objects().Wait(t.Context(), build(), stamp); err != nil {
			t.Error(err)
		}
	})
}

func TestDelete(t *testing.T) {
	t.Run("EXT-4 the deletion is confirmed, and waits for the finalizer of the extension", func(t *testing.T) {
		build := infrastructure(t)
		object := build()
		object.Finalizers = []string{"extensions.gardener.cloud/infrastructure"}
		if err := seed.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
		if err := objects().Delete(t.Context(), build()); err != nil {
			t.Fatal(err)
		}
		if err := seed.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
			t.Fatal(err)
		}
		if object.DeletionTimestamp == nil || object.Annotations["confirmation.gardener.cloud/deletion"] != "true" {
			t.Errorf("metadata: %+v", object.ObjectMeta)
		}
		time.AfterFunc(100*time.Millisecond, func() {
			before := object.DeepCopy()
			object.Finalizers = nil
			if err := seed.Patch(context.WithoutCancel(t.Context()), object, client.MergeFrom(before)); err != nil {
				t.Error(err)
			}
		})
		if err := objects().WaitGone(t.Context(), build()); err != nil {
			t.Error(err)
		}
	})
	t.Run("EXT-2 an error from before the deletion does not end the wait, one of the deletion does", func(t *testing.T) {
		build := infrastructure(t)
		object := build()
		object.Finalizers = []string{"extensions.gardener.cloud/infrastructure"}
		if err := seed.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
		answer(t, build(), failed(gardencorev1beta1.ErrorInfraQuotaExceeded))
		if err := objects().Delete(t.Context(), build()); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(200*time.Millisecond, func() {
			answer(t, build(), func(s *extensionsv1alpha1.InfrastructureStatus) {
				failed(gardencorev1beta1.ErrorInfraDependencies)(s)
				s.LastOperation.Type = gardencorev1beta1.LastOperationTypeDelete
			})
		})
		err := objects().WaitGone(t.Context(), build())
		if diff := cmp.Diff([]gardencorev1beta1.ErrorCode{"ERR_INFRA_DEPENDENCIES"}, contract.Codes(err)); diff != "" {
			t.Errorf("codes of %v (-want +got):\n%s", err, diff)
		}
	})
	t.Run("what is gone is no error", func(t *testing.T) {
		build := infrastructure(t)
		if err := errors.Join(objects().Delete(t.Context(), build()), objects().WaitGone(t.Context(), build())); err != nil {
			t.Error(err)
		}
	})
	t.Run("DeleteAll spares objects to keep", func(t *testing.T) {
		build := infrastructure(t)
		kept, gone := build(), build()
		kept.Name, gone.Name = "kept", "gone"
		if err := errors.Join(seed.Create(t.Context(), kept), seed.Create(t.Context(), gone)); err != nil {
			t.Fatal(err)
		}
		keep := func(object client.Object) bool { return object.GetName() == "kept" }
		if err := objects().DeleteAll(t.Context(), "Infrastructure", kept.Namespace, keep); err != nil {
			t.Fatal(err)
		}
		if err := objects().WaitAllGone(t.Context(), "Infrastructure", kept.Namespace, keep); err != nil {
			t.Fatal(err)
		}
		list := &extensionsv1alpha1.InfrastructureList{}
		if err := seed.List(t.Context(), list, client.InNamespace(kept.Namespace)); err != nil {
			t.Fatal(err)
		}
		if len(list.Items) != 1 || list.Items[0].Name != "kept" {
			t.Errorf("left: %v", list.Items)
		}
	})
}

func TestApplyRemovesWhatIsNoLongerSet(t *testing.T) {
	namespace := infrastructure(t)().Namespace
	applier := patch.Applier{Client: seed, Owner: "gardenlet"}
	build := func(data map[string]string) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "file", Namespace: namespace}, Data: data}
	}
	if err := applier.ApplyAll(t.Context(), build(map[string]string{"a": "1", "b": "2"}), build(map[string]string{"a": "1"})); err != nil {
		t.Fatal(err)
	}
	got := build(nil)
	if err := seed.Get(t.Context(), client.ObjectKeyFromObject(got), got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"a": "1"}, got.Data); diff != "" {
		t.Errorf("data (-want +got):\n%s", diff)
	}
}
