package callback

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/embedded/testwait"
)

var errBoom = errors.New("boom")

// pods stands for the pods that links connect to.
type pods struct {
	mu     sync.Mutex
	failed int      // connections that fail before one works
	open   []string // pods that are connected now
	breaks chan struct{}
}

type connection struct{ pod types.NamespacedName }

func (connection) Read([]byte) (int, error)    { return 0, io.EOF }
func (connection) Write(p []byte) (int, error) { return len(p), nil }
func (connection) Close() error                { return nil }

func (p *pods) connect(_ context.Context, pod types.NamespacedName) (io.ReadWriteCloser, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failed > 0 {
		p.failed--
		return nil, errBoom
	}
	return connection{pod}, nil
}

func (p *pods) answer(ctx context.Context, conn io.ReadWriteCloser, up func()) error {
	name := conn.(connection).pod.Name
	p.mu.Lock()
	p.open = append(p.open, name)
	p.mu.Unlock()
	up()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.open = slices.DeleteFunc(p.open, func(one string) bool { return one == name })
	}()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-p.breaks:
		return errBoom
	}
}

// await waits until exactly these pods are connected. It lets all pauses end.
func (p *pods) await(t *testing.T, clock *clocktesting.FakeClock, want ...string) {
	t.Helper()
	testwait.Until(t, "other pods are connected", func() error {
		if clock.HasWaiters() {
			clock.Step(lastPause)
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		got := slices.Clone(p.open)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			return errors.New("connected are " + join(got))
		}
		return nil
	})
}

func join(names []string) (out string) {
	for _, name := range names {
		out += name + " "
	}
	return out
}

func TestReconciler(t *testing.T) {
	clock := clocktesting.NewFakeClock(time.Now())
	there := &pods{failed: 3, breaks: make(chan struct{})}
	cluster := fake.NewClientBuilder().Build()
	r := &Reconciler{pods: cluster, links: newLinks(there.connect, there.answer, clock, logr.Discard())}
	pod := func(name string, phase corev1.PodPhase) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: name}, Status: corev1.PodStatus{Phase: phase}}
	}
	see := func(name string) {
		t.Helper()
		if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "garden", Name: name}}); err != nil {
			t.Fatal(err)
		}
	}
	one, two, three := pod("one", corev1.PodRunning), pod("two", corev1.PodRunning), pod("three", corev1.PodPending)
	for _, p := range []*corev1.Pod{one, two, three} {
		if err := cluster.Create(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		see(p.Name) // before the connections run
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.links.run(ctx) }()

	t.Run("GLT-22 pods that run are connected, after failures too", func(t *testing.T) { there.await(t, clock, "one", "two") })
	t.Run("a pod that starts is connected", func(t *testing.T) {
		three.Status.Phase = corev1.PodRunning
		if err := cluster.Status().Update(t.Context(), three); err != nil {
			t.Fatal(err)
		}
		see("three")
		see("three")
		there.await(t, clock, "one", "three", "two")
	})
	t.Run("a connection that breaks is made again", func(t *testing.T) {
		there.breaks <- struct{}{}
		there.await(t, clock, "one", "three", "two")
	})
	t.Run("a pod that is being deleted keeps its connection", func(t *testing.T) {
		three.Finalizers = []string{"example.org/hold"}
		if err := errors.Join(cluster.Update(t.Context(), three), cluster.Delete(t.Context(), three)); err != nil {
			t.Fatal(err)
		}
		see("three")
		there.await(t, clock, "one", "three", "two")
	})
	t.Run("a pod that is gone is given up", func(t *testing.T) {
		if err := cluster.Delete(t.Context(), one); err != nil {
			t.Fatal(err)
		}
		see("one")
		two.Status.Phase = corev1.PodFailed
		if err := cluster.Status().Update(t.Context(), two); err != nil {
			t.Fatal(err)
		}
		see("two")
		there.await(t, clock, "three")
	})
	t.Run("all connections end with the manager", func(t *testing.T) {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		there.await(t, clock)
	})
}
