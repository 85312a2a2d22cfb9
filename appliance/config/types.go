// Package config reads the configuration of a landscape: one YAML file and the flags that override it. It decodes strictly,
// sets defaults and reports all mistakes at once. It reads only the given file and the files that it names.
package config

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// APIVersion and Kind of the configuration file.
const (
	APIVersion = "appliance.gardener.cloud/v1alpha1"
	Kind       = "Landscape"
)

// Landscape is the configuration of a landscape.
type Landscape struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
	// Name of the landscape; names its state directory and its clusters. Default "local".
	Name string `json:"name,omitempty"`
	// StateDir is the directory for all files of the landscape. Default $XDG_STATE_HOME/gardener/<name>.
	StateDir string `json:"stateDir,omitempty"`
	// Domain is the parent of the garden, internal and external domains. Default "local.gardener.cloud".
	Domain string `json:"domain,omitempty"`
	// FrontDoor is the one address for the garden and all shoots.
	FrontDoor FrontDoor `json:"frontDoor,omitempty"`
	// Garden configures the API servers of the garden.
	Garden Garden `json:"garden,omitempty"`
	// Storage limits what the clusters of the landscape store.
	Storage Storage `json:"storage,omitempty"`
	// Seed is the first seed. It is also the runtime cluster.
	Seed Seed `json:"seed,omitempty"`
	// Seeds are further seeds, each with a cluster of its own: a process or a kind cluster. The landscape brings up all
	// listed seeds. The command "gardener seed" adds more.
	Seeds []FurtherSeed `json:"seeds,omitempty"`
	// Containers says what embedded seeds and nodes of their shoots do with containers: sandbox to run them in gVisor, simulate, or auto, which is
	// sandbox where a sandbox starts on this machine. Default auto.
	Containers string `json:"containers,omitempty"`
	// SimulateMissingImages simulates a container in place of one in a sandbox if its image cannot be pulled. Default true with auto, else false.
	SimulateMissingImages *bool `json:"simulateMissingImages,omitempty"`
	// RegistryMirrors are registries (host, optionally with port) that nodes of shoots on embedded seeds ask for images before the registry that is the
	// key, such as docker.io. "*" is the key for all others. They get no credentials, and may have private addresses. Default: none.
	RegistryMirrors map[string][]string `json:"registryMirrors,omitempty"`
	// Bundle names a bundle whose images are loaded at each start, before containers of shoots need them. Only for embedded nodes.
	Bundle Bundle `json:"bundle,omitempty"`
	// Image is the name with a tag of this binary's container image in a registry. Seeds with a kubeconfig need it if the
	// landscape cannot copy the image to their nodes. Default: a name that is in no registry.
	Image string `json:"image,omitempty"`
	// Gardenlet holds any keys of a GardenletConfiguration. They are merged into the configuration that the landscape makes
	// for the gardenlet of its seed.
	Gardenlet json.RawMessage `json:"gardenlet,omitempty"`
	// ControllerManager holds any keys of a ControllerManagerConfiguration. Missing keys have their usual defaults.
	ControllerManager json.RawMessage `json:"controllerManager,omitempty"`
	// Scheduler holds any keys of a SchedulerConfiguration. Missing keys have their usual defaults.
	Scheduler json.RawMessage `json:"scheduler,omitempty"`
	// AdmissionController holds any keys of an AdmissionControllerConfiguration. Missing keys have their
	// usual defaults.
	AdmissionController json.RawMessage `json:"admissionController,omitempty"`
	// Operator holds any keys of an OperatorConfiguration, for the operator of the Garden. Missing keys have their usual
	// defaults.
	Operator json.RawMessage `json:"operator,omitempty"`
	// Tenants limits what the control planes of shoots, and the garden, do for members of projects and users of shoots.
	Tenants Tenants `json:"tenants,omitempty"`
	// Backup makes backups of the whole landscape on a schedule. Without it there are none.
	Backup *Backup `json:"backup,omitempty"`
	// Log configures the daemon's log file.
	Log Log `json:"log,omitempty"`
}

// Bundle is a file of "gardener bundle create".
type Bundle struct {
	// File is the absolute path of the bundle. Default: none.
	File string `json:"file,omitempty"`
	// KeyFile is the absolute path of the public key of whoever made the bundle. A bundle that is signed by another key is refused. Default: any
	// key will do.
	KeyFile string `json:"keyFile,omitempty"`
}

// Storage bounds what each cluster of the landscape stores: the garden, the first seed if it is embedded, and each own seed.
type Storage struct {
	// Quota is how large the database of one cluster may be on disk. Users may fill 80 % of it. Default 2Gi.
	Quota *resource.Quantity `json:"quota,omitempty"`
}

