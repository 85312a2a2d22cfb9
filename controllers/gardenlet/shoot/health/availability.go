package health

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/availability"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Availability returns what the control plane of a Shoot must survive, and over how many nodes and zones its seed can spread it. It
// counts nodes that are not ready, too: a failure must not loosen the rules for the pods.
func Availability(ctx context.Context, seed client.Reader, shoot *gardencorev1beta1.Shoot) (availability.Setting, error) {
	tolerance := helper.FailureTolerance(shoot)
	if tolerance == "" {
		return availability.Setting{}, nil
	}
	nodes := &corev1.NodeList{}
	if err := seed.List(ctx, nodes); err != nil {
		return availability.Setting{}, fmt.Errorf("count nodes of the seed: %w", err)
	}
	return availability.Of(tolerance, nodes.Items), nil
}
