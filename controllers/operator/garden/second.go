package garden

import (
	"context"
	"fmt"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// secondPeriod is the time between two looks at whether a second Garden is the only one by now.
const secondPeriod = time.Minute

// older is the name of a Garden that was there before, and has the components that this one would have; empty if there is none. The policy that
// refuses a second Garden is written by the first reconciliation only. A host that runs one name needs no such order.
func (r *Reconciler) older(ctx context.Context, garden *operatorv1alpha1.Garden) (string, error) {
	if r.Host.Name != "" {
		return "", nil
	}
	gardens := &operatorv1alpha1.GardenList{}
	if err := r.Runtime.List(ctx, gardens); err != nil {
		return "", fmt.Errorf("look for other Gardens: %w", err)
	}
	at := slices.IndexFunc(gardens.Items, func(g operatorv1alpha1.Garden) bool { return g.Name != garden.Name && before(&g, garden) })
	if at < 0 {
		return "", nil
	}
	return gardens.Items[at].Name, nil
}

// before reports whether the first Garden has a right to the components. Of two that were made in the same second it is the one that has begun.
func before(one, other client.Object) bool {
	first, second := one.GetCreationTimestamp(), other.GetCreationTimestamp()
	if !first.Equal(&second) {
		return first.Before(&second)
	}
	begun := controllerutil.ContainsFinalizer(one, constants.FinalizerOperator)
	if begun != controllerutil.ContainsFinalizer(other, constants.FinalizerOperator) {
		return begun
	}
	return one.GetName() < other.GetName()
}
