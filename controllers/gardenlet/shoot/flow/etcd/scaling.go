package etcd

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	component "github.com/gardener-up/gardener-up/controllers/gardenlet/component/etcd"
	autoscalingv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/autoscaling/v1alpha1"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// scale writes the Hvpa of an etcd, and returns the requests that the etcd keeps. They are empty if it is new, or is not scaled.
func (e Etcd) scale(ctx context.Context, role string) (corev1.ResourceList, error) {
	if !e.Scaled {
		return nil, nil
	}
	values := component.ScalingValues{Namespace: e.Space.Name, Role: role, Purpose: e.Shoot.Spec.Purpose, Window: window(e.Shoot)}
	if _, err := e.Space.Apply(ctx, component.Scaling(values)); err != nil {
		return nil, err
	}
	found := object(role, e.Space.Name)
	if err := e.Space.Client.Get(ctx, client.ObjectKeyFromObject(found), found); client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("read %s: %w", found.Name, err)
	}
	if found.Spec.Etcd.Resources == nil {
		return nil, nil
	}
	return found.Spec.Etcd.Resources.Requests, nil
}

func window(shoot *gardencorev1beta1.Shoot) *gardencorev1beta1.MaintenanceTimeWindow {
	if shoot.Spec.Maintenance == nil {
		return nil
	}
	return shoot.Spec.Maintenance.TimeWindow
}

// stopScaling deletes the Hvpa of an etcd. A seed may not have the kind.
func (e Etcd) stopScaling(ctx context.Context, role string) error {
	if !e.Scaled {
		return nil
	}
	err := e.Space.Delete(ctx, &autoscalingv1alpha1.Hvpa{ObjectMeta: metav1.ObjectMeta{Name: component.Name(role), Namespace: e.Space.Name}})
	if meta.IsNoMatchError(err) {
		return nil
	}
	return err
}
