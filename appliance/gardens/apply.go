package gardens

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// retryPause is the pause after an error. Webhooks answer a moment after they are registered.
const retryPause = 500 * time.Millisecond

// Applier writes the Garden of a landscape once, when the landscape starts.
type Applier struct {
	Client client.Client // uncached, or with a cache that has Gardens
	Wanted *operatorv1alpha1.Garden
	Log    logr.Logger
}

// Start implements manager.Runnable. It tries until it succeeds or ctx ends. It logs an error only if it differs from the one before.
func (a Applier) Start(ctx context.Context) error {
	for last := ""; ; {
		err := a.Apply(ctx)
		if err == nil || ctx.Err() != nil {
			return nil
		}
		if text := err.Error(); text != last {
			a.Log.Info("The Garden of this landscape is not written yet", "garden", a.Wanted.Name, "reason", text)
			last = text
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(retryPause):
		}
	}
}

// Apply creates the Garden, or changes the fields of an existing one that the landscape decides. Others are its users'.
func (a Applier) Apply(ctx context.Context) error {
	present := &operatorv1alpha1.Garden{}
	err := a.Client.Get(ctx, client.ObjectKeyFromObject(a.Wanted), present)
	if apierrors.IsNotFound(err) {
		if err := a.Client.Create(ctx, a.Wanted.DeepCopy()); err != nil {
			return fmt.Errorf("create Garden %q: %w", a.Wanted.Name, err)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("read Garden %q: %w", a.Wanted.Name, err)
	}
	if present.DeletionTimestamp != nil {
		return nil
	}
	before := present.DeepCopy()
	follow(&present.Spec, &a.Wanted.Spec)
	if equality.Semantic.DeepEqual(before, present) {
		return nil
	}
	if err := a.Client.Patch(ctx, present, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return fmt.Errorf("change Garden %q: %w", a.Wanted.Name, err)
	}
	return nil
}

// follow changes what the configuration and the binary decide. A Garden never gives up ranges and zones, so those that the
// configuration names no longer stay in the lists.
func follow(spec, wanted *operatorv1alpha1.GardenSpec) {
	spec.VirtualCluster.Kubernetes.Version = wanted.VirtualCluster.Kubernetes.Version
	for _, lists := range [][2]*[]string{
		{&spec.RuntimeCluster.Networking.Nodes, &wanted.RuntimeCluster.Networking.Nodes},
		{&spec.RuntimeCluster.Networking.Pods, &wanted.RuntimeCluster.Networking.Pods},
		{&spec.RuntimeCluster.Networking.Services, &wanted.RuntimeCluster.Networking.Services},
		{&spec.RuntimeCluster.Provider.Zones, &wanted.RuntimeCluster.Provider.Zones},
		{&spec.VirtualCluster.Networking.Services, &wanted.VirtualCluster.Networking.Services},
	} {
		for _, one := range *lists[1] {
			if !slices.Contains(*lists[0], one) {
				*lists[0] = append(*lists[0], one)
			}
		}
	}
}