// Tenants limits what is done for members of projects and users of shoots.
type Tenants struct {
	// PrivateNetworks are the private networks in which servers that tenants name may be: webhooks, aggregated servers and issuers
	// of tokens of shoots, and clusters of Plants. Servers with public addresses are reached anyway, networks of the landscape
	// are never reached. Default: none.
	PrivateNetworks []string `json:"privateNetworks,omitempty"`
	// Outside lets containers in sandboxes reach public addresses and PrivateNetworks. Default true.
	Outside *bool `json:"outside,omitempty"`
}

// FrontDoor is a TCP listener that routes by TLS server name.
type FrontDoor struct {
	// Address is a loopback address. Default 127.0.0.1.
	Address string `json:"address,omitempty"`
	// Port 0 lets the system choose a free port, once for the life of the landscape. Without a port, a new landscape gets the first of
	// 8443, 8543 and so on that is free and no other landscape has.
	Port *int32 `json:"port,omitempty"`
}

// Garden configures the garden's kube-apiserver and the Gardener API server. The settings apply to both unless they say
// otherwise.
type Garden struct {
	// AuthenticationFile is the absolute path of an AuthenticationConfiguration of apiserver.config.k8s.io/v1: the identity
	// providers whose users may log in to the garden. A change of the file takes effect within about a minute.
	AuthenticationFile string `json:"authenticationFile,omitempty"`
	// OpenIDConnectWebhook adds identity providers to those of AuthenticationFile: each OpenIDConnect in the garden is one.
	OpenIDConnectWebhook OpenIDConnectWebhook `json:"openIDConnectWebhook,omitempty"`
	// Audit configures the audit logs. Without it there are none.
	Audit *Audit `json:"audit,omitempty"`
	// CertificateSigningDuration is how long client certificates that the garden signs on request are valid, such as those
	// of gardenlets. Default 8760h, which is a year.
	CertificateSigningDuration *metav1.Duration `json:"certificateSigningDuration,omitempty"`
	// Requests limits the number of concurrent requests.
	Requests Requests `json:"requests,omitempty"`
	// GardenerAPIServer configures the Gardener API server alone.
	GardenerAPIServer GardenerAPIServer `json:"gardenerAPIServer,omitempty"`
}

// OpenIDConnectWebhook configures the webhook that verifies tokens of the providers that OpenIDConnects in the garden name.
type OpenIDConnectWebhook struct {
	// Enabled runs the webhook and installs the kind OpenIDConnect. Default false.
	Enabled bool `json:"enabled,omitempty"`
	// AllowedIssuerHosts are names of issuers that may have any address, even one of this machine. "*" in a name stands for any
	// text. Other issuers have public addresses, or are in the private networks of Tenants. Default: none.
	AllowedIssuerHosts []string `json:"allowedIssuerHosts,omitempty"`
}

// GardenerAPIServer configures the Gardener API server.
type GardenerAPIServer struct {
	// Admission enables, disables and configures admission plugins.
	Admission Admission `json:"admission,omitempty"`
	// FeatureGates are switched on or off by name. Other gates keep their defaults.
	FeatureGates map[string]bool `json:"featureGates,omitempty"`
}

// Admission enables, disables and configures admission plugins. Other plugins keep their defaults.
type Admission struct {
	EnablePlugins  []string `json:"enablePlugins,omitempty"`
	DisablePlugins []string `json:"disablePlugins,omitempty"`
	// ConfigFile is the absolute path of an AdmissionConfiguration of apiserver.config.k8s.io/v1.
	ConfigFile string `json:"configFile,omitempty"`
}

// Audit configures the audit logs. All paths of files are absolute.
type Audit struct {
	// PolicyFile contains a Policy of audit.k8s.io/v1.
	PolicyFile string `json:"policyFile"`
	// LogDir is the directory for garden-apiserver-audit.log and gardener-apiserver-audit.log. Bodies of requests for
	// Gardener's kinds are in the second file. Without LogDir no files are written.
	LogDir string `json:"logDir,omitempty"`
	// WebhookFile is a kubeconfig for the webhook that receives the events.
	WebhookFile string `json:"webhookFile,omitempty"`
}

