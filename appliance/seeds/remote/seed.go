// Package remote describes seeds whose Seed object names a kubeconfig: the process of the landscape serves them from outside.
package remote

import (
	"context"
	"errors"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/appliance/gardenlets"
	"github.com/gardener-up/gardener-up/controllers/gardenlet"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/podsignature"
	"github.com/gardener-up/gardener-up/embedded/webhook"
	"github.com/gardener-up/gardener-up/local"
)

// Hosting hosts shoots in a cluster that another process or an operator has made. Its implementations differ by the nodes of
// the cluster.
type Hosting interface {
	// Prepare enables the nodes to run the components of a seed. Leave reverts that. Both may be repeated. Leave of a Seed removes what this
	// process has registered at the API server, too.
	Prepare(context.Context) error
	Leave(context.Context) error
	// FrontDoor is host:port of the front door to the cluster's shoots, as this process reaches it.
	FrontDoor(context.Context) (string, error)
	// CallsBack, Calls, OwnerServer, Pods, Backups, Adapt and AddProvider are those of managers.Seed.
	CallsBack() bool
	Calls(server string) webhook.Way
	OwnerServer() string
	Pods() *podsignature.Signer
	Backups() string
	Adapt(*gardenlet.Config)
	AddProvider(manager.Manager) error
	// Stop stops the machines that run beside the cluster when the landscape stops.
	Stop(context.Context) error
}

// Seed is a remote seed. It implements managers.Seed.
type Seed struct {
	Hosting
	Object     *gardencorev1beta1.Seed
	Access     *rest.Config // from the kubeconfig
	Gardenlets gardenlets.Source
}

// Name implements managers.Seed.
func (s Seed) Name() string { return s.Object.Name }

// Leave implements Hosting.
func (s Seed) Leave(ctx context.Context) error {
	return errors.Join(s.Hosting.Leave(ctx), local.Leave(ctx, s.Access))
}

// Config implements managers.Seed.
func (s Seed) Config() (*rest.Config, error) { return s.Access, nil }

// Gardenlet implements managers.Seed.
func (s Seed) Gardenlet() (*config.GardenletConfiguration, error) {
	return s.Gardenlets.Remote(s.Object)
}
