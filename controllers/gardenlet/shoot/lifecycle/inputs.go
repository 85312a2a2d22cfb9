package lifecycle

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow"
	"github.com/gardener-up/gardener-up/providers/ownership"
)

// Reconciler handles the Shoots of one seed.
type Reconciler struct {
	flow.Clusters
	Clock    clock.PassiveClock
	Recorder events.EventRecorder

	// SeedIdentity and GardenIdentity return the identities of the clusters.
	SeedIdentity   func(context.Context) (string, error)
	GardenIdentity func(context.Context) (string, error)

	// Resolver asks for the owners of shoots; nil if operations do not depend on them.
	Resolver ownership.Resolver

	// Access says how shoots are reached.
	Access exposure.Access
	// Gardenlet holds what is the same for all shoots of the gardenlet.
	Gardenlet flow.Gardenlet
	// Settings say when and how often Shoots are handled.
	Settings Settings
}

func (r *Reconciler) now() metav1.Time { return metav1.NewTime(r.Clock.Now()) }
