package machine

import (
	"cmp"
	"fmt"
	"time"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/controllers/machine/class"
	"github.com/gardener-up/gardener-up/controllers/machine/deployment"
	"github.com/gardener-up/gardener-up/controllers/machine/freeze"
	"github.com/gardener-up/gardener-up/controllers/machine/lifecycle"
	"github.com/gardener-up/gardener-up/controllers/machine/orphans"
	"github.com/gardener-up/gardener-up/controllers/machine/set"
	contractmachine "github.com/gardener-up/gardener-up/providers/contract/machine"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// Config of the controllers. The zero value of a field means its default, unless the field says otherwise.
type Config struct {
	// Target is the cluster that the machines join; it is required. The caller adds it to the manager. Its scheme knows
	// the groups core and policy.
	Target cluster.Cluster
	// Driver makes the machines; it is required.
	Driver contractmachine.Driver
	// Namespace of the objects; it is required.
	Namespace string
	// CreationTimeout is how long a machine may take to become a ready node. Default: 20 minutes.
	CreationTimeout time.Duration
	// HealthTimeout is how long a node may be unhealthy before its machine is replaced. Default: 10 minutes.
	HealthTimeout time.Duration
	// DrainTimeout is how long draining a node may take. Default: 2 hours.
	DrainTimeout time.Duration
	// InPlaceUpdateTimeout is how long an update of a machine in place may take. Default: 30 minutes.
	InPlaceUpdateTimeout time.Duration
	// NodeConditions make a node unhealthy when they are True. Default: DefaultNodeConditions.
	NodeConditions []string
	// RetryPeriod is the pause after an error of the driver that may pass by itself. Default: 5 seconds.
	RetryPeriod time.Duration
	// OrphanPeriod is the interval of the search for machines without a Machine. Default: 15 minutes.
	OrphanPeriod time.Duration
	// Workers is the number of machines reconciled at once. Default: 10.
	Workers int
	// Clock is for timeouts. Default: the real one.
	Clock clock.WithTicker
}

// DefaultNodeConditions make a node unhealthy when they are True.
var DefaultNodeConditions = []string{"KernelDeadlock", "ReadonlyFilesystem", "DiskPressure", "NetworkUnavailable"}

func (c *Config) setDefaults() {
	c.CreationTimeout = cmp.Or(c.CreationTimeout, 20*time.Minute)
	c.HealthTimeout = cmp.Or(c.HealthTimeout, 10*time.Minute)
	c.DrainTimeout = cmp.Or(c.DrainTimeout, 2*time.Hour)
	c.InPlaceUpdateTimeout = cmp.Or(c.InPlaceUpdateTimeout, 30*time.Minute)
	c.RetryPeriod = cmp.Or(c.RetryPeriod, 5*time.Second)
	c.OrphanPeriod = cmp.Or(c.OrphanPeriod, 15*time.Minute)
	c.Workers = cmp.Or(c.Workers, 10)
	if c.NodeConditions == nil {
		c.NodeConditions = DefaultNodeConditions
	}
	if c.Clock == nil {
		c.Clock = clock.RealClock{}
	}
}

// AddToManager adds the controllers to the manager of the control cluster, whose scheme knows the groups core and
// machine.sapcloud.io.
func AddToManager(control manager.Manager, cfg Config) error {
	cfg.setDefaults()
	guard := freeze.For(cfg.Target, cfg.Clock)
	deployments := &deployment.Reconciler{Client: control.GetClient(), Clock: cfg.Clock}
	if err := deployments.AddToManager(control, workers.Options{Count: 3}); err != nil {
		return fmt.Errorf("add controller for MachineDeployments: %w", err)
	}
	sets := &set.Reconciler{Client: control.GetClient(), Reader: control.GetAPIReader(), Frozen: guard.Frozen, Clock: cfg.Clock, Retry: cfg.RetryPeriod}
	if err := sets.AddToManager(control, workers.Options{Count: 3}); err != nil {
		return fmt.Errorf("add controller for MachineSets: %w", err)
	}
	classes := &class.Reconciler{Client: control.GetClient(), Reader: control.GetAPIReader()}
	if err := classes.AddToManager(control, workers.Options{}); err != nil {
		return fmt.Errorf("add controller for MachineClasses: %w", err)
	}
	machines := &lifecycle.Reconciler{
		Client: control.GetClient(), Reader: control.GetAPIReader(),
		Target: cfg.Target.GetClient(), TargetCache: cfg.Target.GetCache(), TargetReader: cfg.Target.GetAPIReader(),
		Driver: cfg.Driver, Namespace: cfg.Namespace, Frozen: guard.Frozen, Clock: cfg.Clock,
		Settings: lifecycle.Settings{
			Creation: cfg.CreationTimeout, Health: cfg.HealthTimeout, Drain: cfg.DrainTimeout, InPlaceUpdate: cfg.InPlaceUpdateTimeout, Retry: cfg.RetryPeriod, NodeConditions: cfg.NodeConditions,
		},
	}
	if err := machines.AddToManager(control, workers.Options{Count: cfg.Workers}); err != nil {
		return fmt.Errorf("add controller for Machines: %w", err)
	}
	collector := &orphans.Collector{
		Client: control.GetClient(), Reader: control.GetAPIReader(),
		Driver: cfg.Driver, Namespace: cfg.Namespace, Period: cfg.OrphanPeriod, Frozen: guard.Frozen, Clock: cfg.Clock,
	}
	if err := control.Add(collector); err != nil {
		return fmt.Errorf("add collector of orphans: %w", err)
	}
	return nil
}
