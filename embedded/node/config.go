package node

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	kubeletconfig "k8s.io/kubelet/config/v1beta1"

	"github.com/gardener-up/gardener-up/embedded/image"
	"github.com/gardener-up/gardener-up/embedded/internal/kubecommand"
	"github.com/gardener-up/gardener-up/embedded/node/runtime"
	"github.com/gardener-up/gardener-up/embedded/node/sharedvolume"
	"github.com/gardener-up/gardener-up/embedded/sandbox/layout"
)

// Config is the input of New. Paths are absolute.
type Config struct {
	// Name is the name of the Node object.
	Name string
	// RootDir contains everything of the node: the kubelet's volumes, logs and certificates, and the runtime's
	// sandboxes. Keep it short: paths of Unix sockets in pods are limited to 108 bytes.
	RootDir string
	// CertDir keeps the kubelet's certificates; <RootDir>/pki if empty.
	CertDir string

	// Client reaches the API server with the node's own identity. If it is nil, Kubeconfig is used.
	Client *rest.Config
	// Kubeconfig is a file. With BootstrapKubeconfig it is written once the API server has signed a client
	// certificate, which is then kept valid.
	Kubeconfig, BootstrapKubeconfig string

	// NodeIP is the node's address: of the kubelet's API, of pods in the host's network, and in the Node object.
	NodeIP netip.Addr
	// PodRange is the range of pod addresses.
	PodRange netip.Prefix

	// Kubelet is the kubelet's configuration. Settings that a node without containers cannot have (cgroups, eviction,
	// mounts, iptables) are overridden. Nil means defaults. Authentication.X509.ClientCAFile should be set so that API
	// servers can read logs.
	Kubelet *kubeletconfig.KubeletConfiguration
	// Labels and Taints the Node is registered with.
	Labels map[string]string
	Taints []corev1.Taint
	// ProviderID of the Node object.
	ProviderID string
	// InUserNamespace makes the kubelet ignore errors of operations that are forbidden in a user namespace. A user namespace is also
	// detected.
	InUserNamespace bool

	// Genuine returns nil for pods that the landscape itself made. Their containers of the appliance image are processes;
	// all others are simulated. The error says what is wrong with a pod. If Genuine is nil, no container is a process.
	Genuine func(*corev1.Pod) error
	// Image is the appliance image. Processes of pods learn it, too.
	Image string
	// Tasks are the components that run in this process instead of their own, by name.
	Tasks map[string]runtime.Task
	// Begin is closed when processes may start: those of pods that are asked for earlier wait for it. Nil means that they may at once.
	Begin <-chan struct{}
	// Executable is the program that runs for containers of the appliance image; this binary if empty.
	Executable string
	// Kept returns the file of another version of this binary, for containers of an image of that version; nil if there are
	// none.
	Kept func(image string) (file string, found bool)
	// DNS is the address and port of the resolver for processes of pods (GARDENER_DNS).
	DNS string
	// APIServer is the host and port that processes of pods find in KUBERNETES_SERVICE_HOST and _PORT.
	APIServerHost, APIServerPort string
	// Sandboxes are those of containers that are no processes; nil means that such containers are simulated.
	Sandboxes *Sandboxes
	// StartsNothing takes the ability to start programs from this process when the node starts. Sandboxes start nevertheless.
	StartsNothing bool
	// NodeSandboxes is the directory of sandboxes for kubelets that are processes of this node's pods: those of shoots. They simulate
	// containers if it is empty.
	NodeSandboxes string
	// NodeSimulateMissing makes these kubelets simulate containers whose images cannot be pulled.
	NodeSimulateMissing bool
	// NodeMirrors are the mirrors that these kubelets ask for images.
	NodeMirrors Mirrors
	// NodeOutside is what pods in these sandboxes reach outside of the machine.
	NodeOutside Outside
	// Volumes is the directory in which PersistentVolumes of a seed lie. Others are not mounted there.
	Volumes string
	// SharedVolumes is the same for nodes of a shoot, which know volumes by package sharedvolume. It is empty on other nodes.
	SharedVolumes string
	// NodeVolumes is the directory with the volumes of all shoots, for processes of this node's pods.
	NodeVolumes string
	// PassEnv names further variables of this process that processes of pods get.
	PassEnv []string

	// KubernetesVersion is the kubelet version that the Node shows (v1.34.0); this binary's if empty.
	KubernetesVersion string
	// Version of the runtime, shown in the Node's status.
	Version string
	// ShutdownTimeout is how long Stop gives the processes of pods if its context has no earlier deadline; 10 s if zero.
	ShutdownTimeout time.Duration

	Log logr.Logger
}

// hostPaths is where directories are that pods take for those of the machine.
func (c Config) hostPaths() string { return filepath.Join(c.RootDir, "hostpaths") }

func (c Config) withDefaults() Config {
	if c.CertDir == "" {
		c.CertDir = filepath.Join(c.RootDir, "pki")
	}
	if c.ShutdownTimeout == 0 {
		c.ShutdownTimeout = 10 * time.Second
	}
	if c.Kubelet == nil {
		c.Kubelet = &kubeletconfig.KubeletConfiguration{}
	}
	return c
}

func (c Config) validate() error {
	var problems []error
	if c.Name == "" {
		problems = append(problems, errors.New("node name is missing"))
	}
	if !filepath.IsAbs(c.RootDir) || !filepath.IsAbs(c.CertDir) {
		problems = append(problems, fmt.Errorf("root directory %q and certificate directory %q must be absolute", c.RootDir, c.CertDir))
	}
	if !c.NodeIP.IsValid() {
		problems = append(problems, errors.New("node address is missing"))
	}
	if !c.PodRange.IsValid() {
		problems = append(problems, errors.New("range of pod addresses is missing"))
	}
	if c.Client == nil && c.Kubeconfig == "" {
		problems = append(problems, errors.New("neither client nor kubeconfig is given"))
	}
	if c.Client != nil && c.BootstrapKubeconfig != "" {
		problems = append(problems, errors.New("a bootstrap kubeconfig needs a kubeconfig path instead of a client"))
	}
	return errors.Join(problems...)
}

// EmbeddedVariable is the variable that tells a component that it is a process of an embedded node.
const EmbeddedVariable = kubecommand.EnvEmbedded

// environment is set for every process of a pod.
func (c Config) environment() map[string]string {
	env := map[string]string{EmbeddedVariable: "true"}
	for name, value := range map[string]string{
		"GARDENER_DNS": c.DNS, "KUBERNETES_SERVICE_HOST": c.APIServerHost, "KUBERNETES_SERVICE_PORT": c.APIServerPort,
		image.Variable: c.Image, layout.Variable: c.NodeSandboxes, sharedvolume.Variable: c.NodeVolumes,
		outsideVariable: c.NodeOutside.String(), missingVariable: missingValue(c.NodeSimulateMissing), mirrorsVariable: c.NodeMirrors.String(), "GOGC": rareCollections(os.Getenv("GOGC")),
	} {
		if value != "" {
			env[name] = value
		}
	}
	return env
}
