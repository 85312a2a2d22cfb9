package local_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// LookupTXT makes the zone its own name server, which another seed can use, too.
func (z *zone) LookupTXT(_ context.Context, name string) ([]string, error) {
	z.mu.Lock()
	defer z.mu.Unlock()
	values := z.records[strings.TrimSuffix(name, ".")+" TXT"]
	if len(z.elsewhere) > 0 {
		values = z.elsewhere
	}
	if len(values) == 0 {
		return nil, errors.New("no such record")
	}
	return values, nil
}

// ownedElsewhere moves the shoot to another seed and back, as far as the DNS tells. The record stays.
func ownedElsewhere(t *testing.T, zone *zone) {
	const owner = "owner.test.local.gardener.cloud"
	record := newDNSRecord()
	record.Name, record.Annotations = "test-owner", map[string]string{"gardener.cloud/operation": "reconcile"}
	record.Spec.Name, record.Spec.RecordType, record.Spec.Values = owner, extensionsv1alpha1.DNSRecordTypeTXT, []string{"earth"}
	if err := seed.Create(t.Context(), record); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the record of the owner, which is subject to nobody, is published", func() bool {
		if err := seed.Get(t.Context(), client.ObjectKeyFromObject(record), record); err != nil {
			t.Fatal(err)
		}
		last := record.Status.LastOperation
		return last != nil && last.State == gardencorev1beta1.LastOperationStateSucceeded && zone.has(owner, "TXT")
	})
	// The provider may still publish its own value again, as it sees its own changes late.
	published := func(owner ...string) {
		zone.mu.Lock()
		defer zone.mu.Unlock()
		zone.elsewhere = owner
	}
	published("mars")
	infra := newInfrastructure()
	infra.Name, infra.Annotations = "moved", map[string]string{"gardener.cloud/operation": "reconcile"}
	if err := seed.Create(t.Context(), infra); err != nil {
		t.Fatal(err)
	}
	read := func() *gardencorev1beta1.LastOperation {
		if err := seed.Get(t.Context(), client.ObjectKeyFromObject(infra), infra); err != nil {
			t.Fatal(err)
		}
		return infra.Status.LastOperation
	}
	testwait.Stays(t, time.Second, "the provider, which acts at once", func() error {
		if last := read(); last != nil {
			return fmt.Errorf("it acts for a shoot of another seed: %+v", last)
		}
		return nil
	})
	published()
	eventually(t, "it acts for the shoot of its own seed", func() bool {
		last := read()
		return last != nil && last.State == gardencorev1beta1.LastOperationStateSucceeded
	})
}
