package sandboxed

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/go-logr/logr"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/gardener-up/gardener-up/embedded/imagestore"
	"github.com/gardener-up/gardener-up/embedded/sandbox/groups"
	"github.com/gardener-up/gardener-up/embedded/sandbox/pod"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet"
)

// Config is the input of New.
type Config struct {
	// Spawner starts sandboxes. It belongs to the caller.
	Spawner *pod.Spawner
	// Images has the images of containers, as the cluster knows them.
	Images  *imagestore.Store
	Cluster string
	// Scratch returns the directories of the machine that only containers of a pod use, by the pod's UID: its volumes of kind emptyDir.
	Scratch func(podUID string) ([]string, error)
	// Base is the directory that a mount of a pod must stay in, by the pod's UID and the path of the mount, wherever links lead that users
	// made. Users cannot replace it. It is an error if pods have no business there.
	Base func(podUID, path string) (string, error)
	// Node is the address of the node, and Landscape the ranges of pods and Services below 127.0.0.0/8.
	Node      netip.Addr
	Landscape []netip.Prefix
	// Group is the control group of the node; its zero value if there is none. Then the memory of pods is watched instead.
	Group groups.Group
	// Memory is how many bytes of memory all pods of the node may have together. 0 is no limit.
	Memory int64
	// Limits are those of the containers of a pod together, by its UID.
	Limits func(podUID string) groups.Limits
	// Decide says what a pod reaches.
	Decide func(namespace, name string, address netip.Addr) podnet.Decide
	Log    logr.Logger
}

// Host has the sandboxes of a node. Its methods may be called concurrently.
type Host struct {
	config Config

	mu   sync.Mutex
	pods map[string]*entry // by ID of the pod sandbox
}

// entry is the sandbox of a pod. It is made with the first container.
type entry struct {
	address netip.Addr
	uid     string // of the pod

	mu     sync.Mutex
	pod    *pod.Pod // nil until there is one
	limits groups.Limits
}

// New starts nothing.
func New(config Config) *Host { return &Host{config: config, pods: map[string]*entry{}} }

// Sandbox is the pod of a container.
type Sandbox struct {
	// ID is that of the pod sandbox, and Dir is its absolute directory.
	ID, Dir string
	// Address is that of the pod.
	Address netip.Addr
	// Config is the configuration of the pod sandbox.
	Config *cri.PodSandboxConfig
}

// Create prepares a container. The image must be in the store.
func (h *Host) Create(ctx context.Context, sandbox Sandbox, id string, config *cri.ContainerConfig) error {
	image, err := h.config.Images.Get(h.config.Cluster, config.GetImage().GetImage())
	if err != nil {
		return err
	}
	container, err := describe(id, config, image)
	if err != nil {
		return err
	}
	if err := h.settle(container.Mounts, sandbox); err != nil {
		return err
	}
	resolv, err := writeResolvConf(sandbox)
	if err != nil {
		return err
	}
	container.Mounts = withResolvConf(container.Mounts, resolv)
	running, err := h.podOf(ctx, sandbox, scoreOf(config))
	if err != nil {
		return err
	}
	return running.Create(ctx, container)
}

// podOf starts the sandbox if it does not run: it is the first container, or the sandbox has ended.
func (h *Host) podOf(ctx context.Context, sandbox Sandbox, score int) (*pod.Pod, error) {
	h.mu.Lock()
	e := h.pods[sandbox.ID]
	if e == nil {
		e = &entry{address: sandbox.Address, uid: uid(sandbox)}
		h.pods[sandbox.ID] = e
	}
	h.mu.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.pod != nil {
		select {
		case <-e.pod.Ended():
			e.pod.Stop()
		default:
			return e.pod, nil
		}
	}
	dir := filepath.Join(sandbox.Dir, stateDir)
	if err := os.RemoveAll(dir); err != nil {
		return nil, fmt.Errorf("remove the state of a former sandbox: %w", err)
	}
	scratch, err := h.scratch(sandbox)
	if err != nil {
		return nil, err
	}
	limits := h.config.Limits(e.uid)
	started, err := h.config.Spawner.Start(ctx, pod.Config{
		ID: sandbox.ID, Hostname: sandbox.Config.GetHostname(), Dir: dir, Scratch: scratch, Network: h.network(sandbox),
		Group: h.config.Group, Limits: limits, OOMScore: score,
	})
	if err != nil {
		return nil, err
	}
	e.pod, e.limits = started, limits
	return started, nil
}

// stateDir is the name of the directory of a sandbox's state in the directory of its pod.
const stateDir = "gvisor"

var errNoSandbox = errors.New("the sandbox of the pod has ended")

// running returns the sandbox of a pod.
func (h *Host) running(sandboxID string) (*pod.Pod, error) {
	h.mu.Lock()
	e := h.pods[sandboxID]
	h.mu.Unlock()
	if e == nil {
		return nil, errNoSandbox
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.pod == nil {
		return nil, errNoSandbox
	}
	return e.pod, nil
}

// Remove removes a container that has ended. Removing twice is fine.
func (h *Host) Remove(ctx context.Context, sandboxID, id string) error {
	running, err := h.running(sandboxID)
	if err != nil {
		return nil // it went with its sandbox
	}
	err = running.Delete(ctx, id)
	select {
	case <-running.Ended():
		return nil
	default:
		return err
	}
}

// Close ends everything in all sandboxes and waits for that.
func (h *Host) Close() {
	h.mu.Lock()
	ids := slices.Collect(maps.Keys(h.pods))
	h.mu.Unlock()
	var group sync.WaitGroup
	for _, id := range ids {
		group.Go(func() { h.StopSandbox(id) })
	}
	group.Wait()
}

// StopSandbox ends everything in the sandbox of a pod and waits for that. Stopping twice is fine.
func (h *Host) StopSandbox(sandboxID string) {
	running, err := h.running(sandboxID)
	h.mu.Lock()
	delete(h.pods, sandboxID)
	h.mu.Unlock()
	if err == nil {
		running.Stop()
	}
}
