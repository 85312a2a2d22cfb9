package care

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/prometheus"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/monitoring"
	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// monitored reports whether a shoot has components that observe it. Other shoots have no condition about them.
func (r *Reconciler) monitored(shoot *gardencorev1beta1.Shoot) bool {
	return r.Monitoring && monitoring.Wanted(shoot)
}

// observability checks that the Prometheus of the shoot serves.
func (r *Reconciler) observability(ctx context.Context, namespace string) conditions.Finding {
	set := &appsv1.StatefulSet{}
	err := r.Seed.Get(ctx, client.ObjectKey{Namespace: namespace, Name: prometheus.Shoot}, set)
	switch {
	case apierrors.IsNotFound(err):
		return conditions.False("StatefulSetMissing", "Missing required stateful sets: ["+prometheus.Shoot+"]")
	case err != nil:
		return conditions.Unknown("StatefulSetUnknown", fmt.Sprintf("Could not read stateful set %q: %v", prometheus.Shoot, err))
	case set.Status.ObservedGeneration < set.Generation || set.Status.ReadyReplicas < ptr.Deref(set.Spec.Replicas, 1):
		return conditions.False("StatefulSetUnhealthy", fmt.Sprintf("Stateful set %q is unhealthy: %d of %d pods are ready", set.Name, set.Status.ReadyReplicas, ptr.Deref(set.Spec.Replicas, 1)))
	}
	return conditions.True("ObservabilityComponentsRunning", "All observability components are healthy.")
}
