package config

import (
	"cmp"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/embedded/kubeversion"
)

// Defaults of a landscape.
const (
	DefaultName          = "local"
	DefaultDomain        = "local.gardener.cloud"
	DefaultFrontDoorPort = int32(8443)
	// DefaultPodCIDR and DefaultServiceCIDR are the ranges of embedded seeds.
	DefaultPodCIDR     = "127.64.0.0/16"
	DefaultServiceCIDR = "127.96.0.0/16"
	// DefaultInFlight and DefaultMutatingInFlight are how many requests an API server serves at the same time.
	DefaultInFlight, DefaultMutatingInFlight = int32(400), int32(200)
	// DefaultInFlightPerUser and DefaultWatchesPerUser are how many of them, and of watches, one user gets.
	DefaultInFlightPerUser, DefaultWatchesPerUser = int32(100), int32(500)
	// DefaultSigningDuration is the validity of client certificates that the garden signs.
	DefaultSigningDuration = 365 * 24 * time.Hour
	// DefaultQuota is how many bytes the database of a cluster may take on disk.
	DefaultQuota = 2 << 30
	// DefaultLogSize is the size in bytes at which a log file is rotated.
	DefaultLogSize = 50 << 20
	// DefaultNodeImage has the Kubernetes version of this binary.
	DefaultNodeImage = "kindest/node:" + kubeversion.Version
)

// Ranges of a kind cluster. Clusters on one machine may have the same ones.
const (
	KindPodCIDR     = "10.1.0.0/16"
	KindServiceCIDR = "10.2.0.0/16"
)

// KindZones are the zones of a kind seed.
func KindZones() []string { return []string{"0"} }

// WithDefaults returns a further seed of the landscape with the default provider and, for kind, image and ranges.
func (l *Landscape) WithDefaults(seed FurtherSeed) FurtherSeed {
	seed.Provider = cmp.Or(seed.Provider, ProviderEmbedded)
	if seed.Kind() {
		seed.NodeImage = cmp.Or(seed.NodeImage, l.Seed.NodeImage, DefaultNodeImage)
		if seed.PodCIDR == "" && seed.ServiceCIDR == "" {
			seed.PodCIDR, seed.ServiceCIDR = KindPodCIDR, KindServiceCIDR
		}
	}
	return seed
}

// EmbeddedZones are the zones of an embedded seed: as many as a shoot needs that asks to survive the failure of one.
func EmbeddedZones() []string { return []string{"0", "1", "2"} }

// SetDefaults sets the fields that the user left empty. The caller sets the state directory, which depends on the
// environment.
func SetDefaults(l *Landscape) {
	l.APIVersion = cmp.Or(l.APIVersion, APIVersion)
	l.Kind = cmp.Or(l.Kind, Kind)
	l.Name = cmp.Or(l.Name, DefaultName)
	l.Domain = cmp.Or(l.Domain, DefaultDomain)
	l.FrontDoor.Address = cmp.Or(l.FrontDoor.Address, "127.0.0.1")
	setNumber(&l.FrontDoor.Port, DefaultFrontDoorPort)
	setNumber(&l.Garden.Requests.MaxInFlight, DefaultInFlight)
	setNumber(&l.Garden.Requests.MaxMutatingInFlight, DefaultMutatingInFlight)
	setNumber(&l.Garden.Requests.MaxInFlightPerUser, DefaultInFlightPerUser)
	setNumber(&l.Garden.Requests.MaxWatchesPerUser, DefaultWatchesPerUser)
	if l.Garden.CertificateSigningDuration == nil {
		l.Garden.CertificateSigningDuration = &metav1.Duration{Duration: DefaultSigningDuration}
	}
	setQuantity(&l.Storage.Quota, DefaultQuota)
	l.Containers = cmp.Or(l.Containers, ContainersAuto)
	if l.SimulateMissingImages == nil {
		l.SimulateMissingImages = new(l.Containers == ContainersAuto)
	}
	if l.Tenants.Outside == nil {
		l.Tenants.Outside = new(true)
	}
	l.Seed.Name = cmp.Or(l.Seed.Name, "local")
	l.Seed.Provider = cmp.Or(l.Seed.Provider, ProviderEmbedded)
	pods, services, zones := DefaultPodCIDR, DefaultServiceCIDR, EmbeddedZones()
	if l.Seed.Kind() {
		l.Seed.Nodes = cmp.Or(l.Seed.Nodes, 1)
		pods, services, zones = KindPodCIDR, KindServiceCIDR, zones[:max(1, min(int(l.Seed.Nodes), len(zones)))]
		l.Seed.NodeImage = cmp.Or(l.Seed.NodeImage, DefaultNodeImage)
	}
	l.Seed.PodCIDR = cmp.Or(l.Seed.PodCIDR, pods)
	l.Seed.ServiceCIDR = cmp.Or(l.Seed.ServiceCIDR, services)
	if len(l.Seed.Zones) == 0 {
		l.Seed.Zones = zones
	}
	if l.Backup != nil {
		setNumber(&l.Backup.Keep, DefaultKeptBackups)
	}
	l.Log.Level = cmp.Or(l.Log.Level, "info")
	l.Log.Format = cmp.Or(l.Log.Format, "json")
	setQuantity(&l.Log.MaxSize, DefaultLogSize)
}

func setQuantity(field **resource.Quantity, value int64) {
	if *field == nil {
		*field = resource.NewQuantity(value, resource.BinarySI)
	}
}

func setNumber(field **int32, value int32) {
	if *field == nil {
		*field = &value
	}
}

// GardenDomain is the domain of the virtual garden; its API server is api.<GardenDomain>.
func (l *Landscape) GardenDomain() string { return "virtual-garden." + l.Domain }

// InternalDomain is the parent of the internal names of shoot API servers.
func (l *Landscape) InternalDomain() string { return "internal." + l.Domain }

// ExternalDomain is the default domain of shoots.
func (l *Landscape) ExternalDomain() string { return "external." + l.Domain }
