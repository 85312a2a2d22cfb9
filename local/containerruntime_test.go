package local_test

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/local/containerruntime"
	"github.com/gardener-up/gardener-up/providers/contract"
)

func TestContainerRuntimes(t *testing.T) {
	const own = "shoot--local--runtimes"
	ctx := t.Context()
	if err := seed.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: own}}); err != nil {
		t.Fatal(err)
	}
	runtimeOf := func(kind, pool string) *extensionsv1alpha1.ContainerRuntime {
		r := newContainerRuntime()
		r.Namespace, r.Name, r.Spec.Type = own, kind+"-"+pool, kind
		r.Spec.WorkerPool.Name, r.Spec.WorkerPool.Selector.MatchLabels = pool, map[string]string{"worker.gardener.cloud/pool": pool}
		return r
	}
	actuator := &containerruntime.Actuator{Client: seed, Reader: seed, Machines: api.Containers}
	document := func(name, key string) string {
		secret := &corev1.Secret{}
		if err := seed.Get(ctx, client.ObjectKey{Namespace: own, Name: "managedresource-" + name}, secret); err != nil {
			return err.Error()
		}
		return string(secret.Data[key])
	}
	one, two := runtimeOf("gvisor", "one"), runtimeOf("gvisor", "two")
	for _, r := range []*extensionsv1alpha1.ContainerRuntime{one, two} {
		if err := seed.Create(ctx, r.DeepCopy()); err != nil {
			t.Fatal(err)
		}
		if err := actuator.Reconcile(ctx, nil, r); err != nil {
			t.Fatalf("reconcile: %v", err)
		}
	}
	t.Run("CTR-8 there is a RuntimeClass for the nodes that have the runtime", func(t *testing.T) {
		got := document("extension-runtime-class-gvisor", "RuntimeClass.yaml")
		for _, want := range []string{"name: gvisor", "handler: runsc", `containerruntime.worker.gardener.cloud/gvisor: "true"`} {
			if !strings.Contains(got, want) {
				t.Errorf("class lacks %q:\n%s", want, got)
			}
		}
		if status := string(one.Status.ProviderStatus.Raw); !strings.Contains(status, `"runtimeClass":"gvisor"`) || !strings.Contains(status, `"simulated":true`) {
			t.Errorf("status is %s", status)
		}
	})
	t.Run("CTR-8 a privileged pod on each labelled node of the pool installs it", func(t *testing.T) {
		got := document("extension-runtime-gvisor-one", "DaemonSet.yaml")
		for _, want := range []string{"privileged: true", "hostPID: true", "--handler=runsc", "--binary-path=/var/bin/containerruntimes", "worker.gardener.cloud/pool: one", `containerruntime.worker.gardener.cloud/gvisor: "true"`} {
			if !strings.Contains(got, want) {
				t.Errorf("installer lacks %q:\n%s", want, got)
			}
		}
	})
	t.Run("CTR-8 where nodes are no systems nothing is installed", func(t *testing.T) {
		r := runtimeOf("local", "three")
		embedded := &containerruntime.Actuator{Client: seed, Reader: seed, Machines: api.Pods}
		if err := embedded.Reconcile(ctx, nil, r); err != nil {
			t.Fatal(err)
		}
		if found(ctx, &resourcesv1alpha1.ManagedResource{}, own, "extension-runtime-local-three") || !found(ctx, &resourcesv1alpha1.ManagedResource{}, own, "extension-runtime-class-local") {
			t.Error("an installer, or no class")
		}
	})
	t.Run("CTR-6 the class goes with the last pool that uses the runtime", func(t *testing.T) {
		removed := func(r *extensionsv1alpha1.ContainerRuntime) {
			if err := seed.Delete(ctx, r.DeepCopy()); err != nil {
				t.Fatal(err)
			}
			var err error
			for range 5 { // each ManagedResource is waited for
				if err = actuator.Delete(ctx, nil, r); err == nil {
					return
				}
			}
			t.Fatalf("delete: %v", err)
		}
		removed(one)
		if found(ctx, &resourcesv1alpha1.ManagedResource{}, own, "extension-runtime-gvisor-one") || !found(ctx, &resourcesv1alpha1.ManagedResource{}, own, "extension-runtime-class-gvisor") {
			t.Error("the installer is still there, or the class has gone while a pool needs it")
		}
		removed(two)
		if found(ctx, &resourcesv1alpha1.ManagedResource{}, own, "extension-runtime-class-gvisor") {
			t.Error("the class has outlived its last pool")
		}
	})
	t.Run("a type that nobody knows is the user's problem", func(t *testing.T) {
		if err := actuator.Reconcile(context.Background(), nil, runtimeOf("unknown", "one")); !contract.IsPermanent(err) {
			t.Errorf("error is %v", err)
		}
	})
}
