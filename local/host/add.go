package host

import (
	"context"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/gardener-up/gardener-up/local/containers"
	"github.com/gardener-up/gardener-up/local/machine/container"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// concurrent is the number of machines made at once. A higher number is not faster on a laptop.
const concurrent = 3

// defaultPeriod bounds how long a change made behind the agent's back goes unnoticed.
const defaultPeriod = 10 * time.Second

// Inventory records the items that the agent makes outside of the seed's API.
type Inventory interface {
	// Add records an item before it is made. Adding it again changes nothing.
	Add(kind, name string) error
	// Remove removes an item that is gone. It is no error if the item was never added.
	Remove(kind, name string) error
	// Hold notes the seed that an item belongs to from now on, instead of the seed that made it. An empty seed means none.
	Hold(kind, name, seed string) error
	// Holder returns the seed that was noted last; known is false if none was.
	Holder(kind, name string) (seed string, known bool, err error)
}

// InventoryKind is the kind of machine containers in the inventory. Their name there is the container's name.
const InventoryKind = "container"

// Config of the agent for one seed. All fields are required but Seed, Image, Place, Period and Log.
type Config struct {
	// Engine makes the containers.
	Engine *containers.Engine
	// Landscape and Seed are labels of containers. Agents that share an engine must differ in one of them.
	Landscape, Seed string
	// Network of the engine that machines are in.
	Network string
	// Gateways returns the addresses on that network under which machines reach API servers. Each leads to all of them.
	Gateways func(context.Context) ([]string, error)
	// Images are the images that machines may have. The agent refuses to make a container of another image, because the container
	// would have all rights on this machine.
	Images []string
	// Binary is the absolute path of this program. Machines get a copy of it.
	Binary string
	// Image returns the absolute path of an archive with the appliance image; nil if machines do not need the image.
	Image func(context.Context) (string, error)
	// Inventory of the landscape.
	Inventory Inventory
	// Place asks the garden for a shoot by its namespace in the seed. Without it no container is taken over from another seed.
	Place func(ctx context.Context, shoot string) (Place, error)
	// Period is the interval between checks of what the engine runs; default 10 seconds.
	Period time.Duration
	// Log defaults to that of the manager.
	Log logr.Logger
}

// AddToManager adds the agent to the manager of a seed, whose scheme knows the core group.
func AddToManager(mgr manager.Manager, cfg Config) error {
	if cfg.Log.GetSink() == nil {
		cfg.Log = mgr.GetLogger().WithName("machine-host")
	}
	if cfg.Period == 0 {
		cfg.Period = defaultPeriod
	}
	name := "local-machine-host"
	if cfg.Seed != "" {
		name += "-" + cfg.Seed
	}
	r := &Reconciler{Config: cfg, Client: mgr.GetClient(), Reader: mgr.GetAPIReader()}
	w := &watcher{reconciler: r, events: make(chan event.GenericEvent, 64)}
	if err := mgr.Add(w); err != nil {
		return fmt.Errorf("add watcher of containers: %w", err)
	}
	orders := predicate.NewPredicateFuncs(func(object client.Object) bool {
		return object.GetLabels()[container.Label] == container.LabelValue
	})
	err := builder.ControllerManagedBy(mgr).
		Named(name).
		For(&corev1.Secret{}, builder.OnlyMetadata, builder.WithPredicates(orders)).
		WatchesRawSource(source.Channel(w.events, &handler.EnqueueRequestForObject{})).
		WithOptions(workers.Options{Count: concurrent}.Controller()).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %s: %w", name, err)
	}
	return nil
}
