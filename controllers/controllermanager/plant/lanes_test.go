package plant

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

func named(namespace string, n int) types.NamespacedName {
	return types.NamespacedName{Namespace: namespace, Name: fmt.Sprint(n)}
}

// enters lets Plants enter and not leave, and counts those that could.
func enters(l *lanes, namespace string, plants int) (entered int) {
	for n := range plants {
		if _, ok := l.enter(named(namespace, n), 5); ok {
			entered++
		}
	}
	return entered
}

func TestLanes(t *testing.T) {
	looked := func(t *testing.T, l *lanes, plant types.NamespacedName, took time.Duration) int {
		t.Helper()
		leave, ok := l.enter(plant, 5)
		if !ok {
			t.Fatalf("no worker for %v", plant)
		}
		return leave(took)
	}
	t.Run("GCM-32 one namespace takes half of the workers at most", func(t *testing.T) {
		l := &lanes{}
		for n := range 9 {
			looked(t, l, named("a", n), 0)
		}
		if got := enters(l, "a", 9); got != 2 {
			t.Errorf("%d", got)
		}
	})
	t.Run("GCM-32 servers that are slow or unknown take half of the workers at most, wherever they are", func(t *testing.T) {
		l := &lanes{}
		looked(t, l, named("quick", 0), slowAfter)
		looked(t, l, named("a", 0), slowAfter+1)
		if got := enters(l, "a", 1) + enters(l, "b", 9) + enters(l, "c", 9); got != 2 {
			t.Errorf("%d", got)
		}
		if got := enters(l, "quick", 1); got != 1 {
			t.Error("no worker is left for others")
		}
	})
	t.Run("GCM-32 a slow server is looked at less and less often, until it is quick", func(t *testing.T) {
		l, plant := &lanes{}, named("a", 0)
		for n, want := range []int{2, 4, 8, 16} {
			if got := looked(t, l, plant, time.Minute); got != want {
				t.Errorf("after %d slow looks: %d", n+1, got)
			}
		}
		if got := looked(t, l, plant, 0); got != 1 {
			t.Errorf("after a quick look: %d", got)
		}
	})
	t.Run("GCM-32 with one worker everybody still has a turn", func(t *testing.T) {
		if _, ok := (&lanes{}).enter(named("a", 0), 1); !ok {
			t.Error("no worker")
		}
	})
	t.Run("nothing is kept of a Plant that is gone", func(t *testing.T) {
		l := &lanes{}
		looked(t, l, named("a", 0), time.Minute)
		l.forget(named("a", 0))
		if len(l.plants)+len(l.looking)+l.slow > 0 {
			t.Errorf("%+v", l)
		}
	})
}

// TestSlowServers looks at two Plants, one of which has a server that never answers.
func TestSlowServers(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		t.Fatal(err)
	}
	const kubeconfig = "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n" +
		"clusters: [{name: c, cluster: {server: 'https://%s.example.org'}}]\nusers: [{name: u, user: {token: t}}]\n"
	clock := clocktesting.NewFakeClock(time.Unix(1e9, 0))
	var objects []client.Object
	for _, name := range []string{"silent", "quick"} {
		meta := metav1.ObjectMeta{Namespace: "garden-" + name, Name: name}
		objects = append(objects, &corev1.Secret{ObjectMeta: meta, Data: map[string][]byte{"kubeconfig": fmt.Appendf(nil, kubeconfig, name)}},
			&gardencorev1beta1.Plant{ObjectMeta: meta, Spec: gardencorev1beta1.PlantSpec{SecretRef: corev1.LocalObjectReference{Name: name}}})
	}
	garden := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithStatusSubresource(&gardencorev1beta1.Plant{}).Build()
	silent, begun := make(chan struct{}), make(chan struct{})
	r := &Reconciler{Client: garden, Reader: garden, Clock: clock, SyncPeriod: 30 * time.Second, Workers: 2, Look: func(ctx context.Context, config *rest.Config) Observation {
		if deadline, limited := ctx.Deadline(); !limited || time.Until(deadline) > timeout {
			t.Error("the look has no time limit")
		}
		if config.Host == "https://silent.example.org" {
			close(begun)
			<-silent
			clock.Step(timeout)
		}
		return Observation{Health: 200}
	}}
	request := func(name string) reconcile.Request {
		return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "garden-" + name, Name: name}}
	}
	if result, err := r.Reconcile(t.Context(), request("quick")); err != nil || result.RequeueAfter != 30*time.Second {
		t.Fatalf("%v, %v", result, err)
	}
	ended := make(chan reconcile.Result)
	go func() {
		result, err := r.Reconcile(context.WithoutCancel(t.Context()), request("silent"))
		if err != nil {
			t.Error(err)
		}
		ended <- result
	}()
	<-begun
	t.Run("GCM-32 another look at it waits, without a worker", func(t *testing.T) {
		if result, err := r.Reconcile(t.Context(), request("silent")); err != nil || result.RequeueAfter != fullPause {
			t.Errorf("%v, %v", result, err)
		}
	})
	t.Run("GCM-32 a Plant whose server is quick is looked at meanwhile", func(t *testing.T) {
		if result, err := r.Reconcile(t.Context(), request("quick")); err != nil || result.RequeueAfter != 30*time.Second {
			t.Errorf("%v, %v", result, err)
		}
	})
	close(silent)
	t.Run("GCM-32 it is looked at later than usual", func(t *testing.T) {
		if result := <-ended; result.RequeueAfter != time.Minute {
			t.Errorf("%v", result)
		}
	})
}
