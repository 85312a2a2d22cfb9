// Package ownership makes extension controllers act only for shoots that their seed owns. A TXT record in the DNS names the owner. So a
// seed whose shoot has been moved away stops acting, even if neither the garden nor the API server of the seed can tell it.
//
// The package asks only where the gardenlet publishes the owner: where the seed checks owners, and the namespace of the shoot has the
// DNSRecord <shoot>-owner, which has been published once. The owner that it expects is the identity of the seed in the Cluster.
package ownership

import (
	"context"
	"fmt"
	"time"

	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/owner"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// Times of the checks, as in Gardener: how often the owner is asked for, and how long it may be unknown.
const (
	interval = 30 * time.Second
	timeout  = 2 * time.Minute
)

// Checks asks for the owners of the shoots of a seed. All fields are required. It is safe for concurrent use.
type Checks struct {
	// Reader of the seed. It may be a cache.
	Reader   client.Reader
	Resolver owner.Resolver
	Clock    clock.Clock
}

// RecordName is the name of the DNSRecord that names the owner of a shoot.
func RecordName(shoot string) string { return shoot + "-" + constants.DNSRecordOwnerName }

// LostError means that a record does not name this seed.
type LostError struct {
	// Record is its name in the DNS, and Seed the identity of this seed.
	Record, Seed string
	// Reason is why the owner is not known; nil if the record names another seed.
	Reason error
}

func (e *LostError) Error() string {
	if e.Reason != nil {
		return fmt.Sprintf("it is not known whether seed %q owns the shoot, see the record %s and its name server: %v", e.Seed, e.Record, e.Reason)
	}
	return fmt.Sprintf("record %s does not name seed %q as the owner of the shoot", e.Record, e.Seed)
}

func (e *LostError) Unwrap() error { return e.Reason }

// Guard asks whether the seed of the Cluster owns its shoot, which both must be there. It returns a LostError if it does not, or if that is
// unknown. It then goes on asking, and ends the returned context with a LostError as its cause when the seed is not the owner any longer.
// stop must be called at the end of the work. It ends the context, and returns when nobody asks any longer.
func (c *Checks) Guard(ctx context.Context, cluster *contract.Cluster) (guarded context.Context, stop func(), err error) {
	free := func() {}
	id := ptr.Deref(cluster.Seed.Status.ClusterIdentity, "")
	if !helper.ChecksOwners(cluster.Seed) || id == "" {
		return ctx, free, nil
	}
	record := &extensionsv1alpha1.DNSRecord{}
	err = c.Reader.Get(ctx, client.ObjectKey{Namespace: cluster.Name, Name: RecordName(cluster.Shoot.Name)}, record)
	if client.IgnoreNotFound(err) != nil {
		return nil, nil, fmt.Errorf("read the record of the owner of the shoot: %w", err)
	}
	if err != nil || !published(record) {
		return ctx, free, nil // no other seed can have had the shoot
	}
	check := owner.Check{
		Name: record.Spec.Name, ID: id, Interval: interval, Timeout: timeout, Resolver: c.Resolver, Clock: c.Clock,
	}
	lost := func(reason error) error { return &LostError{Record: check.Name, Seed: check.ID, Reason: reason} }
	if answer, reason := check.Ask(ctx); answer != owner.Self {
		return nil, nil, lost(reason)
	}
	guarded, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if answer, reason := check.Lost(guarded); answer != owner.Self {
			cancel(lost(reason))
		}
	}()
	return guarded, func() {
		cancel(context.Canceled)
		<-ended
	}, nil
}

// published reports whether the record has been in the DNS. A shoot whose record could never be published is free to be deleted.
func published(record *extensionsv1alpha1.DNSRecord) bool {
	last := record.Status.LastOperation
	return last != nil && (last.Type != gardencorev1beta1.LastOperationTypeCreate || last.State == gardencorev1beta1.LastOperationStateSucceeded)
}