// Requests limits the concurrent requests to each API server. Priority and fairness shares them out by the FlowSchemas of the
// garden. Requests above a limit wait, or get the status 429.
type Requests struct {
	// PriorityAndFairness is a setting of former versions. It has no effect: it is always on.
	PriorityAndFairness *bool `json:"priorityAndFairness,omitempty"`
	// MaxInFlight and MaxMutatingInFlight are summed up. Defaults 400 and 200.
	MaxInFlight *int32 `json:"maxInFlight,omitempty"`
	// MaxMutatingInFlight see MaxInFlight.
	MaxMutatingInFlight *int32 `json:"maxMutatingInFlight,omitempty"`
	// MaxInFlightPerUser limits the concurrent requests of one tenant, which is a user, or all service accounts of a namespace. Users
	// of the landscape itself have no such limit. Default 100; 0 is no limit, but a tenant still gets no more than its share.
	MaxInFlightPerUser *int32 `json:"maxInFlightPerUser,omitempty"`
	// MaxWatchesPerUser limits the watches of one tenant. Default 500; 0 is no limit.
	MaxWatchesPerUser *int32 `json:"maxWatchesPerUser,omitempty"`
}

// What embedded nodes of shoots do with containers.
const (
	// ContainersAuto is ContainersSandbox where a sandbox starts on this machine, and ContainersSimulate elsewhere. It is decided before the
	// landscape starts.
	ContainersAuto = "auto"
	// ContainersSimulate marks containers as running, but runs nothing.
	ContainersSimulate = "simulate"
	// ContainersSandbox runs containers in gVisor.
	ContainersSandbox = "sandbox"
)

// Seed describes the first seed.
type Seed struct {
	// Name of the Seed object. Default "local".
	Name string `json:"name,omitempty"`
	// Provider is embedded or kind. Default embedded.
	Provider string `json:"provider,omitempty"`
	// NodeImage is the image of the nodes of a kind seed and of its shoots, unless the CloudProfile names another one. Only
	// for kind. Default: the image that this version of the kind library was released with.
	NodeImage string `json:"nodeImage,omitempty"`
	// NodeImages are the images of shoots' nodes by version of Kubernetes, such as "1.35.7". Other versions use NodeImage.
	// Only for kind.
	NodeImages map[string]string `json:"nodeImages,omitempty"`
	// PodCIDR is the range of pod addresses. For embedded seeds it must be within 127.0.0.0/9, and landscapes with embedded
	// seeds that run at the same time need different ranges. A new landscape gets the first that is free and no other landscape has,
	// beginning with 127.64.0.0/16; for kind the default is 10.1.0.0/16.
	PodCIDR string `json:"podCIDR,omitempty"`
	// ServiceCIDR is the range of Service addresses, with the same rules. Default 127.96.0.0/16, for kind 10.2.0.0/16.
	ServiceCIDR string `json:"serviceCIDR,omitempty"`
	// Nodes is how many nodes a kind seed has. It cannot be changed later. Only for kind. Default 1.
	Nodes int32 `json:"nodes,omitempty"`
	// Zones of the Seed object. The one node of an embedded seed has no zone. The nodes of a kind seed take turns. Default
	// "0", "1", "2"; for kind as many of these as there are nodes.
	Zones []string `json:"zones,omitempty"`
}

// FurtherSeed describes a seed in addition to the first one.
type FurtherSeed struct {
	// Name of the Seed object.
	Name string `json:"name"`
	// Provider of the seed's cluster: embedded or kind. Default embedded, whatever the first seed is.
	Provider string `json:"provider,omitempty"`
	// NodeImage is the image of the nodes of a kind cluster. Default seed.nodeImage if the first seed is a kind cluster, else that
	// of this version.
	NodeImage string `json:"nodeImage,omitempty"`
	// PodCIDR and ServiceCIDR are ranges within 127.0.0.0/9, for kind private ranges. If both are empty, the landscape chooses them
	// once, for kind 10.1.0.0/16 and 10.2.0.0/16.
	PodCIDR     string `json:"podCIDR,omitempty"`
	ServiceCIDR string `json:"serviceCIDR,omitempty"`
}

// Kind reports whether the seed is a kind cluster.
func (s Seed) Kind() bool { return s.Provider == ProviderKind }

// Kind reports whether the seed is a kind cluster.
func (s FurtherSeed) Kind() bool { return s.Provider == ProviderKind }

// Log configures logging.
type Log struct {
	// Level is info, debug or error. Default info.
	Level string `json:"level,omitempty"`
	// Format is json or text. Default json.
	Format string `json:"format,omitempty"`
	// MaxSize is the size at which a log file is rotated. KeptLogs older files are kept. Default 50Mi.
	MaxSize *resource.Quantity `json:"maxSize,omitempty"`
}

// KeptLogs is how many older log files of a start are kept.
const KeptLogs = 3
