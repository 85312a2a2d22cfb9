package project

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Project is the namespace of the Shoot in the garden.
type Project struct {
	Shoot *gardencorev1beta1.Shoot
	// TechnicalID of the shoot.
	TechnicalID string
	// Client writes to the garden; Reader reads from it without a cache.
	Client client.Client
	Reader client.Reader
	// MetricsURL is where users read metrics; may be empty.
	MetricsURL string
}
