// Package dns publishes DNSRecords of type local in the zone of the embedded DNS server. It does not serve DNS itself.
package dns

import (
	"context"
	"fmt"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// defaultTTL in seconds is for records without a TTL.
const defaultTTL = 120

// Zone contains the records of one seed, and knows which names other objects and other seeds have. Both methods are level-based and safe
// for concurrent use. by is the DNSRecord.
type Zone interface {
	// Put replaces the values of a record type of a name; ttl in seconds. It is an error if another object has the name, or the same
	// object of another seed, unless its shoot has moved here.
	Put(ctx context.Context, by client.ObjectKey, name, recordType string, values []string, ttl int64) error
	// Delete removes a record type of a name; it is no error if there is none. It leaves names of other objects and seeds.
	Delete(by client.ObjectKey, name, recordType string) error
}

// New makes the actuator.
func New(zone Zone) contract.DNSRecordActuator {
	return contract.Simple[*extensionsv1alpha1.DNSRecord]{
		Apply: func(ctx context.Context, _ *contract.Cluster, record *extensionsv1alpha1.DNSRecord) error {
			return publish(ctx, zone, record)
		},
		Remove: func(_ context.Context, _ *contract.Cluster, record *extensionsv1alpha1.DNSRecord) error {
			if err := zone.Delete(client.ObjectKeyFromObject(record), record.Spec.Name, string(record.Spec.RecordType)); err != nil {
				return fmt.Errorf("delete record %s %s: %w", record.Spec.Name, record.Spec.RecordType, err)
			}
			return nil
		},
	}
}

func publish(ctx context.Context, zone Zone, record *extensionsv1alpha1.DNSRecord) error {
	ttl := int64(defaultTTL)
	if record.Spec.TTL != nil {
		ttl = *record.Spec.TTL
	}
	err := zone.Put(ctx, client.ObjectKeyFromObject(record), record.Spec.Name, string(record.Spec.RecordType), record.Spec.Values, ttl)
	if err != nil {
		return fmt.Errorf("publish record %s %s: %w", record.Spec.Name, record.Spec.RecordType, err)
	}
	name := zoneOf(record)
	record.Status.Zone = &name
	return nil
}

// zoneOf returns the zone of a record: the one in the spec, or the name without its first label.
func zoneOf(record *extensionsv1alpha1.DNSRecord) string {
	if record.Spec.Zone != nil && *record.Spec.Zone != "" {
		return *record.Spec.Zone
	}
	_, zone, _ := strings.Cut(record.Spec.Name, ".")
	return zone
}
