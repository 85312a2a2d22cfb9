package dns

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// Republisher puts the records that were published before back into the zone once when the manager starts: the zone
// lives in memory, and records that are done are not looked at again by their controller.
type Republisher struct {
	// Reader of the seed.
	Reader client.Reader
	// Zone to fill.
	Zone Zone
	// Type of the records in charge.
	Type string
}

// Start implements manager.Runnable.
func (r *Republisher) Start(ctx context.Context) error {
	records := &extensionsv1alpha1.DNSRecordList{}
	if err := r.Reader.List(ctx, records); err != nil {
		return fmt.Errorf("list DNS records: %w", err)
	}
	for i := range records.Items {
		record := &records.Items[i]
		if record.Spec.Type != r.Type || !published(record) {
			continue
		}
		if err := publish(r.Zone, record); err != nil {
			log.FromContext(ctx).Error(err, "Could not publish record again", "record", client.ObjectKeyFromObject(record))
		}
	}
	return nil
}

// published reports whether a record was published and not taken back or handed over to another seed since.
func published(record *extensionsv1alpha1.DNSRecord) bool {
	last := record.Status.LastOperation
	return record.DeletionTimestamp == nil && last != nil && last.Type != gardencorev1beta1.LastOperationTypeMigrate &&
		last.State == gardencorev1beta1.LastOperationStateSucceeded &&
		controllerutil.ContainsFinalizer(record, contract.Finalizer(record))
}
