package flow

import (
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
	// Garden writes to the garden; GardenReader reads from it without a cache.
	Garden       client.Client
	GardenReader client.Reader
	// SeedClient reads without a cache.
	SeedClient client.WithWatch
	// SeedConfig reaches the API server of the seed, for connections that the client cannot make.
	SeedConfig *rest.Config
	Clock      clock.PassiveClock
	// SeedIdentity is the identity of the seed cluster.
	SeedIdentity string
	// NextSeedIdentity is that of the seed that the shoot moves to; empty if it does not move, or if the other seed has none yet.
	NextSeedIdentity string
	// OwnerPublished is called when the record names this seed as the owner of the shoot, and again if the step is repeated. It may be nil.
	OwnerPublished func()
	// Access says how the shoots of the seed are reached.
	Access exposure.Access
	// Image is the appliance image.
	Image string
	// Pods signs the pods of the control plane; nil signs none.
	Pods *podsignature.Signer
	// Images of the system components of the shoot.
	Images Images
	// Backups are settings for the backups of etcd main.
	Backups etcd.BackupSettings
	// ScaleEtcds means that the requests of etcds follow recommendations.
	ScaleEtcds bool
	// Monitoring gives shoots a Prometheus.
	Monitoring bool
	// BackupAccess is the way to buckets of other seeds that are directories; nil if there is none.
	BackupAccess shootetcd.Access
	// Restored is what another seed has saved of a shoot that is restored here; nil if the shoot was not somewhere else.
	Restored *gardencorev1beta1.ShootState
	// Availability says what the control plane must survive.
	Availability availability.Setting
	// DNSRecordTTL in seconds.
	DNSRecordTTL int64
	// Facts tell which objects of the shoot already exist in the seed.
	Facts facts.Facts
}

// Images are those of system components of the shoot that are not part of this binary. Empty fields mean the public
// images.
type Images struct{ KubeProxy, CoreDNS string }
