package managedresource

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
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/health"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/managedresource/desired"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/manifest"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

const (
	// writers is how many objects of one phase are written at a time.
	writers = 5
	// crdTimeout bounds the wait for new kinds; the API server establishes them within a second or two.
	crdTimeout = 15 * time.Second
)

// apply brings a ManagedResource that is not being deleted up to date.
func (p *pass) apply(ctx context.Context) (reconcile.Result, error) {
	data, err := p.keeper.Read(ctx, p.resource)
	if err != nil {
		p.applied(gardencorev1beta1.ConditionFalse, reasonCannotReadSecret, err.Error())
		return reconcile.Result{}, err
	}
	objects, err := p.decoder().Objects(data.Secrets)
	if err != nil {
		p.applied(gardencorev1beta1.ConditionFalse, resourcesv1alpha1.ConditionDecodingFailed, err.Error())
		return reconcile.Result{RequeueAfter: p.SyncPeriod}, nil // only a changed Secret helps, and it wakes the ManagedResource
	}
	p.track()
	unchanged := !p.AlwaysUpdate && p.appliedBefore(data.Checksum)
	if !unchanged {
		if err := p.announce(ctx, objects); err != nil {
			return reconcile.Result{}, err
		}
	}
	live, err := p.applyPhases(ctx, objects, unchanged)
	if err != nil {
		p.applied(gardencorev1beta1.ConditionFalse, resourcesv1alpha1.ConditionApplyFailed, err.Error())
		p.checksPending("The resources are not applied yet.")
		return reconcile.Result{}, err
	}
	remaining, err := p.prune(ctx, objects)
	p.record(objects, remaining)
	if err != nil {
		p.applied(gardencorev1beta1.ConditionFalse, resourcesv1alpha1.ConditionDeletionFailed, err.Error())
		return reconcile.Result{}, err
	}
	p.resource.Status.ObservedGeneration = p.resource.Generation
	p.resource.Status.SecretsDataChecksum = &data.Checksum
	if len(remaining) > 0 {
		p.applied(gardencorev1beta1.ConditionProgressing, resourcesv1alpha1.ConditionDeletionPending, fmt.Sprintf("%d removed resources are still being deleted.", len(remaining)))
		p.judge(live)
		return reconcile.Result{RequeueAfter: soon}, nil
	}
	if !unchanged { // only then can a Secret have dropped out
		if err := p.keeper.Release(ctx, p.resource); err != nil {
			p.resource.Status.SecretsDataChecksum = nil // so that the next pass retries
			return reconcile.Result{}, err
		}
	}
	p.applied(gardencorev1beta1.ConditionTrue, resourcesv1alpha1.ConditionApplySucceeded, "All resources are applied.")
	if p.judge(live) {
		p.remember(data)
		return reconcile.Result{RequeueAfter: p.SyncPeriod}, nil
	}
	return reconcile.Result{RequeueAfter: p.pace()}, nil
}

func (p *pass) decoder() desired.Decoder {
	return desired.Decoder{
		Mapper: p.Target.RESTMapper(), Origin: p.owner.Origin, ManagedByLabel: p.ManagedByLabel, InjectLabels: p.resource.Spec.InjectLabels,
	}
}

// applyPhases applies phase by phase and returns the objects as they are in the target now. It tries all objects of a
// phase, so that an invalid object does not hold back the others.
func (p *pass) applyPhases(ctx context.Context, desired []*unstructured.Unstructured, unchanged bool) ([]*unstructured.Unstructured, error) {
	var live []*unstructured.Unstructured
	var failures []error
	for _, phase := range manifest.ByPhase(desired) {
		objects, errs := p.applyAll(ctx, phase, unchanged)
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

func (p *pass) applyAll(ctx context.Context, objects []*unstructured.Unstructured, unchanged bool) ([]*unstructured.Unstructured, []error) {
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
			live[i], errs[i] = p.applyOne(ctx, object, unchanged)
			p.note(live[i])
		})
	}
	group.Wait()
	isNil := func(object *unstructured.Unstructured) bool { return object == nil }
	return slices.DeleteFunc(live, isNil), slices.DeleteFunc(errs, func(err error) bool { return err == nil })
}

// waitForCRDs waits until new kinds are served, since the next phases may contain objects of these kinds.
func (p *pass) waitForCRDs(ctx context.Context, live []*unstructured.Unstructured) error {
	for _, object := range live {
		if object.GroupVersionKind().GroupKind() != manifest.CRDKind || health.Check(object) == nil {
			continue
		}
		err := wait.PollUntilContextTimeout(ctx, 200*time.Millisecond, crdTimeout, true, func(ctx context.Context) (bool, error) {
			if err := p.Target.Get(ctx, client.ObjectKeyFromObject(object), object); err != nil {
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

// pace returns when to check objects again that are not healthy or not rolled out.
func (p *pass) pace() time.Duration {
	if p.sinceTransition() < patience {
		return soon
	}
	return min(later, p.SyncPeriod)
}
