package health

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/nodeagent/config"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/pages"
)

const (
	// MostNodes is how many Nodes of a shoot are looked at. Kubernetes supports half as many, but users can make Nodes without machines.
	MostNodes = 10_000
	// mostConfigurations is how many configurations are looked at. A pool has one, and a second one while it is updated.
	mostConfigurations = 1000
)

// announceTime is how long a new node may take until it has announced a configuration.
const announceTime = 2 * time.Minute

// Lag decides which nodes have not applied the present configuration of their pool.
type Lag struct {
	// Now makes nodes lag that have announced nothing, though they are not new. If it is zero, these do not lag.
	Now time.Time
	// Except are nodes that never lag; nil for none.
	Except func(*corev1.Node) bool
}

// Nodes returns the names of the nodes of a shoot that lag. A configuration that is not in the shoot yet does not count, and nodes that
// are being deleted do not lag.
func (l Lag) Nodes(ctx context.Context, shoot client.Reader) ([]string, error) {
	wanted, err := checksums(ctx, shoot)
	if err != nil {
		return nil, fmt.Errorf("list configurations of nodes: %w", err)
	}
	var out []string
	for page, err := range pages.Of(ctx, shoot, &corev1.NodeList{}, MostNodes) {
		if err != nil {
			return nil, fmt.Errorf("list nodes: %w", err)
		}
		for i := range page.Items {
			if node := &page.Items[i]; l.lags(node, wanted[node.Labels[constants.LabelWorkerPool]]) {
				out = append(out, node.Name)
			}
		}
	}
	slices.Sort(out)
	return out, nil
}

// checksums returns those of the configurations in a shoot, by pool.
func checksums(ctx context.Context, shoot client.Reader) (map[string][]string, error) {
	out := map[string][]string{}
	role := client.MatchingLabels{constants.GardenRole: constants.GardenRoleOperatingSystemConfig}
	for page, err := range pages.Of(ctx, shoot, &corev1.SecretList{}, mostConfigurations, client.InNamespace(metav1.NamespaceSystem), role) {
		if err != nil {
			return nil, err
		}
		for i := range page.Items {
			sum := sha256.Sum256(page.Items[i].Data[config.DataKey])
			pool := page.Items[i].Labels[constants.LabelWorkerPool]
			out[pool] = append(out[pool], hex.EncodeToString(sum[:]))
		}
	}
	return out, nil
}

// lags decides about a node whose pool has configurations with these checksums.
func (l Lag) lags(node *corev1.Node, wanted []string) bool {
	if node.DeletionTimestamp != nil || l.Except != nil && l.Except(node) {
		return false
	}
	announced := node.Annotations[config.AnnotationChecksum]
	if announced == "" {
		return len(wanted) > 0 && !l.Now.IsZero() && l.Now.Sub(node.CreationTimestamp.Time) > announceTime
	}
	return !slices.Contains(wanted, announced)
}

// UpdatedInPlace returns whether a node of the shoot may wait for an update in place, which its pool and perhaps a user decide about.
func UpdatedInPlace(shoot *gardencorev1beta1.Shoot) func(*corev1.Node) bool {
	var pools []string
	for _, worker := range shoot.Spec.Provider.Workers {
		if strategy := worker.UpdateStrategy; strategy != nil && *strategy != gardencorev1beta1.AutoRollingUpdate {
			pools = append(pools, worker.Name)
		}
	}
	return func(node *corev1.Node) bool { return slices.Contains(pools, node.Labels[constants.LabelWorkerPool]) }
}
