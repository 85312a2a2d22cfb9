package runtime

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"

	"github.com/go-logr/logr"
	criapi "k8s.io/cri-api/pkg/apis"

	"github.com/gardener-up/gardener-up/embedded/node/sandboxed"
)

// Name is the name of the runtime; container IDs are shown as process://<id>.
const Name = "process"

// Config is the input of New.
type Config struct {
	// RootDir is the absolute directory for sandboxes. Only one Runtime at a time may use it.
	RootDir string
	// KubeletDir is the kubelet's directory. It has the files that the kubelet mounts to read termination messages from them.
	KubeletDir string
	// PodRange is the range of pod addresses. Its first address and NodeIP are never given to a pod.
	PodRange netip.Prefix
	// NodeIP is the address of pods in the host's network.
	NodeIP netip.Addr
	// Version of the runtime as shown in the node's status.
	Version string

	// Runs says whether a container is a process of this binary, by the annotations of its pod and its name. Others are
	// simulated, for the reason, which may be empty.
	Runs func(annotations map[string]string, container string) (runs bool, reason string)
	// Executes says whether users may execute this binary with the arguments in a container that is a process. Nil means
	// never: a process can reach the whole machine.
	Executes func(args []string) bool
	// Completes says whether a simulated container ends at once with exit code 0, as init containers and Jobs do.
	// Nil means that none does.
	Completes func(podUID, container string) bool

	// Sandboxes run containers that are neither processes nor simulated. Nil means that all containers that are no processes are
	// simulated.
	Sandboxes *sandboxed.Host
	// Sandboxed says whether a container that is no process runs in a sandbox, by the annotations of its pod and its name. Nil
	// means that all do, if there are sandboxes.
	Sandboxed func(annotations map[string]string, container string) bool

	// Probe returns what a command in a sandbox stands for if that is a probe through the network of its pod, else nil. The kubelet
	// asks for it by ExecSync. Nil means that all commands are programs of containers.
	Probe func(argv []string) (Probe, error)

	// MemoryLimit returns how many bytes of data a process with these arguments of the binary may have. 0 is no limit. Nil means
	// that no process has one.
	MemoryLimit func(args []string) uint64
	// Tasks run in this process, by the name of the component that a container of the appliance image runs. Components
	// without one are processes.
	Tasks map[string]Task

	// Begin is closed when processes may start: a process that is asked for earlier waits for it. Nil means that they may at once.
	Begin <-chan struct{}
	// Executable is the program that runs for containers of the appliance image. If it is empty, that is /proc/self/exe: this very
	// binary, even after its file was replaced.
	Executable string
	// Kept returns the file of another version of this binary, for containers of an image of that version. Without one,
	// Executable is started. Nil means that there are none.
	Kept func(image string) (file string, found bool)
	// Env is set for every process and takes precedence over the container's own variables.
	Env map[string]string
	// PassEnv names variables of this process that containers get too, unless they set them.
	PassEnv []string

	Log logr.Logger
}

// Runtime implements the CRI runtime service. Its methods may be called concurrently.
type Runtime struct {
	about
	pods

	config    Config
	log       logr.Logger
	addresses *addresses
	streams   *streams

	changed  func(podUID string) // guarded by mu, as the next two
	missing  func(MissingImage)
	stopping bool
}

var _ criapi.RuntimeService = (*Runtime)(nil)

// New loads the state in RootDir, ends processes that a killed predecessor left behind and starts the streaming
// server on a loopback port. Containers that were running are reported as exited; simulated ones stay running.
func New(config Config) (*Runtime, error) {
	if !filepath.IsAbs(config.RootDir) {
		return nil, fmt.Errorf("runtime root directory %q is not absolute", config.RootDir)
	}
	if config.Executable == "" {
		config.Executable = "/proc/self/exe"
	}
	if config.Executes == nil {
		config.Executes = func([]string) bool { return false }
	}
	if config.Kept == nil {
		config.Kept = func(string) (string, bool) { return "", false }
	}
	if config.Sandboxed == nil {
		config.Sandboxed = func(map[string]string, string) bool { return true }
	}
	if config.MemoryLimit == nil {
		config.MemoryLimit = func([]string) uint64 { return 0 }
	}
	if config.Completes == nil {
		config.Completes = func(string, string) bool { return false }
	}
	r := &Runtime{
		about:     about{version: config.Version},
		pods:      pods{sandboxes: map[string]*sandbox{}, containers: map[string]*container{}},
		config:    config,
		log:       config.Log,
		addresses: newAddresses(config.PodRange, config.NodeIP),
		changed:   func(string) {},
		missing:   func(MissingImage) {},
	}
	if err := os.MkdirAll(r.sandboxesDir(), 0o700); err != nil {
		return nil, fmt.Errorf("create runtime directory: %w", err)
	}
	if err := r.load(); err != nil {
		return nil, err
	}
	streams, err := newStreams(r)
	if err != nil {
		return nil, err
	}
	r.streams = streams
	return r, nil
}

// OnChange sets a function that is called, without any lock held, when a container of a pod has started or ended.
func (r *Runtime) OnChange(changed func(podUID string)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changed = changed
}

// Close ends the streaming server. It leaves containers alone; see Shutdown.
func (r *Runtime) Close(context.Context) error { return r.streams.close() }

func (r *Runtime) sandboxesDir() string { return filepath.Join(r.config.RootDir, "pods") }

func (r *Runtime) notify(podUID string) {
	r.mu.Lock()
	changed, quiet := r.changed, r.stopping
	r.mu.Unlock()
	if !quiet {
		changed(podUID)
	}
}
