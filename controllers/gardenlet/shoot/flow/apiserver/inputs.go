package apiserver

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/oidc"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Server is the kube-apiserver of a shoot.
type Server struct {
	Shoot    *gardencorev1beta1.Shoot
	Seed     *gardencorev1beta1.Seed
	Networks operation.Networks
	Space    seed.Space
	Exposure exposure.Shoot
	Webhook  oidc.Webhook
	// GardenReader reads the documents that the Shoot refers to, without a cache.
	GardenReader client.Reader
	Replicas     int32
	EtcdMembers  int32 // of each etcd
}
