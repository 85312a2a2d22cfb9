// Package config reads the configuration of a landscape: one YAML file and the flags that override it. It decodes
// strictly, fills in defaults and reports all mistakes at once. It reads nothing but the given file and
// those that it names.
package config

import "encoding/json"

// APIVersion and Kind of the configuration file.
const (
	APIVersion = "appliance.gardener.cloud/v1alpha1"
	Kind       = "Landscape"
)

// Landscape is what a user may decide about a landscape.
type Landscape struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
	// Name of the landscape; names its state directory and its clusters. Default "local".
	Name string `json:"name,omitempty"`
	// StateDir holds everything the landscape keeps. Default $XDG_STATE_HOME/gardener/<name>.
	StateDir string `json:"stateDir,omitempty"`
	// Domain is the parent of the garden, internal and external domains. Default "local.gardener.cloud".
	Domain string `json:"domain,omitempty"`
	// FrontDoor is the one address under which garden and shoots are reached.
	FrontDoor FrontDoor `json:"frontDoor,omitempty"`
	// Garden says how the API servers of the garden serve.
	Garden Garden `json:"garden,omitempty"`
	// Seed is the first seed, which is the runtime cluster, too.
	Seed Seed `json:"seed,omitempty"`
	// Seeds are further embedded seeds, each with a cluster in a process of its own. What is listed is brought up; the verb
	// "seed" adds more.
	Seeds []FurtherSeed `json:"seeds,omitempty"`
	// Image is the name, with a tag, by which a registry has the container image of this binary. It is needed by seeds whose nodes
	// cannot be given the image from here; such seeds name a kubeconfig. Default: a name that no registry has.
	Image string `json:"image,omitempty"`
	// Gardenlet is laid over the configuration that the landscape makes for the gardenlet of its seed: any keys of a
	// GardenletConfiguration.
	Gardenlet json.RawMessage `json:"gardenlet,omitempty"`
	// ControllerManager holds any keys of a ControllerManagerConfiguration. Default: those of the kind.
	ControllerManager json.RawMessage `json:"controllerManager,omitempty"`
	// Scheduler holds any keys of a SchedulerConfiguration. Default: those of the kind.
	Scheduler json.RawMessage `json:"scheduler,omitempty"`
	// Log says what the daemon writes to its log file.
	Log Log `json:"log,omitempty"`
}

// FrontDoor is a TCP listener that routes by TLS server name.
type FrontDoor struct {
	// Address is a loopback address. Default 127.0.0.1.
	Address string `json:"address,omitempty"`
	// Port 0 lets the system choose once; the choice is kept for the life of the landscape. Default 8443.
	Port *int32 `json:"port,omitempty"`
}

// Garden says how the garden's kube-apiserver and the Gardener API server behind it serve. Both do as is said here.
type Garden struct {
	// Audit says what is kept of requests; nothing without it.
	Audit *Audit `json:"audit,omitempty"`
	// Requests bounds what is served at once.
	Requests Requests `json:"requests,omitempty"`
	// GardenerAPIServer is for the Gardener API server alone.
	GardenerAPIServer GardenerAPIServer `json:"gardenerAPIServer,omitempty"`
}

// GardenerAPIServer chooses what the Gardener API server does.
type GardenerAPIServer struct {
	// Admission chooses and configures admission plugins.
	Admission Admission `json:"admission,omitempty"`
	// FeatureGates are on or off by name. Gates that are not named keep their defaults.
	FeatureGates map[string]bool `json:"featureGates,omitempty"`
}

// Admission chooses and configures admission plugins. Plugins that are not named keep their defaults.
type Admission struct {
	EnablePlugins  []string `json:"enablePlugins,omitempty"`
	DisablePlugins []string `json:"disablePlugins,omitempty"`
	// ConfigFile is the absolute path of an AdmissionConfiguration of apiserver.config.k8s.io/v1.
	ConfigFile string `json:"configFile,omitempty"`
}

// Audit says what is kept of requests. All files are absolute paths.
type Audit struct {
	// PolicyFile is a Policy of audit.k8s.io/v1.
	PolicyFile string `json:"policyFile"`
	// LogDir takes the files garden-apiserver-audit.log and gardener-apiserver-audit.log; the second has the bodies of what
	// is Gardener's. Nothing is written to files without it.
	LogDir string `json:"logDir,omitempty"`
	// WebhookFile is a kubeconfig of who takes the events.
	WebhookFile string `json:"webhookFile,omitempty"`
}

// Requests bounds what each API server serves at once; more is answered by 429.
type Requests struct {
	// PriorityAndFairness shares out the sum of both numbers by the FlowSchemas of the garden. Default false: a landscape has
	// few clients, and fairness costs informers.
	PriorityAndFairness bool `json:"priorityAndFairness,omitempty"`
	// MaxInFlight counts reading requests. Default 400.
	MaxInFlight *int32 `json:"maxInFlight,omitempty"`
	// MaxMutatingInFlight counts writing requests. Default 200.
	MaxMutatingInFlight *int32 `json:"maxMutatingInFlight,omitempty"`
}

// Providers of seeds.
const (
	// ProviderEmbedded runs the seed in the daemon, its pods and the nodes of shoots as processes.
	ProviderEmbedded = "embedded"
	// ProviderKind runs the seed as a kind cluster and the nodes of shoots as containers.
	ProviderKind = "kind"
)

// Seed describes the first seed.
type Seed struct {
	// Name of the Seed object. Default "local".
	Name string `json:"name,omitempty"`
	// Provider is embedded or kind. Default embedded.
	Provider string `json:"provider,omitempty"`
	// NodeImage is the image of the nodes of a kind seed and, unless the CloudProfile says otherwise, of its shoots. Only
	// for kind. Default: the one the kind library was released with.
	NodeImage string `json:"nodeImage,omitempty"`
	// NodeImages are the images of nodes of shoots by version of Kubernetes, such as "1.35.7"; NodeImage is for all others.
	// Only for kind.
	NodeImages map[string]string `json:"nodeImages,omitempty"`
	// PodCIDR is the range of pod addresses. Embedded seeds need it within 127.0.0.0/9; landscapes with embedded seeds that
	// run side by side need ranges of their own. Default 127.64.0.0/16, for kind 10.1.0.0/16.
	PodCIDR string `json:"podCIDR,omitempty"`
	// ServiceCIDR is the range of service addresses, likewise. Default 127.96.0.0/16, for kind 10.2.0.0/16.
	ServiceCIDR string `json:"serviceCIDR,omitempty"`
}

// FurtherSeed describes an embedded seed beside the first one.
type FurtherSeed struct {
	// Name of the Seed object.
	Name string `json:"name"`
	// PodCIDR and ServiceCIDR are ranges within 127.0.0.0/9, chosen once if both are empty.
	PodCIDR     string `json:"podCIDR,omitempty"`
	ServiceCIDR string `json:"serviceCIDR,omitempty"`
}

// Kind tells whether the seed is a kind cluster.
func (s Seed) Kind() bool { return s.Provider == ProviderKind }

// Log configures logging.
type Log struct {
	// Level is info, debug or error. Default info.
	Level string `json:"level,omitempty"`
	// Format is json or text. Default json.
	Format string `json:"format,omitempty"`
}
