package care

import (
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Types of conditions of Shoots.
const (
	APIServerAvailable      gardencorev1beta1.ConditionType = "APIServerAvailable"
	ControlPlaneHealthy     gardencorev1beta1.ConditionType = "ControlPlaneHealthy"
	EveryNodeReady          gardencorev1beta1.ConditionType = "EveryNodeReady"
	SystemComponentsHealthy gardencorev1beta1.ConditionType = "SystemComponentsHealthy"
)

// Reconciler checks the Shoots of one seed.
type Reconciler struct {
	// Garden reads Shoots from a cache and writes them.
	Garden client.Client
	// Seed reads without a cache.
	Seed        client.Client
	Clock       clock.PassiveClock
	ShootConfig func(kubeconfig []byte) (*rest.Config, error)
	SeedName    string

	Settings
}

// shootCluster returns a client of the shoot.
type shootCluster struct {
	client client.Client
	config *rest.Config
}
