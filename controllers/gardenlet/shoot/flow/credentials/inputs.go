package credentials

import (
	"k8s.io/utils/clock"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/vpn"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/project"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Made contains the generated credentials for later steps.
type Made struct {
	*secretsmanager.Manager
	// Tunnel contains the secrets of both ends of the tunnel; empty if the shoot needs no tunnel.
	Tunnel vpn.Secrets
}

// Credentials generates the credentials of the components of a shoot.
type Credentials struct {
	Shoot    *gardencorev1beta1.Shoot
	Space    seed.Space
	Project  project.Project
	Exposure exposure.Shoot
	Clock    clock.PassiveClock
}

// authorities are the CAs of a shoot with their common names.
var authorities = []struct {
	name, commonName string
	workers          bool // only for workers
}{
	{name: constants.SecretNameCACluster, commonName: "kubernetes"},
	{name: constants.SecretNameCAClient, commonName: "kubernetes-client"},
	{name: constants.SecretNameCAETCD, commonName: "etcd"},
	{name: constants.SecretNameCAETCDPeer, commonName: "etcd-peer"},
	{name: constants.SecretNameCAFrontProxy, commonName: "front-proxy"},
	{name: constants.SecretNameCAKubelet, commonName: "kubelet"},
	{name: constants.SecretNameCAMetricsServer, commonName: "metrics-server", workers: true},
	{name: constants.SecretNameCAVPN, commonName: "vpn", workers: true},
}
