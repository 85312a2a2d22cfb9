package system

import (
	"context"
	"errors"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/coredns"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/connection"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/health"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// DNS is the DNS server of a shoot.
type DNS struct {
	Shoot    *gardencorev1beta1.Shoot
	Networks operation.Networks
	Space    seed.Space
	Restarts Restarts
	// Image of CoreDNS; empty for the public one.
	Image string
}

// Deploy passes the component to the resource manager.
func (d DNS) Deploy(ctx context.Context, shoot connection.Connection) error {
	ip, err := d.Networks.ServiceIP(10)
	if err != nil {
		return err
	}
	annotations, err := d.Restarts.of(ctx, shoot, presentCoreDNS)
	if err != nil {
		return err
	}
	values := coredns.Values{ClusterIP: ip.String(), Image: d.Image, Annotations: annotations}
	if system := d.Shoot.Spec.SystemComponents; system != nil && system.CoreDNS != nil && system.CoreDNS.Rewriting != nil {
		values.CommonSuffixes = system.CoreDNS.Rewriting.CommonSuffixes
	}
	return d.Space.DeployManaged(ctx, coredns.Resource, false, coredns.Objects(values)...)
}

// Await waits until names can be resolved in the shoot, since users would not call the shoot ready before.
func (d DNS) Await(ctx context.Context) error {
	resource := &resourcesv1alpha1.ManagedResource{ObjectMeta: metav1.ObjectMeta{Name: coredns.Resource, Namespace: d.Space.Name}}
	return await.Until(ctx, d.Space.Client, resource, func() error {
		if _, message := health.ManagedResource(resource); message != "" {
			return errors.New(message)
		}
		return nil
	})
}

// HasNodes reports whether the shoot has nodes for system components without scaling up a pool.
func HasNodes(shoot *gardencorev1beta1.Shoot) bool {
	return slices.ContainsFunc(shoot.Spec.Provider.Workers, func(worker gardencorev1beta1.Worker) bool {
		return worker.Minimum > 0 && (worker.SystemComponents == nil || worker.SystemComponents.Allow)
	})
}
