package networkpolicy

import (
	"context"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/runtimecluster"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// operatedPeriod is how long the answer about the operator is cached.
const operatedPeriod = time.Minute

// LookAgain is the interval for asking an Operator again.
const LookAgain = operatedPeriod

// deployed is on what an operator of this project writes for its Garden. It writes the network policies of the namespace of the Garden only.
var deployed = client.MatchingLabels{"operator.gardener.cloud/host": "deployed"}

// Operator is what is known of the operator of a Garden in a seed.
type Operator struct {
	reader client.Reader
	clock  clock.PassiveClock

	mu     sync.Mutex
	known  time.Time
	writes bool
	theirs string
}

// OperatorOf looks for a Garden in the seed. reader must not be cached, since the kind may be unknown to the cluster.
func OperatorOf(reader client.Reader, clock clock.PassiveClock) *Operator {
	return &Operator{reader: reader, clock: clock}
}

// Writes reports whether the operator writes the same policies for the whole seed: two writers would overwrite each other. All operators do so, except
// that of this project.
func (o *Operator) Writes(ctx context.Context) (bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	err := o.look(ctx)
	return o.writes, err
}

// Theirs is the namespace of a Garden whose operator writes the policies of this namespace, and of its Services; empty if there is none.
func (o *Operator) Theirs(ctx context.Context) (string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	err := o.look(ctx)
	return o.theirs, err
}

func (o *Operator) look(ctx context.Context) error {
	if !o.known.IsZero() && o.clock.Since(o.known) < operatedPeriod {
		return nil
	}
	garden, err := runtimecluster.Garden(ctx, o.reader)
	if err != nil {
		return err
	}
	components := &metav1.PartialObjectMetadataList{}
	components.SetGroupVersionKind(schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "DeploymentList"})
	if garden != "" {
		if err := o.reader.List(ctx, components, client.InNamespace(constants.GardenNamespace), deployed, client.Limit(1)); err != nil {
			return fmt.Errorf("look for components of the Garden in the seed: %w", err)
		}
	}
	o.known, o.writes, o.theirs = o.clock.Now(), garden != "" && len(components.Items) == 0, ""
	if len(components.Items) > 0 {
		o.theirs = constants.GardenNamespace
	}
	return nil
}
