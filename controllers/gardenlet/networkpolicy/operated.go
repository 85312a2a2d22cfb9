package networkpolicy

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// operatedPeriod is how long the answer about the operator is cached.
const operatedPeriod = time.Minute

// deployed is on what an operator of this project writes for its Garden. It writes no network policies.
var deployed = client.MatchingLabels{"operator.gardener.cloud/host": "deployed"}

// Operator is what is known of the operator of a Garden in a seed.
type Operator struct {
	reader client.Reader
	clock  clock.PassiveClock

	mu     sync.Mutex
	known  time.Time
	writes bool
	open   string
}

// OperatorOf looks for a Garden in the seed. reader must not be cached, since the kind may be unknown to the cluster.
func OperatorOf(reader client.Reader, clock clock.PassiveClock) *Operator {
	return &Operator{reader: reader, clock: clock}
}

// Writes reports whether the operator writes the same policies: two writers would overwrite each other. All operators do so, except that of this
// project.
func (o *Operator) Writes(ctx context.Context) (bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	err := o.look(ctx)
	return o.writes, err
}

// Open is the namespace of a Garden whose operator writes no policies, and whose pods do not have the labels to live with them; empty if there is
// none.
func (o *Operator) Open(ctx context.Context) (string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	err := o.look(ctx)
	return o.open, err
}

func (o *Operator) look(ctx context.Context) error {
	if !o.known.IsZero() && o.clock.Since(o.known) < operatedPeriod {
		return nil
	}
	gardens, components := listOf("operator.gardener.cloud", "v1alpha1", "GardenList"), listOf("apps", "v1", "DeploymentList")
	if err := o.reader.List(ctx, gardens, client.Limit(1)); err != nil && !meta.IsNoMatchError(err) {
		return fmt.Errorf("look for a Garden in the seed: %w", err)
	}
	if len(gardens.Items) > 0 {
		if err := o.reader.List(ctx, components, client.InNamespace(constants.GardenNamespace), deployed, client.Limit(1)); err != nil {
			return fmt.Errorf("look for components of the Garden in the seed: %w", err)
		}
	}
	o.known, o.writes, o.open = o.clock.Now(), len(gardens.Items) > 0 && len(components.Items) == 0, ""
	if len(components.Items) > 0 {
		o.open = constants.GardenNamespace
	}
	return nil
}

func listOf(group, version, kind string) *metav1.PartialObjectMetadataList {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(schema.GroupVersionKind{Group: group, Version: version, Kind: kind})
	return list
}
