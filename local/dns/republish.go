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

// Republisher publishes existing records again once when the manager starts. The zone is in memory only, and the
// controller does not reconcile finished records again.
type Republisher struct {
	// Reader of the seed.
	Reader client.Reader
	// Zone to fill.
	Zone Zone
	// Type of the records to publish.
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
		if err := publish(ctx, r.Zone, record); err != nil {
			log.FromContext(ctx).Error(err, "Could not publish record again", "record", client.ObjectKeyFromObject(record))
		}
	}
	return nil
}

// published reports whether a record is published: it was not deleted or migrated to another seed since.
func published(record *extensionsv1alpha1.DNSRecord) bool {
	last := record.Status.LastOperation
	return record.DeletionTimestamp == nil && last != nil && last.Type != gardencorev1beta1.LastOperationTypeMigrate &&
		last.State == gardencorev1beta1.LastOperationStateSucceeded &&
		controllerutil.ContainsFinalizer(record, contract.Finalizer(record))
}
