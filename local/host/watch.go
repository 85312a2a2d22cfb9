package host

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/gardener-up/gardener-up/local/machine/container"
)

// watcher triggers a reconciliation of orders whose container changed behind the agent's back, and removes
// containers without an order. One query to the engine serves all machines.
type watcher struct {
	reconciler *Reconciler
	events     chan event.GenericEvent
	// last is the previous finding, by order.
	last map[types.NamespacedName]string
	// started means that containers which did not run when the agent began have been started.
	started bool
	// quiet is the last error, so that it is logged only once.
	quiet string
}

// Start implements manager.Runnable.
func (w *watcher) Start(ctx context.Context) error {
	ticker := time.NewTicker(w.reconciler.Period)
	defer ticker.Stop()
	for {
		if err := w.look(ctx); err != nil && ctx.Err() == nil {
			if w.quiet != err.Error() {
				w.reconciler.Log.Error(err, "Could not look at the containers of machines")
			}
			w.quiet = err.Error()
		} else {
			w.quiet = ""
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// look compares the containers with the previous ones and with the orders.
func (w *watcher) look(ctx context.Context) error {
	r := w.reconciler
	if err := r.keepPolicy(ctx); err != nil && !apimeta.IsNoMatchError(err) { // clusters before 1.30 know no such policies
		return err
	}
	all, err := r.Engine.List(ctx, labels(r.Landscape)) // before the orders: a container comes after its order
	if err != nil {
		return err
	}
	if err := r.disposeReleased(ctx, all); err != nil {
		return err
	}
	found, err := r.mine(all)
	if err != nil {
		return err
	}
	var gateways []string
	if len(found) > 0 {
		if gateways, err = r.Gateways(ctx); err != nil {
			return fmt.Errorf("find the front door: %w", err)
		}
	}
	orders := &metav1.PartialObjectMetadataList{}
	orders.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("SecretList"))
	if err := r.Reader.List(ctx, orders, client.MatchingLabels{container.Label: container.LabelValue}); err != nil {
		return fmt.Errorf("list orders: %w", err)
	}
	ordered := map[types.NamespacedName]bool{}
	for _, order := range orders.Items {
		ordered[client.ObjectKeyFromObject(&order)] = true
	}
	now := map[types.NamespacedName]string{}
	for _, c := range found {
		key := keyOf(c.Labels[LabelShoot], c.Labels[LabelMachine])
		if !ordered[key] {
			if holder, err := r.holder(c); err != nil || holder != r.Seed { // released since it was listed
				return err
			}
			if err := r.dispose(ctx, c.Name); err != nil {
				return err
			}
			continue
		}
		if !w.started && !c.Running { // it stopped with the landscape, or with the host
			if err := r.Engine.Start(ctx, c.Name); err != nil {
				r.Log.Error(err, "Could not start machine again", "container", c.Name)
			}
			continue // so that its order is looked at now and in a moment
		}
		now[key] = fmt.Sprintf("%s %t %s %s %s", c.ID, c.Running, c.StartedAt, c.IP(r.Network), gateways)
	}
	w.started = true
	return w.tell(ctx, ordered, now)
}

// tell triggers a reconciliation of the orders about which something new was found.
func (w *watcher) tell(ctx context.Context, ordered map[types.NamespacedName]bool, now map[types.NamespacedName]string) error {
	for key := range ordered {
		if w.last[key] == now[key] {
			continue
		}
		order := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name, Labels: map[string]string{container.Label: container.LabelValue}}}
		select {
		case w.events <- event.GenericEvent{Object: order}:
		case <-ctx.Done():
			return nil
		}
	}
	w.last = now
	return nil
}

func keyOf(namespace, machine string) types.NamespacedName {
	namespace, name := container.Key(namespace, machine)
	return types.NamespacedName{Namespace: namespace, Name: name}
}
