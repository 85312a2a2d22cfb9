package flow

import (
	"cmp"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/availability"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/etcd"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	shootetcd "github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/etcd"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/facts"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/status"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/podsignature"
)

// Config contains the inputs of a plan.
type Config struct {
	Operation *operation.Operation
	Status    *status.Writer
	Clusters
	// Access says how the shoots of the seed are reached.
	Access exposure.Access
	// Gardenlet holds what is the same for all shoots of the gardenlet.
	Gardenlet Gardenlet
	Clock     clock.PassiveClock
	// SeedIdentity is the identity of the seed cluster.
	SeedIdentity string
	// NextSeedIdentity is that of the seed that the shoot moves to; empty if it does not move, or if the other seed has none yet.
	NextSeedIdentity string
	// OwnerPublished is called when the record names this seed as the owner of the shoot, and again if the step is repeated. It may be nil.
	OwnerPublished func()
	// Restored is what another seed has saved of a shoot that is restored here; nil if the shoot was not somewhere else.
	Restored *gardencorev1beta1.ShootState
	// Availability says what the control plane must survive.
	Availability availability.Setting
	// Facts tell which objects of the shoot already exist in the seed.
	Facts facts.Facts
}

// Clusters are the connections to the garden and to the seed.
type Clusters struct {
	// Garden reads Shoots from a cache and writes; GardenReader reads all else without a cache.
	Garden       client.Client
	GardenReader client.Reader
	// Seed reads without a cache.
	Seed client.WithWatch
	// SeedConfig reaches the API server of the seed, for connections that the client cannot make.
	SeedConfig *rest.Config
}

// Gardenlet is what the configuration of a gardenlet says of the control planes of all its shoots. The gardenlet fills it in once, and every
// package on the way to a plan hands it on as it is.
type Gardenlet struct {
	// Image is the appliance image.
	Image string
	// Pods signs the pods of control planes; nil signs none.
	Pods *podsignature.Signer
	// Images of system components of shoots; empty fields mean the public images.
	Images Images
	// Backups are settings for the backups of etcd main.
	Backups etcd.BackupSettings
	// ScaleEtcds means that the requests of etcds follow recommendations.
	ScaleEtcds bool
	// Monitoring gives shoots a Prometheus.
	Monitoring bool
	// BackupAccess is the way to buckets of other seeds that are directories; nil if there is none.
	BackupAccess shootetcd.Access
	// DNSRecordTTL in seconds. Default: 120.
	DNSRecordTTL int64
}

// WithDefaults sets empty fields to their defaults.
func (g Gardenlet) WithDefaults() Gardenlet {
	g.DNSRecordTTL = cmp.Or(g.DNSRecordTTL, 120)
	return g
}

// Images are those of system components of the shoot that are not part of this binary. Empty fields mean the public
// images.
type Images struct{ KubeProxy, CoreDNS string }
