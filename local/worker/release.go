package worker

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/local/machine/container"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// release withdraws the orders of machines that are containers, without their containers, which go on for another seed. It is done when
// the host has taken note of all of them: an order that went with its namespace would take its container with it.
func (a *Actuator) release(ctx context.Context, namespace string) error {
	if a.Machines != api.Containers {
		return nil
	}
	orders := &corev1.SecretList{}
	if err := a.Reader.List(ctx, orders, client.InNamespace(namespace), client.MatchingLabels{container.Label: container.LabelValue}); err != nil {
		return fmt.Errorf("list orders of machines: %w", err)
	}
	for i := range orders.Items {
		order := &orders.Items[i]
		if !container.Released(order) {
			before := order.DeepCopy()
			if order.Annotations == nil {
				order.Annotations = map[string]string{}
			}
			order.Annotations[container.ReleasedAnnotation] = "true"
			if err := a.Client.Patch(ctx, order, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
				return fmt.Errorf("release order %s: %w", order.Name, err)
			}
		}
		if order.DeletionTimestamp != nil {
			continue
		}
		if err := a.Client.Delete(ctx, order); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("withdraw order %s: %w", order.Name, err)
		}
	}
	if left := len(orders.Items); left > 0 {
		return contract.Waiting{For: fmt.Sprintf("%d containers of machines to be released", left)}
	}
	return nil
}
