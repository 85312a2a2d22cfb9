package resourcemanager

import (
	"errors"
	"fmt"
	"time"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/managedresource"
)

// Config says which parts of a resource manager run, and how. The zero value handles ManagedResources of the default
// class and nothing else.
type Config struct {
	// Name makes the names of the controllers unique in the process: "resourcemanager-<name>-…". Default: the class.
	Name string
	// Class is the class of ManagedResources to handle. Default: managedresource.DefaultClass.
	Class string
	// ClusterID goes into the origin annotation of managed objects. ClusterIDFromCluster and ClusterIDOrNone read it
	// from the source cluster. Default: none.
	ClusterID string
	// ManagedByLabel is the value of the managed-by label. Default: "gardener".
	ManagedByLabel string
	// SyncPeriod is how often healthy ManagedResources are compared with the target. Default: one minute.
	SyncPeriod time.Duration
	// AlwaysUpdate writes objects at every sync even where nothing seems to differ.
	AlwaysUpdate bool
	// ConcurrentSyncs is how many ManagedResources, and how many Secrets, are handled at a time. Default: 5.
	ConcurrentSyncs int
	// TokenRequestor fills token Secrets, TokenRequestorClass limits it to Secrets of that class or without one.
	TokenRequestor      bool
	TokenRequestorClass string
	// CSRApprover approves serving certificates of kubelets in the target; with MachineNamespace set only for nodes
	// of Machines in that namespace of the source.
	CSRApprover      bool
	MachineNamespace string
}

func (c Config) withDefaults() Config {
	if c.Class == "" {
		c.Class = managedresource.DefaultClass
	}
	if c.Name == "" {
		c.Name = c.Class
	}
	if c.ManagedByLabel == "" {
		c.ManagedByLabel = "gardener"
	}
	if c.SyncPeriod == 0 {
		c.SyncPeriod = time.Minute
	}
	if c.ConcurrentSyncs == 0 {
		c.ConcurrentSyncs = 5
	}
	return c
}

func (c Config) validate() error {
	var errs []error
	if c.SyncPeriod < time.Second {
		errs = append(errs, fmt.Errorf("sync period %s is shorter than a second", c.SyncPeriod))
	}
	if c.ConcurrentSyncs < 1 {
		errs = append(errs, fmt.Errorf("concurrent syncs %d is less than 1", c.ConcurrentSyncs))
	}
	return errors.Join(errs...)
}
