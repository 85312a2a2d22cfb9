package dns

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// DeployOwner publishes which seed is responsible for the shoot. A record that says it already stays as it is: its value changes only
// when the shoot is restored on another seed. A restoration publishes it in any case, since the seed may have a record of an earlier time.
func (r Records) DeployOwner(ctx context.Context) error {
	err := r.deployOwner(ctx)
	if err == nil && r.Published != nil {
		r.Published()
	}
	return err
}

func (r Records) deployOwner(ctx context.Context) error {
	values := []string{r.Owner}
	found := r.record(constants.DNSRecordOwnerName)
	err := r.Space.Client.Get(ctx, client.ObjectKeyFromObject(found), found)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("read the record of the owner: %w", err)
	}
	if err == nil && r.Space.Extensions.Restored == nil && slices.Equal(found.Spec.Values, values) && succeeded(found) {
		return nil
	}
	return r.publish(ctx, constants.DNSRecordOwnerName, r.Exposure.Internal, r.Exposure.Internal.Owner(), extensionsv1alpha1.DNSRecordTypeTXT, values)
}

// GiveUpOwner publishes that the seed that the shoot moves to is responsible for it. A record that says it already stays as it is, and one
// that does not exist is not made.
func (r Records) GiveUpOwner(ctx context.Context) error {
	values := []string{r.NextOwner}
	found := r.record(constants.DNSRecordOwnerName)
	err := r.Space.Client.Get(ctx, client.ObjectKeyFromObject(found), found)
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return fmt.Errorf("read the record of the owner: %w", err)
	case r.NextOwner == "":
		return errors.New("the seed that the shoot moves to has no identity yet")
	case slices.Equal(found.Spec.Values, values) && (succeeded(found) || released(found)):
		return nil
	}
	object := r.record(constants.DNSRecordOwnerName)
	object.Spec = *found.Spec.DeepCopy()
	object.Spec.Values = values
	return r.request(ctx, object)
}

// released reports whether the extension has released a record. Its value stays in the DNS.
func released(record *extensionsv1alpha1.DNSRecord) bool {
	last := record.Status.LastOperation
	return last != nil && last.Type == gardencorev1beta1.LastOperationTypeMigrate
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
