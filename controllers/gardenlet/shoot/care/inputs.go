package care

import (
	"time"

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
	ObservabilityHealthy                                    = gardencorev1beta1.ShootObservabilityComponentsHealthy
)

// Reconciler checks the Shoots of one seed.
type Reconciler struct {
	// Garden reads Shoots from a cache and writes them.
	Garden client.Client
	// GardenReader reads Shoots without a cache.
	GardenReader client.Reader
	// Seed reads without a cache.
	Seed  client.Client
	Clock clock.PassiveClock
	// ShootConfig is exposure.Access.Config.
	ShootConfig func(kubeconfig []byte) (*rest.Config, error)
	SeedName    string

	Settings
}

// shootCluster returns a client of the shoot.
type shootCluster struct {
	client client.Client
	config *rest.Config
}

// Settings configure the health checks of shoots.
type Settings struct {
	// ConcurrentSyncs is how many Shoots are checked at a time. Default: 20.
	ConcurrentSyncs int
	// SyncPeriod is the interval of the checks. Default: one minute.
	SyncPeriod time.Duration
	// Thresholds are how long conditions stay Progressing before they become False.
	Thresholds map[gardencorev1beta1.ConditionType]time.Duration
	// Monitoring means that shoots have a Prometheus, so that they have a condition about it.
	Monitoring bool
	// StaleExtensions is the age at which reports of extensions are outdated; zero means never.
	StaleExtensions time.Duration
}
