// Package contracttest checks that an actuator fulfils the extension contract. It takes an object of the actuator's kind through its
// whole life, with the generic reconciler and a real API server. For tests of providers only.
package contracttest

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
	"github.com/gardener-up/gardener-up/providers/reconcile"
)

const (
	operationAnnotation = "gardener.cloud/operation"
	// rounds bounds how often an object is reconciled until it is done.
	rounds = 30
)

// Subject is the actuator under test and what the suite needs to know about it.
type Subject[T extensionsv1alpha1.Object] struct {
	// Client of the API server; its reads are not cached.
	Client client.Client
	// Actuator under test.
	Actuator contract.Actuator[T]
	// New makes an object with a name, a namespace that exists, a type and a valid spec; always the same one.
	New func() T
	// Exists says whether the external thing exists; nil if it cannot be observed.
	Exists func(ctx context.Context, obj T) bool
	// SavesState says that the actuator saves a state.
	SavesState bool
	// Others acts as the controllers that the actuator waits for; nil if it waits for none.
	Others func(ctx context.Context, obj T)
}

// Run takes one object through its life.
func Run[T reconcile.Object[E], E any](t *testing.T, s Subject[T]) {
	l := &life[T, E]{Subject: s, reconciler: &reconcile.Reconciler[T, E]{
		Client: s.Client, Reader: s.Client, Clock: time.Now,
		Options: reconcile.Options[T]{Provider: "test", Types: []string{s.New().GetExtensionSpec().GetExtensionType()}, Actuator: s.Actuator},
	}}
	for _, stage := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"EXT-3 waits for state without acting", l.waitForState},
		{"EXT-3 takes the annotation away and EXT-1 reports success", l.create},
		{"EXT-2 does nothing when nothing is asked", l.idle},
		{"EXT-2 reconciles what exists without harm", l.again},
		{"EXT-3 migrates without destroying", l.migrate},
		{"EXT-3 restores what was migrated", l.restore},
		{"EXT-19 converges from a state that is lost, stale or garbled", l.stale},
		{"EXT-4 holds the object until all is gone", l.delete},
		{"EXT-4 can be forced to give up", l.forceDelete},
		{"EXT-3 survives being killed before any write", l.killed},
	} {
		if !t.Run(stage.name, stage.run) {
			return // what follows builds on it
		}
	}
}

type life[T reconcile.Object[E], E any] struct {
	Subject[T]
	reconciler *reconcile.Reconciler[T, E]
}

func (l *life[T, E]) waitForState(t *testing.T) {
	obj := l.New()
	obj.SetAnnotations(map[string]string{operationAnnotation: "wait-for-state"})
	if err := l.Client.Create(t.Context(), obj); err != nil {
		t.Fatalf("create: %v", err)
	}
	l.once(t)
	if got := l.get(t); got.GetExtensionStatus().GetLastOperation() != nil || len(got.GetFinalizers()) > 0 {
		t.Errorf("acted on an object that waits for its state: %+v", got.GetExtensionStatus())
	}
	l.wantExists(t, false)
}

func (l *life[T, E]) create(t *testing.T) {
	l.request(t, "reconcile")
	l.settle(t)
	l.wantDone(t, gardencorev1beta1.LastOperationTypeCreate)
	l.wantExists(t, true)
}

func (l *life[T, E]) idle(t *testing.T) {
	before := l.get(t).GetResourceVersion()
	l.once(t)
	if after := l.get(t).GetResourceVersion(); after != before {
		t.Errorf("wrote the object without being asked")
	}
}

func (l *life[T, E]) again(t *testing.T) {
	state := l.get(t).GetExtensionStatus().GetState()
	l.request(t, "reconcile")
	l.settle(t)
	l.wantDone(t, gardencorev1beta1.LastOperationTypeReconcile)
	l.wantExists(t, true)
	if got := l.get(t).GetExtensionStatus().GetState(); string(raw(got)) != string(raw(state)) {
		t.Errorf("state changed from %s to %s although nothing did", raw(state), raw(got))
	}
}

