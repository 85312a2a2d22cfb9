// Package lease implements the heartbeat of a gardenlet. As long as the API server of the seed is healthy, it renews
// the Lease of the seed in the garden and maintains the condition GardenletReady. It is the only frequent loop of a
// gardenlet.
package lease

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	"github.com/gardener-up/gardener-up/controllers/internal/seedstatus"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

const (
	reasonReady  = "GardenletReady"
	messageReady = "Gardenlet is posting ready status."

	// impatient is the interval until the first renewal succeeds, since the seed is registered at the same time.
	impatient = 200 * time.Millisecond
)

// Heartbeat is a runnable for the manager of the garden. All fields are required.
type Heartbeat struct {
	Garden client.Client // reads the Seed, may be cached
	Reader client.Reader // uncached
	// SeedHealthy returns nil if the API server of the seed is healthy.
	SeedHealthy func(context.Context) error
	Clock       clock.Clock
	SeedName    string
	Period      time.Duration
	// MissThreshold is the number of periods without a renewal after which the gardenlet counts as unhealthy.
	MissThreshold int

	lease *coordinationv1.Lease // as last written

	mutex   sync.Mutex
	renewed time.Time
	failure error
}

// SeedHealth requests /healthz of the cluster.
func SeedHealth(config *rest.Config, httpClient *http.Client) (func(context.Context) error, error) {
	config = rest.CopyConfig(config)
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion() // not used, but required
	config.QPS = -1                                                 // one request per period
	restClient, err := rest.UnversionedRESTClientForConfigAndClient(config, httpClient)
	if err != nil {
		return nil, fmt.Errorf("make client for the health of the seed: %w", err)
	}
	return func(ctx context.Context) error {
		status := 0
		result := restClient.Get().AbsPath("/healthz").Do(ctx).StatusCode(&status)
		if err := result.Error(); err != nil {
			return fmt.Errorf("ask for the health of the seed: %w", err)
		}
		if status != http.StatusOK {
			return fmt.Errorf("seed is not healthy: /healthz answers %d", status)
		}
		return nil
	}, nil
}

// Start renews the lease until ctx ends.
func (h *Heartbeat) Start(ctx context.Context) error {
	logger := log.FromContext(ctx).WithName("gardenlet-lease")
	h.succeed() // time for the first renewal
	pause, wasFailing := impatient, false
	for {
		err := h.Beat(ctx)
		if failing := err != nil; failing != wasFailing && ctx.Err() == nil {
			wasFailing = failing
			switch {
			case apierrors.IsNotFound(err):
				logger.Info("Lease of the seed waits until the seed is registered", "seed", h.SeedName)
			case failing:
				logger.Error(err, "Lease of the seed is not renewed", "seed", h.SeedName)
			default:
				logger.Info("Lease of the seed is renewed", "seed", h.SeedName)
			}
		}
		if err == nil {
			pause = h.Period
		}
		select {
		case <-ctx.Done():
			return nil
		case <-h.Clock.After(pause):
		}
	}
}

// NeedLeaderElection is false: there is one gardenlet per seed.
func (h *Heartbeat) NeedLeaderElection() bool { return false }

// Beat checks the seed once and renews the lease. It must not be called concurrently.
func (h *Heartbeat) Beat(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, max(h.Period, time.Second)*2)
	defer cancel()
	err := h.SeedHealthy(ctx)
	if err == nil {
		err = h.renew(ctx)
	}
	if err != nil {
		h.fail(err)
		return err
	}
	h.succeed()
	return h.reportReady(ctx)
}

// Healthy returns an error if the lease has not been renewed for too long. It is the liveness of the gardenlet. It may
// be called from any goroutine.
func (h *Heartbeat) Healthy(*http.Request) error {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.failure == nil || h.Clock.Since(h.renewed) < time.Duration(h.MissThreshold)*h.Period {
		return nil
	}
	return fmt.Errorf("lease not renewed since %s: %w", h.renewed.UTC().Format(time.RFC3339), h.failure)
}

func (h *Heartbeat) succeed() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.renewed, h.failure = h.Clock.Now(), nil
}

func (h *Heartbeat) fail(err error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.failure = err
}

// renew writes the lease as it was written last. Only if that fails, it reads the lease.
func (h *Heartbeat) renew(ctx context.Context) error {
	if h.lease == nil {
		lease, err := h.fetch(ctx)
		if err != nil {
			return err
		}
		h.lease = lease
	}
	h.stamp(h.lease)
	if err := h.Garden.Update(ctx, h.lease); err != nil {
		h.lease = nil
		return fmt.Errorf("renew lease of seed %q: %w", h.SeedName, err)
	}
	return nil
}

func (h *Heartbeat) fetch(ctx context.Context) (*coordinationv1.Lease, error) {
	key := client.ObjectKey{Namespace: constants.GardenerSeedLeaseNamespace, Name: h.SeedName}
	lease := &coordinationv1.Lease{}
	err := h.Reader.Get(ctx, key, lease)
	if !apierrors.IsNotFound(err) {
		return lease, err
	}
	seed := &gardencorev1beta1.Seed{}
	if err := h.Garden.Get(ctx, client.ObjectKey{Name: h.SeedName}, seed); err != nil {
		return nil, fmt.Errorf("read seed %q: %w", h.SeedName, err)
	}
	lease = &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{
		Namespace: key.Namespace, Name: key.Name,
		OwnerReferences: []metav1.OwnerReference{{
			APIVersion: gardencorev1beta1.SchemeGroupVersion.String(), Kind: "Seed", Name: seed.Name, UID: seed.UID,
		}},
	}}
	h.stamp(lease)
	if err := h.Garden.Create(ctx, lease); err != nil {
		return nil, fmt.Errorf("create lease of seed %q: %w", h.SeedName, err)
	}
	return lease, nil
}

func (h *Heartbeat) stamp(lease *coordinationv1.Lease) {
	lease.Spec.HolderIdentity = &h.SeedName
	lease.Spec.LeaseDurationSeconds = ptr.To(int32(h.Period.Seconds()))
	lease.Spec.RenewTime = &metav1.MicroTime{Time: h.Clock.Now()}
}

// reportReady writes the condition only if it is not True yet.
func (h *Heartbeat) reportReady(ctx context.Context) error {
	seed := &gardencorev1beta1.Seed{}
	if err := h.Garden.Get(ctx, client.ObjectKey{Name: h.SeedName}, seed); err != nil {
		return client.IgnoreNotFound(err)
	}
	ready := conditions.True(reasonReady, messageReady)
	return seedstatus.SetCondition(ctx, h.Garden, seed, gardencorev1beta1.SeedGardenletReady, ready, h.Clock.Now())
}
