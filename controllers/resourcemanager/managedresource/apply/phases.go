// Package apply writes the objects of a ManagedResource to the target, phase by phase, and only where they differ.
package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/health"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/manifest"
)

const (
	// writers is how many objects of one phase are written at a time.
	writers = 5
	// crdTimeout bounds the wait for new kinds; the API server establishes them within a second or two.
	crdTimeout = 15 * time.Second
)

// Phases applies all objects of one ManagedResource. All fields are required.
type Phases struct {
	Writer Writer
	// Written gets each object as it is in the target now, or nil. It is called by several goroutines.
	Written func(*unstructured.Unstructured)
}

// Apply applies phase by phase and returns the objects as they are in the target now. It tries all objects of a
// phase, so that an invalid object does not hold back the others.
func (p Phases) Apply(ctx context.Context, desired []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	var live []*unstructured.Unstructured
	var failures []error
	for _, phase := range manifest.ByPhase(desired) {
		objects, errs := p.applyAll(ctx, phase)
		live = append(live, objects...)
		failures = append(failures, errs...)
		if err := p.waitForCRDs(ctx, objects); err != nil {
			failures = append(failures, err)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return live, errors.Join(failures...)
}

func (p Phases) applyAll(ctx context.Context, objects []*unstructured.Unstructured) ([]*unstructured.Unstructured, []error) {
	var (
		group sync.WaitGroup
		slots = make(chan struct{}, writers)
		live  = make([]*unstructured.Unstructured, len(objects))
		errs  = make([]error, len(objects))
	)
	for i, object := range objects {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			live[i], errs[i] = p.Writer.Write(ctx, object)
			p.Written(live[i])
		})
	}
	group.Wait()
	isNil := func(object *unstructured.Unstructured) bool { return object == nil }
	return slices.DeleteFunc(live, isNil), slices.DeleteFunc(errs, func(err error) bool { return err == nil })
}

// waitForCRDs waits until new kinds are served, since the next phases may contain objects of these kinds.
func (p Phases) waitForCRDs(ctx context.Context, live []*unstructured.Unstructured) error {
	for _, object := range live {
		if object.GroupVersionKind().GroupKind() != manifest.CRDKind || health.Check(object) == nil {
			continue
		}
		err := wait.PollUntilContextTimeout(ctx, 200*time.Millisecond, crdTimeout, true, func(ctx context.Context) (bool, error) {
			if err := p.Writer.Target.Get(ctx, client.ObjectKeyFromObject(object), object); err != nil {
				return false, client.IgnoreNotFound(err)
			}
			return health.Check(object) == nil, nil
		})
		if err != nil {
			return fmt.Errorf("wait until %s is established: %w", manifest.Describe(object), err)
		}
	}
	return nil
}