func (l *life[T, E]) migrate(t *testing.T) {
	l.request(t, "migrate")
	l.settle(t)
	got := l.get(t)
	last := got.GetExtensionStatus().GetLastOperation()
	if last == nil || last.Type != gardencorev1beta1.LastOperationTypeMigrate || last.State != gardencorev1beta1.LastOperationStateSucceeded {
		t.Errorf("last operation is %+v, want a successful Migrate", last)
	}
	if slices.Contains(got.GetFinalizers(), contract.Finalizer(got)) {
		t.Errorf("still holds the finalizer")
	}
	if got.GetAnnotations()[operationAnnotation] != "" {
		t.Errorf("the annotation is still there")
	}
}

func (l *life[T, E]) restore(t *testing.T) {
	state := l.get(t).GetExtensionStatus().GetState()
	l.request(t, "restore")
	l.settle(t)
	l.wantDone(t, gardencorev1beta1.LastOperationTypeRestore)
	l.wantExists(t, true)
	if got := l.get(t).GetExtensionStatus().GetState(); string(raw(got)) != string(raw(state)) {
		t.Errorf("state changed from %s to %s on its way", raw(state), raw(got))
	}
}

// staleStates are what a restoration may get instead of the state that was saved. The last one has other types than any state.
var staleStates = []string{
	``, `{"stale":"of another version"}`, `{"stale":"no state","networkID":[7],"machineDeployments":"none","machineClasses":7,"caches":"none"}`,
}

// stale restores the object from other states than the one that was saved. What it stands for exists afterwards in any case, and the
// state that is saved next time is none of these.
func (l *life[T, E]) stale(t *testing.T) {
	for _, state := range staleStates {
		l.request(t, "migrate")
		l.settle(t)
		obj := l.get(t)
		before := obj.DeepCopyObject().(client.Object)
		obj.GetExtensionStatus().SetState(nil)
		if state != "" {
			obj.GetExtensionStatus().SetState(&runtime.RawExtension{Raw: []byte(state)})
		}
		if err := l.Client.Status().Patch(t.Context(), obj, client.MergeFrom(before)); err != nil {
			t.Fatalf("write state %s: %v", state, err)
		}
		l.request(t, "restore")
		l.settle(t)
		l.wantDone(t, gardencorev1beta1.LastOperationTypeRestore)
		l.wantExists(t, true)
		if l.SavesState {
			if got := raw(l.get(t).GetExtensionStatus().GetState()); len(got) == 0 || bytes.Contains(got, []byte("stale")) {
				t.Errorf("after a restoration from %s the state is %s", state, got)
			}
		}
	}
}

func (l *life[T, E]) delete(t *testing.T) {
	if err := l.Client.Delete(t.Context(), l.get(t)); err != nil {
		t.Fatalf("delete: %v", err)
	}
	l.settle(t)
	l.wantGone(t)
}

func (l *life[T, E]) forceDelete(t *testing.T) {
	obj := l.New()
	obj.SetAnnotations(map[string]string{operationAnnotation: "reconcile", "confirmation.gardener.cloud/force-deletion": "true"})
	if err := l.Client.Create(t.Context(), obj); err != nil {
		t.Fatalf("create: %v", err)
	}
	l.settle(t)
	if err := l.Client.Delete(t.Context(), l.get(t)); err != nil {
		t.Fatalf("delete: %v", err)
	}
	for range rounds { // no other controller runs here
		l.once(t)
	}
	if err := l.Client.Get(t.Context(), client.ObjectKeyFromObject(obj), T(new(E))); !apierrors.IsNotFound(err) {
		t.Errorf("the object is still there, or cannot be read: %v", err)
	}
}

// killed repeats the operations of the object. In each operation the reconciler is killed before its first write,
// then before its second one, and so on. The next reconciler has to finish the operation.
func (l *life[T, E]) killed(t *testing.T) {
	if err := l.Client.Create(t.Context(), l.New()); err != nil {
		t.Fatalf("create: %v", err)
	}
	for _, operation := range []struct{ annotation, name string }{
		{"reconcile", "Create"}, {"reconcile", "Reconcile"}, {"migrate", "Migrate"}, {"restore", "Restore"},
	} {
		for writes := 0; ; writes++ {
			l.request(t, operation.annotation)
			if !l.killAfter(t, writes) {
				break // it got through with so many writes
			}
			l.settle(t)
			obj := l.get(t)
			last := obj.GetExtensionStatus().GetLastOperation()
			if last.State != gardencorev1beta1.LastOperationStateSucceeded || obj.GetAnnotations()[operationAnnotation] != "" {
				t.Errorf("killed before write %d of %s: last operation %+v, annotations %v", writes+1, operation.name, last, obj.GetAnnotations())
			}
		}
		l.settle(t)
	}
	if err := l.Client.Delete(t.Context(), l.get(t)); err != nil {
		t.Fatalf("delete: %v", err)
	}
	for writes := 0; l.killAfter(t, writes); writes++ {
		if writes > rounds {
			t.Fatalf("deletion does not end")
		}
	}
	l.settle(t)
	l.wantGone(t)
}

