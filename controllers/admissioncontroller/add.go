// Package admissioncontroller composes the checks that the API servers of the garden request in addition to their built-in ones.
// Each check is a package of its own below this one. The admission controller reaches only the garden.
package admissioncontroller

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/config"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/debug"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/feed"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/graph"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/metrics"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/seedauthorizer"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/serving"
	"github.com/gardener-up/gardener-up/controllers/internal/effect"
	"github.com/gardener-up/gardener-up/embedded/webhook"
)

// Config of the admission controller.
type Config struct {
	// Configuration must have its defaults set; nil means the configuration of an empty file.
	Configuration *config.AdmissionControllerConfiguration
	// Server answers the API servers. The caller of AddToManager has to run it.
	Server *serving.Server
	// Reach returns how API servers reach Server, without a path. It is called repeatedly, since certificates change.
	Reach func() (admissionregistrationv1.WebhookClientConfig, error)
	// Callers may ask for authorizations and see the graph; nil means everybody.
	Callers *serving.Callers
	// Trusted are users whose requests are not checked, such as the landscape itself.
	Trusted []string
	// Extensions are the webhooks of providers that this process serves as well.
	Extensions []Extension
	// InLandscape means that this process runs more than the admission controller and decides how the garden is reached.
	InLandscape bool
}

// Extension are webhooks of a provider for objects in the garden.
type Extension struct {
	// Name of the webhook configurations.
	Name  string
	Hooks []webhook.Hook
}

// AddToManager adds the admission controller to the manager of the garden.
func AddToManager(mgr manager.Manager, cfg Config) error {
	if cfg.Configuration == nil {
		cfg.Configuration = config.Default()
	}
	keys := cfg.Configuration.WithoutEffect()
	if cfg.InLandscape {
		keys = append(keys, cfg.Configuration.OfProcess()...)
	}
	effect.Log(mgr.GetLogger(), keys)

	metrics.Register()
	objects := &graph.Graph{}
	objectFeed := &feed.Feed{Cache: mgr.GetCache(), Graph: objects, Observe: metrics.GraphUpdated}
	hooks := checks{
		reader: mgr.GetAPIReader(), scheme: mgr.GetScheme(), objects: objects,
		limits: cfg.Configuration.Server.ResourceAdmissionConfiguration, trusted: cfg.Trusted,
	}.hooks()
	registrations := []*registration{{name: Name, target: mgr.GetClient(), hooks: hooks, reach: cfg.Reach}}
	for _, extension := range cfg.Extensions {
		hooks = append(hooks, extension.Hooks...)
		registrations = append(registrations, &registration{name: extension.Name, target: mgr.GetClient(), hooks: extension.Hooks, reach: cfg.Reach})
	}
	mux := webhook.Handler(hooks, mgr.GetLogger())
	mux.Handle(seedauthorizer.Path, cfg.Callers.Only(metrics.Decisions(seedauthorizer.New(objects))))
	if cfg.Configuration.Server.EnableDebugHandlers {
		mux.Handle(debug.Path, cfg.Callers.Only(debug.Handler(objects)))
	}
	answers := manager.RunnableFunc(func(ctx context.Context) error {
		metrics.Watch(objects)
		defer cfg.Server.Attach(mux, objectFeed.Ready)()
		<-ctx.Done()
		return nil
	})
	err := errors.Join(mgr.Add(everywhere{objectFeed}), mgr.Add(everywhere{answers}))
	for _, registration := range registrations {
		err = errors.Join(err, mgr.Add(everywhere{registration}))
	}
	if err == nil {
		err = mgr.AddReadyzCheck("webhooks", func(*http.Request) error {
			all := []error{cfg.Server.Ready()}
			for _, registration := range registrations {
				all = append(all, registration.ready())
			}
			return errors.Join(all...)
		})
	}
	if err != nil {
		return fmt.Errorf("add admission controller: %w", err)
	}
	return nil
}
