package seed

import (
	"context"
	"errors"
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/embedded/webhook"
)

// Name of the webhook configurations.
const Name = "gardener-seed-admission-controller"

// Config says how API servers reach the admission controller.
type Config struct {
	// BindAddress is host:port; port 0 takes a free port. Default: 127.0.0.1:0, for API servers on the same machine.
	BindAddress string
	// Service is the Service through which the API server reaches this process. Without it URL is used, and without URL
	// the address listened on.
	Service *admissionregistrationv1.ServiceReference
	URL     string
	// Namespace of the Secret with the certificates. Default: garden.
	Namespace string
	// Scheduler registers the webhook for pods of shoot control planes.
	Scheduler bool
}

// AddToManager adds the admission controller to the manager of a seed, and a readiness check.
func AddToManager(mgr manager.Manager, cfg Config) error {
	if cfg.BindAddress == "" {
		cfg.BindAddress = "127.0.0.1:0"
	}
	if cfg.Namespace == "" {
		cfg.Namespace = "garden"
	}
	hooks := DeletionConfirmation()
	if cfg.Scheduler {
		hooks = append(hooks, ControlPlaneScheduler())
	}
	server := &webhook.Server{
		Name: Name, Hooks: hooks, Clock: clock.RealClock{},
		Source: mgr.GetClient(), Reader: mgr.GetAPIReader(), Target: mgr.GetClient(),
		Secret:      types.NamespacedName{Namespace: cfg.Namespace, Name: Name + "-server"},
		BindAddress: cfg.BindAddress, Service: cfg.Service, URL: cfg.URL,
	}
	if err := errors.Join(mgr.Add(server), mgr.AddReadyzCheck("webhooks", server.Ready)); err != nil {
		return fmt.Errorf("add seed admission: %w", err)
	}
	return nil
}

// Reserve registers the webhooks before the admission controller answers at the Service for the first time. Until it answers, the
// seed refuses all deletions of protected objects.
func Reserve(ctx context.Context, c client.Client, service admissionregistrationv1.ServiceReference) error {
	return webhook.Reserve(ctx, c, Name, DeletionConfirmation(), service)
}
