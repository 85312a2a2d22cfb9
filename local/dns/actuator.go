// Package dns publishes DNSRecords of type local in the zone that the embedded DNS server serves. It does not serve.
package dns

import (
	"context"
	"fmt"
	"strings"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// defaultTTL in seconds is for records that name none.
const defaultTTL = 120

// Zone holds records. Both methods are level-based and safe for concurrent use.
type Zone interface {
	// Put replaces the values of a name's record type; ttl in seconds.
	Put(name, recordType string, values []string, ttl int64) error
	// Delete removes a name's record type; it is no error if there is none.
	Delete(name, recordType string) error
}

// New makes the actuator.
func New(zone Zone) contract.DNSRecordActuator {
	return contract.Simple[*extensionsv1alpha1.DNSRecord]{
		Apply: func(_ context.Context, _ *contract.Cluster, record *extensionsv1alpha1.DNSRecord) error {
			return publish(zone, record)
		},
		Remove: func(_ context.Context, _ *contract.Cluster, record *extensionsv1alpha1.DNSRecord) error {
			if err := zone.Delete(record.Spec.Name, string(record.Spec.RecordType)); err != nil {
				return fmt.Errorf("delete record %s %s: %w", record.Spec.Name, record.Spec.RecordType, err)
			}
			return nil
		},
	}
}

func publish(zone Zone, record *extensionsv1alpha1.DNSRecord) error {
	ttl := int64(defaultTTL)
	if record.Spec.TTL != nil {
		ttl = *record.Spec.TTL
	}
	if err := zone.Put(record.Spec.Name, string(record.Spec.RecordType), record.Spec.Values, ttl); err != nil {
		return fmt.Errorf("publish record %s %s: %w", record.Spec.Name, record.Spec.RecordType, err)
	}
	name := zoneOf(record)
	record.Status.Zone = &name
	return nil
}

// zoneOf is the zone a record is in: the one asked for, or the name without its first label.
func zoneOf(record *extensionsv1alpha1.DNSRecord) string {
	if record.Spec.Zone != nil && *record.Spec.Zone != "" {
		return *record.Spec.Zone
	}
	_, zone, _ := strings.Cut(record.Spec.Name, ".")
	return zone
}
