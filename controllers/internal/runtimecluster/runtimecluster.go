// Package runtimecluster finds out whether a cluster is the runtime cluster of a Garden. The operator of the Garden then owns components there
// that gardenlets deploy elsewhere. The package decides by the finalizers of objects of kind Garden in the cluster, and by nothing else. It changes
// nothing.
package runtimecluster

import (
	"context"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Gardenlet and Operator are the field owners of components that the one may take over from the other.
const Gardenlet, Operator = client.FieldOwner("gardenlet"), client.FieldOwner("gardener-operator-host")

const group, version = "operator.gardener.cloud", "v1alpha1"

// Garden returns the name of a Garden in the cluster that has the finalizer of an operator, also of one that is being deleted; empty if there is none.
// A Garden without it is one that no operator handles. reader must not be cached, since the cluster may not know the kind.
func Garden(ctx context.Context, reader client.Reader) (string, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(schema.GroupVersionKind{Group: group, Version: version, Kind: "GardenList"})
	err := reader.List(ctx, list)
	switch {
	case meta.IsNoMatchError(err) || apierrors.IsNotFound(err): // nobody has defined the kind
		return "", nil
	case err != nil:
		return "", fmt.Errorf("look for a Garden in the cluster: %w", err)
	}
	for i := range list.Items {
		if controllerutil.ContainsFinalizer(&list.Items[i], constants.FinalizerOperator) {
			return list.Items[i].Name, nil
		}
	}
	return "", nil
}

// Mismatch returns an error if the operator that handles a Garden of the cluster has another version than a gardenlet there. Both own parts of the same
// components and definitions, so they are upgraded together. An operator that has not told its version yet passes. reader must not be cached.
func Mismatch(ctx context.Context, reader client.Reader, garden, gardenlet string) error {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(schema.GroupVersionKind{Group: group, Version: version, Kind: "Garden"})
	if err := reader.Get(ctx, client.ObjectKey{Name: garden}, object); err != nil {
		return client.IgnoreNotFound(fmt.Errorf("read Garden %q: %w", garden, err))
	}
	operator, _, err := unstructured.NestedString(object.Object, "status", "gardener", "version")
	if err != nil {
		return fmt.Errorf("read the version of the operator of Garden %q: %w", garden, err)
	}
	if operator == "" || operator == gardenlet {
		return nil
	}
	return &MismatchError{Garden: garden, Operator: operator, Gardenlet: gardenlet}
}

// MismatchError is the error about a gardenlet and an operator of different versions.
type MismatchError struct{ Garden, Operator, Gardenlet string }

// Error implements error.
func (m *MismatchError) Error() string {
	return fmt.Sprintf("the seed contains the Garden %q, whose operator has version %s, and this gardenlet has version %s: the gardenlet changes nothing of the seed before both have the same version. Upgrade the older one",
		m.Garden, m.Operator, m.Gardenlet)
}

// Decision is what a controller has decided by. Its methods may be called at the same time.
type Decision struct {
	reader client.Reader

	mu      sync.Mutex
	decided bool
	garden  string
}

// NewDecision returns a decision that nobody has made yet. reader must not be cached.
func NewDecision(reader client.Reader) *Decision { return &Decision{reader: reader} }

// Garden looks for a Garden, and keeps the answer as what the controller decides by.
func (d *Decision) Garden(ctx context.Context) (string, error) {
	garden, err := Garden(ctx, d.reader)
	if err != nil {
		return "", err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.decided, d.garden = true, garden
	return garden, nil
}

// outdated reports whether the controller would now decide in another way.
func (d *Decision) outdated(ctx context.Context) (bool, error) {
	garden, err := Garden(ctx, d.reader)
	if err != nil {
		return false, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.decided && d.garden != garden, nil
}

// Source wakes a controller when its decision is outdated. It asks at the given interval: a watch would need the kind, which most clusters
// do not know, and which may come and go.
func (d *Decision) Source(period time.Duration, request reconcile.Request) source.Source {
	return source.Func(func(ctx context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		go d.watch(ctx, period, func() { queue.Add(request) })
		return nil
	})
}

func (d *Decision) watch(ctx context.Context, period time.Duration, wake func()) {
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		outdated, err := d.outdated(ctx)
		if err != nil { // the cluster is out of reach, which others report
			log.FromContext(ctx).V(1).Info("Cannot look for a Garden", "reason", err.Error())
		}
		if outdated {
			wake()
		}
	}
}