// killAfter reconciles once with a client that fails after some writes, and reports whether that limit was reached.
func (l *life[T, E]) killAfter(t *testing.T, writes int) bool {
	t.Helper()
	doomed := *l.reconciler
	doomed.Client = &mortal{Client: l.Client, left: writes}
	_, err := doomed.Reconcile(t.Context(), ctrlreconcile.Request{NamespacedName: client.ObjectKeyFromObject(l.New())})
	if err != nil && !errors.Is(err, errKilled) {
		t.Fatalf("reconcile: %v", err)
	}
	return err != nil
}

func (l *life[T, E]) request(t *testing.T, operation string) {
	t.Helper()
	obj := l.get(t)
	before := obj.DeepCopyObject().(client.Object)
	annotations := obj.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[operationAnnotation] = operation
	obj.SetAnnotations(annotations)
	if err := l.Client.Patch(t.Context(), obj, client.MergeFrom(before)); err != nil {
		t.Fatalf("request %s: %v", operation, err)
	}
}

// once reconciles once and returns whether there is more to do.
func (l *life[T, E]) once(t *testing.T) bool {
	t.Helper()
	result, err := l.reconciler.Reconcile(t.Context(), ctrlreconcile.Request{NamespacedName: client.ObjectKeyFromObject(l.New())})
	if err != nil {
		t.Fatalf("reconcile: %v", err)
	}
	return result.RequeueAfter > 0
}

// settle reconciles until nothing is left to do. Others act in between.
func (l *life[T, E]) settle(t *testing.T) {
	t.Helper()
	for range rounds {
		if !l.once(t) {
			return
		}
		if l.Others != nil {
			l.Others(t.Context(), l.New())
		}
	}
	t.Fatalf("not done after %d rounds: %+v", rounds, l.get(t).GetExtensionStatus().GetLastOperation())
}

func (l *life[T, E]) get(t *testing.T) T {
	t.Helper()
	obj := T(new(E))
	if err := l.Client.Get(t.Context(), client.ObjectKeyFromObject(l.New()), obj); err != nil {
		t.Fatalf("read: %v", err)
	}
	return obj
}

func (l *life[T, E]) wantDone(t *testing.T, operation gardencorev1beta1.LastOperationType) {
	t.Helper()
	obj := l.get(t)
	status := obj.GetExtensionStatus()
	last := status.GetLastOperation()
	if last == nil || last.Type != operation || last.State != gardencorev1beta1.LastOperationStateSucceeded || last.Progress != 100 {
		t.Errorf("last operation is %+v, want a successful %s", last, operation)
	}
	if status.GetLastError() != nil {
		t.Errorf("last error is %+v after success", status.GetLastError())
	}
	if status.GetObservedGeneration() != obj.GetGeneration() {
		t.Errorf("observed generation %d, want %d", status.GetObservedGeneration(), obj.GetGeneration())
	}
	if !slices.Contains(obj.GetFinalizers(), contract.Finalizer(obj)) {
		t.Errorf("finalizers are %v, want %s among them", obj.GetFinalizers(), contract.Finalizer(obj))
	}
	if operation := obj.GetAnnotations()[operationAnnotation]; operation != "" {
		t.Errorf("the operation annotation is still %q", operation)
	}
}

func (l *life[T, E]) wantExists(t *testing.T, want bool) {
	t.Helper()
	if l.Exists != nil && l.Exists(t.Context(), l.New()) != want {
		t.Errorf("what the object stands for exists: %v, want %v", !want, want)
	}
}

func (l *life[T, E]) wantGone(t *testing.T) {
	t.Helper()
	if err := l.Client.Get(t.Context(), client.ObjectKeyFromObject(l.New()), T(new(E))); !apierrors.IsNotFound(err) {
		t.Errorf("the object is still there, or cannot be read: %v", err)
	}
	l.wantExists(t, false)
}

func raw(extension *runtime.RawExtension) []byte {
	if extension == nil {
		return nil
	}
	return extension.Raw
}
