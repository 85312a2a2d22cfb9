package config

import "github.com/gardener-up/gardener-up/embedded/kubeversion"

// Defaults of a landscape.
const (
	DefaultName          = "local"
	DefaultDomain        = "local.gardener.cloud"
	DefaultFrontDoorPort = int32(8443)
	// DefaultPodCIDR and DefaultServiceCIDR are the ranges of embedded seeds.
	DefaultPodCIDR     = "127.64.0.0/16"
	DefaultServiceCIDR = "127.96.0.0/16"
	// DefaultInFlight and DefaultMutatingInFlight are what API servers serve at once.
	DefaultInFlight, DefaultMutatingInFlight = int32(400), int32(200)
	// DefaultNodeImage has the Kubernetes version of this binary.
	DefaultNodeImage = "kindest/node:" + kubeversion.Version
)

// SetDefaults fills in what the user left open. The state directory depends on the environment and is left to the caller.
func SetDefaults(l *Landscape) {
	setDefault(&l.APIVersion, APIVersion)
	setDefault(&l.Kind, Kind)
	setDefault(&l.Name, DefaultName)
	setDefault(&l.Domain, DefaultDomain)
	setDefault(&l.FrontDoor.Address, "127.0.0.1")
	setNumber(&l.FrontDoor.Port, DefaultFrontDoorPort)
	setNumber(&l.Garden.Requests.MaxInFlight, DefaultInFlight)
	setNumber(&l.Garden.Requests.MaxMutatingInFlight, DefaultMutatingInFlight)
	setDefault(&l.Seed.Name, "local")
	setDefault(&l.Seed.Provider, ProviderEmbedded)
	pods, services := DefaultPodCIDR, DefaultServiceCIDR
	if l.Seed.Kind() {
		pods, services = "10.1.0.0/16", "10.2.0.0/16"
		setDefault(&l.Seed.NodeImage, DefaultNodeImage)
	}
	setDefault(&l.Seed.PodCIDR, pods)
	setDefault(&l.Seed.ServiceCIDR, services)
	setDefault(&l.Log.Level, "info")
	setDefault(&l.Log.Format, "json")
}

func setNumber(field **int32, value int32) {
	if *field == nil {
		*field = &value
	}
}

func setDefault(field *string, value string) {
	if *field == "" {
		*field = value
	}
}

// GardenDomain is the domain of the virtual garden; its API server is api.<GardenDomain>.
func (l *Landscape) GardenDomain() string { return "virtual-garden." + l.Domain }

// InternalDomain is the parent of the internal names of shoot API servers.
func (l *Landscape) InternalDomain() string { return "internal." + l.Domain }

// ExternalDomain is the default domain of shoots.
func (l *Landscape) ExternalDomain() string { return "external." + l.Domain }
