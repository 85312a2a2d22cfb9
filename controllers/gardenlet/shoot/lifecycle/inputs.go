package lifecycle

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/embedded/podsignature"
	"github.com/gardener-up/gardener-up/providers/ownership"
)

// Reconciler handles the Shoots of one seed.
type Reconciler struct {
	// Garden reads Shoots from a cache and writes; GardenReader reads all else without a cache.
	Garden       client.Client
	GardenReader client.Reader
	// Seed reads without a cache.
	Seed client.WithWatch
	// SeedConfig reaches the API server of the seed, for connections that the client cannot make.
	SeedConfig *rest.Config
	Clock      clock.PassiveClock
	Recorder   events.EventRecorder

	// SeedIdentity and GardenIdentity return the identities of the clusters.
	SeedIdentity   func(context.Context) (string, error)
	GardenIdentity func(context.Context) (string, error)

	// Resolver asks for the owners of shoots; nil if operations do not depend on them.
	Resolver ownership.Resolver

	// Access says how shoots are reached.
	Access exposure.Access
	// Image is the appliance image.
	Image string
	// Pods signs the pods of control planes; nil signs none.
	Pods *podsignature.Signer
	// Settings are those of the gardenlet.
	Settings
}

func (r *Reconciler) now() metav1.Time { return metav1.NewTime(r.Clock.Now()) }
