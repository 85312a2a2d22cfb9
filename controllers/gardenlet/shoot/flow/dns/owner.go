package dns

import (
	"context"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// DeployOwner publishes which seed is responsible for the shoot. A record that says it already stays as it is: its value changes only
// when the shoot is restored on another seed.
func (r Records) DeployOwner(ctx context.Context) error {
	values := []string{r.Owner}
	found := r.record(constants.DNSRecordOwnerName)
	err := r.Space.Client.Get(ctx, client.ObjectKeyFromObject(found), found)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("read the record of the owner: %w", err)
	}
	if err == nil && slices.Equal(found.Spec.Values, values) && succeeded(found) {
		return nil
	}
	return r.publish(ctx, constants.DNSRecordOwnerName, r.Exposure.Internal, r.Exposure.Internal.Owner(), extensionsv1alpha1.DNSRecordTypeTXT, values)
}

// succeeded reports whether a record is published, and nothing else is asked of its extension.
func succeeded(record *extensionsv1alpha1.DNSRecord) bool {
	last := record.Status.LastOperation
	return record.DeletionTimestamp == nil && record.Annotations[constants.GardenerOperation] == "" && record.Status.ObservedGeneration == record.Generation &&
		last != nil && last.State == gardencorev1beta1.LastOperationStateSucceeded && last.Type != gardencorev1beta1.LastOperationTypeMigrate
}

// DestroyOwner removes the record.
func (r Records) DestroyOwner(ctx context.Context) error {
	return r.Destroy(ctx, constants.DNSRecordOwnerName)
}
