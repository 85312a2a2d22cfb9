package names

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/dns"
	localdns "github.com/gardener-up/gardener-up/local/dns"
)

// Zone is the landscape's zone, to which all seeds publish names.
type Zone struct {
	*dns.Zone
	// Garden returns a client without a cache. It is asked only when a seed publishes what another seed has published.
	Garden func() (client.Client, error)
}

// Of is the zone as one seed may change it. A name that another seed has published is taken from it only if the garden says that the
// shoot is on this seed now. So a seed that a shoot has left, also without its help, neither overwrites nor deletes the names of the shoot.
func (z Zone) Of(seed string) localdns.Zone { return zoneOfSeed{zone: z, seed: seed} }

// zoneOfSeed implements localdns.Zone.
type zoneOfSeed struct {
	zone Zone
	seed string
}

func (z zoneOfSeed) claim(by client.ObjectKey) dns.Claim {
	return dns.Claim{Owner: "DNSRecord " + by.String(), Holder: z.seed}
}

// Put implements localdns.Zone.
func (z zoneOfSeed) Put(ctx context.Context, by client.ObjectKey, name, recordType string, values []string, ttl int64) error {
	put := func() error { return z.zone.Put(z.claim(by), name, recordType, values, ttl) }
	err := put()
	var held *dns.HeldError
	if !errors.As(err, &held) {
		return err
	}
	moved, asking := z.moved(ctx, by.Namespace, held.Holder)
	if asking != nil || !moved {
		return errors.Join(err, asking)
	}
	if err := z.zone.Take(z.claim(by), name); err != nil {
		return err
	}
	return put()
}

// Delete implements localdns.Zone.
func (z zoneOfSeed) Delete(by client.ObjectKey, name, recordType string) error {
	return z.zone.Delete(z.claim(by), name, recordType)
}

// moved reports whether what has a namespace is on this seed and no longer on the other one: the shoot has moved, or the other seed does
// not exist any longer.
func (z zoneOfSeed) moved(ctx context.Context, namespace, from string) (bool, error) {
	garden, err := z.zone.Garden()
	if err != nil {
		return false, fmt.Errorf("ask the garden for the seed of %q: %w", namespace, err)
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	shoot, err := Garden{garden}.shoot(ctx, namespace)
	if err != nil {
		return false, err
	}
	if shoot != nil {
		return ptr.Deref(shoot.Spec.SeedName, "") == z.seed, nil
	}
	err = garden.Get(ctx, client.ObjectKey{Name: from}, &gardencorev1beta1.Seed{})
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("read seed %q: %w", from, err)
	}
	return false, nil
}
