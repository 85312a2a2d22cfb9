package servers

// Names of parts that listen on 127.0.0.1. The store remembers their ports by the same names.
const (
	EtcdGarden        = "etcd-garden"
	EtcdSeed          = "etcd-seed"
	GardenAPIServer   = "garden-apiserver"
	GardenerAPIServer = "gardener-apiserver"
	AdmissionServer   = "gardener-admission-controller"
	TokenWebhook      = "garden-oidc-webhook-authenticator"
	SeedAPIServer     = "seed-apiserver"
	DNS               = "dns"
	Metrics           = "metrics"
)

// FrontDoor is the name of the part that users connect to, at the address and the port of the configuration.
const FrontDoor = "front-door"

// GardenListeners are the listeners of the garden without its etcd.
func GardenListeners() []string {
	return []string{GardenAPIServer, GardenerAPIServer, AdmissionServer, Metrics}
}

// ClusterListeners are the listeners of an embedded cluster without its etcd.
func ClusterListeners() []string { return []string{SeedAPIServer, DNS} }

// Names of parts of the network.
const (
	Resolver      = "resolver" // this process resolves names through the name server
	ServiceProxy  = "service-proxy"
	GardenService = "garden-service" // pods of the seed find the garden
	Node          = "node"
)
