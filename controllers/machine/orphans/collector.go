// Package orphans removes the provider's machines whose Machine is gone, for instance because its finalizer was
// removed by hand.
package orphans

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/controllers/machine/lifecycle"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	contractmachine "github.com/gardener-up/gardener-up/providers/contract/machine"
)

// Collector searches for orphans periodically. It is a Runnable of a manager.
type Collector struct {
	// Client reads MachineClasses from a cache.
	Client client.Client
	// Reader reads Machines and secrets from the API server.
	Reader client.Reader
	// Driver lists the existing machines.
	Driver contractmachine.Driver
	// Namespace of the classes.
	Namespace string
	// Period between two searches.
	Period time.Duration
	// Frozen reports whether machines must stay as they are.
	Frozen func(ctx context.Context) bool
	// Clock for the period.
	Clock clock.WithTicker
}

// Start searches until the context ends. The first search is at once.
func (c *Collector) Start(ctx context.Context) error {
	ticker := c.Clock.NewTicker(c.Period)
	defer ticker.Stop()
	for {
		if err := c.Collect(ctx); err != nil && ctx.Err() == nil {
			log.FromContext(ctx).Error(err, "Could not remove machines without a Machine")
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C():
		}
	}
}

// Collect searches once.
func (c *Collector) Collect(ctx context.Context) error {
	if c.Frozen(ctx) {
		return nil
	}
	classes := &machinev1alpha1.MachineClassList{}
	if err := c.Client.List(ctx, classes, client.InNamespace(c.Namespace)); err != nil {
		return fmt.Errorf("list MachineClasses: %w", err)
	}
	var failures []error
	for i := range classes.Items {
		if classes.Items[i].DeletionTimestamp == nil {
			failures = append(failures, c.collect(ctx, &classes.Items[i]))
		}
	}
	return errors.Join(failures...)
}

func (c *Collector) collect(ctx context.Context, class *machinev1alpha1.MachineClass) error {
	request, err := lifecycle.Request(ctx, c.Client, c.Reader, nil, client.ObjectKeyFromObject(class))
	if err != nil {
		return err
	}
	found, err := c.Driver.List(ctx, request)
	if err != nil {
		return fmt.Errorf("list machines of MachineClass %q: %w", class.Name, err)
	}
	if len(found) == 0 {
		return nil
	}
	// Machines are listed after the driver's machines, so that a machine made in between is not an orphan.
	machines := &machinev1alpha1.MachineList{}
	if err := c.Reader.List(ctx, machines, client.InNamespace(class.Namespace)); err != nil {
		return fmt.Errorf("list Machines: %w", err)
	}
	known := sets.New[string]()
	for i := range machines.Items {
		known.Insert(machines.Items[i].Name)
	}
	for providerID, name := range found {
		if known.Has(name) {
			continue
		}
		log.FromContext(ctx).Info("Removing machine without a Machine", "machine", name, "providerID", providerID)
		request.Machine = &machinev1alpha1.Machine{
			ObjectMeta: metav1.ObjectMeta{Namespace: class.Namespace, Name: name},
			Spec:       machinev1alpha1.MachineSpec{ProviderID: providerID, Class: machinev1alpha1.ClassSpec{Kind: "MachineClass", Name: class.Name}},
		}
		if err := c.Driver.Delete(ctx, request); err != nil && !contractmachine.IsNotFound(err) {
			return fmt.Errorf("delete machine %q: %w", name, err)
		}
	}
	return nil
}
