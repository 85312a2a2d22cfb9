package lifecycle

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/health"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/rotation"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// lagging says why the SSH key of the nodes must not rotate now; empty if it may. A node accepts the present and the former key. A node
// that has not even taken up the present one would accept none of the keys that users have.
func (r *Reconciler) lagging(ctx context.Context, shoot *gardencorev1beta1.Shoot, annotation string) string {
	if !rotation.StartsSSHKeypair(annotation) || !operation.SSHAccess(shoot) || helper.HibernationIsEnabled(shoot) || shoot.Status.IsHibernated {
		return ""
	}
	if updates := shoot.Status.InPlaceUpdates; updates != nil && updates.PendingWorkerUpdates != nil {
		pools := slices.Concat(updates.PendingWorkerUpdates.ManualInPlaceUpdate, updates.PendingWorkerUpdates.AutoInPlaceUpdate)
		if len(pools) > 0 {
			return "pools wait for updates in place: " + strings.Join(pools[:min(len(pools), mostNodes)], ", ")
		}
	}
	nodes, err := r.laggingNodes(ctx, shoot.Status.TechnicalID)
	switch {
	case err != nil:
		return fmt.Sprintf("the nodes cannot be asked: %v", err)
	case len(nodes) > 0:
		return "nodes have not applied their configuration: " + strings.Join(nodes[:min(len(nodes), mostNodes)], ", ")
	}
	return ""
}

// mostNodes is how many nodes or pools a message names.
const mostNodes = 5

func (r *Reconciler) laggingNodes(ctx context.Context, namespace string) ([]string, error) {
	secret := &corev1.Secret{}
	if err := r.Seed.Get(ctx, client.ObjectKey{Namespace: namespace, Name: constants.SecretNameGardenerInternal}, secret); err != nil {
		return nil, fmt.Errorf("read kubeconfig of the shoot: %w", err)
	}
	config, err := r.Access.Config(secret.Data[constants.DataKeyKubeconfig])
	if err != nil {
		return nil, err
	}
	shoot, err := client.New(config, client.Options{})
	if err != nil {
		return nil, fmt.Errorf("make client of the shoot: %w", err)
	}
	return health.Lag{Now: r.Clock.Now()}.Nodes(ctx, shoot)
}

// reportDeferred tells users why the SSH key does not rotate, unless the reason is empty.
func (r *Reconciler) reportDeferred(ctx context.Context, shoot *gardencorev1beta1.Shoot, reason string) {
	if reason == "" {
		return
	}
	log.FromContext(ctx).Info("The rotation of the SSH key of the nodes is deferred", "reason", reason)
	r.Recorder.Eventf(shoot, nil, corev1.EventTypeWarning, "SSHKeypairRotationDeferred", "Rotate", "The rotation of the SSH key is deferred to the next maintenance window: %s", reason)
}
