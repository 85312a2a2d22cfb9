// Package callbacks lets pods and API servers of seeds call this process, if their nodes are containers or other machines, which know no address of it. The
// calls come through a connection that this process makes to a pod of the seed, so nothing of this machine listens for them. They reach the
// front door of the garden, the webhooks of this process, and the records of shoots.
package callbacks

import (
	"context"
	"fmt"
	"io"
	"net"
	"strconv"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/appliance/gardenservice"
	controller "github.com/gardener-up/gardener-up/controllers/callback"
	"github.com/gardener-up/gardener-up/controllers/gardenlet"
	component "github.com/gardener-up/gardener-up/controllers/gardenlet/component/callback"
	"github.com/gardener-up/gardener-up/embedded/callback"
	"github.com/gardener-up/gardener-up/embedded/dns"
	"github.com/gardener-up/gardener-up/embedded/podreach"
	"github.com/gardener-up/gardener-up/embedded/webhook"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// Callbacks are the calls of one seed.
type Callbacks struct {
	seed    string // its name
	servers callback.Servers
	records *dns.Zone
	log     logr.Logger
}

// New returns the calls of a seed. garden is host:port of the front door of the garden. records are those of shoots.
func New(seed, garden string, records *dns.Zone, log logr.Logger) *Callbacks {
	c := &Callbacks{seed: seed, records: records, log: log.WithName("callbacks")}
	c.servers.Forward(component.Garden, garden)
	return c
}

// Way is how the API server of the seed calls a server of webhooks.
func (c *Callbacks) Way(server string) webhook.Way {
	return webhook.Way{
		Service: component.Webhook(server), Listen: func() (net.Listener, error) { return c.servers.Listen(server) },
	}
}

// OwnerServer is host:port of the name server that pods of the seed ask for owners of shoots.
func (*Callbacks) OwnerServer() string { return component.RecordsServer }

// answerRecords answers questions of pods of the seed about records.
func (c *Callbacks) answerRecords(ctx context.Context) error {
	listener, err := c.servers.Listen(component.Records)
	if err != nil {
		return err
	}
	return dns.ServeRecords(ctx, listener, c.records, c.log)
}

// Adapt makes the gardenlet deploy what the calls need, and tell pods of the seed where the garden is.
func (c *Callbacks) Adapt(config *gardenlet.Config) {
	if config.Garden == nil {
		return
	}
	config.GardenInSeed, config.Callback = gardenservice.InSeed(*config.Garden), true
}

// AddToManager keeps the connections to the pods of the seed, and answers questions about records, as long as its manager runs.
func (c *Callbacks) AddToManager(mgr manager.Manager) error {
	access := rest.CopyConfig(mgr.GetConfig())
	reconciler := &controller.Reconciler{
		SeedName: c.seed, Clock: clock.RealClock{},
		Connect: func(ctx context.Context, pod types.NamespacedName) (io.ReadWriteCloser, error) {
			return podreach.Stream(ctx, access, pod, strconv.Itoa(component.LandscapePort))
		},
		Answer: func(ctx context.Context, conn io.ReadWriteCloser, up func()) error {
			return c.servers.Answer(ctx, conn, up, c.log)
		},
	}
	if err := reconciler.AddToManager(mgr, workers.Options{}); err != nil {
		return fmt.Errorf("add callbacks of seed %q: %w", c.seed, err)
	}
	if err := mgr.Add(manager.RunnableFunc(c.answerRecords)); err != nil {
		return fmt.Errorf("add name server for seed %q: %w", c.seed, err)
	}
	return nil
}
