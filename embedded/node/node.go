package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/gardener-up/gardener-up/embedded/lifecycle"
	"github.com/gardener-up/gardener-up/embedded/node/machine"
	"github.com/gardener-up/gardener-up/embedded/node/pods"
	"github.com/gardener-up/gardener-up/embedded/node/runtime"
	"github.com/gardener-up/gardener-up/embedded/noexec"
)

// ErrOnePerProcess is returned when a second node is started in a process.
var ErrOnePerProcess = errors.New("a process runs one kubelet in its life: start further nodes as processes of their own")

// errNoSandboxes ends a node that could start pods no more. A process that may not start programs cannot cure that.
var errNoSandboxes = errors.New("the process that starts sandboxes has ended")

var started atomic.Bool // the kubelet's metrics and configuration are global, too

// Node is a component. It can be started once.
type Node struct {
	config Config
	runner lifecycle.Runner
	pods   pods.Index

	sandboxes *openSandboxes // nil if there are none; set by Start
	network   *podNetwork    // set by Start

	mu      sync.Mutex
	kubelet *kubelet  // nil until it runs
	stopBy  time.Time // of Stop
}

// New checks nothing and starts nothing.
func New(config Config) *Node { return &Node{config: config.withDefaults()} }

// Name returns "node".
func (n *Node) Name() string { return "node" }

// Start runs the kubelet in the background. It returns an error when the configuration is wrong, another node runs in
// this process or state on disk cannot be read. Without a client certificate it goes on waiting for one in the background.
func (n *Node) Start(ctx context.Context) error {
	if err := n.config.validate(); err != nil {
		return fmt.Errorf("configure node: %w", err)
	}
	if err := n.makeDirectories(); err != nil {
		return err
	}
	if started.Swap(true) {
		return ErrOnePerProcess
	}
	if err := n.openSandboxes(); err != nil {
		return err
	}
	run, err := n.newRuntime()
	if err != nil {
		n.closeSandboxes()
		return fmt.Errorf("start runtime: %w", err)
	}
	return n.runner.Start(ctx, func(ctx context.Context) error {
		defer n.closeSandboxes()
		return n.run(ctx, run)
	})
}

// openSandboxes starts what starts sandboxes, before this process gives up the ability to start programs.
func (n *Node) openSandboxes() (err error) {
	if own := n.config.Sandboxes; own != nil {
		if n.sandboxes, err = n.config.open(*own); err != nil {
			return err
		}
	}
	n.network = newPodNetwork(n.config, n.sandboxes, &n.pods)
	if !n.config.StartsNothing {
		return nil
	}
	if err := noexec.Forbid(); err != nil {
		n.closeSandboxes()
		return err
	}
	return nil
}

func (n *Node) closeSandboxes() {
	if n.sandboxes != nil {
		n.sandboxes.close()
	}
}

func (n *Node) newRuntime() (*runtime.Runtime, error) {
	config := runtime.Config{
		RootDir: filepath.Join(n.config.RootDir, "runtime"), KubeletDir: n.config.RootDir, PodRange: n.config.PodRange, NodeIP: n.config.NodeIP, Version: n.config.Version,
		Runs: pods.Runs, Executes: harmless, Completes: n.pods.Completes, MemoryLimit: memoryLimit(machine.Memory()),
		Tasks: n.config.Tasks, Begin: n.config.Begin, Executable: n.config.Executable, Kept: n.config.Kept,
		Env: n.config.environment(), PassEnv: n.config.PassEnv, Log: n.config.Log,
	}
	if n.sandboxes != nil {
		config.Sandboxes, config.Sandboxed, config.Probe = n.network.host, pods.RunsSandboxed, probeOf
	}
	run, err := runtime.New(config)
	n.network.processes = run
	return run, err
}

// harmless are the only arguments of this binary that users may execute in a container: a process can reach the whole
// machine, so it must do nothing that its user chooses.
func harmless(args []string) bool { return slices.Equal(args, []string{"version"}) }

func (n *Node) makeDirectories() error {
	for _, dir := range []string{n.config.RootDir, n.config.CertDir} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("create node directory: %w", err)
		}
	}
	return nil
}

func (n *Node) run(ctx context.Context, run *runtime.Runtime) error {
	ctx = klog.NewContext(ctx, n.config.Log.WithName("kubelet").V(1)) // the kubelet tells much
	gate := newGate()
	defer gate.close()
	defer n.shutDown(run)
	if n.config.Client != nil {
		n.config.Client = rest.CopyConfig(n.config.Client)
		n.config.Client.Dial = gate.dial
	}
	k, err := newKubelet(ctx, n.config, n.sandboxes, run, &n.pods)
	if err != nil {
		return err
	}
	n.mu.Lock()
	n.kubelet = k
	n.mu.Unlock()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var beside sync.WaitGroup
	defer beside.Wait()
	beside.Go(func() { registerCSINode(ctx, k.client, n.config.Name) })
	if n.sandboxes != nil {
		beside.Go(func() {
			select {
			case <-n.sandboxes.spawner.Ended():
				cancel(errNoSandboxes)
			case <-ctx.Done():
			}
		})
	}
	beside.Go(func() {
		if err := n.network.run(ctx, k.base, k.client, k.dependencies.Recorder); err != nil {
			cancel(err)
		}
	})
	return errors.Join(k.run(ctx), failure(ctx))
}

// failure is why the context was cancelled, if that was an error of the node.
func failure(ctx context.Context) error {
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

// shutDown ends the processes of all pods. They are started again from the API when the node comes back.
func (n *Node) shutDown(run *runtime.Runtime) {
	n.mu.Lock()
	stopBy := n.stopBy
	n.mu.Unlock()
	if latest := time.Now().Add(n.config.ShutdownTimeout); stopBy.IsZero() || latest.Before(stopBy) {
		stopBy = latest
	}
	ctx, cancel := context.WithDeadline(context.Background(), stopBy)
	defer cancel()
	run.Shutdown(ctx, n.pods.Priority)
	n.network.close()
	_ = run.Close(ctx)
}

// Ready returns nil when the Node is Ready in the API and the kubelet of this process accepts pods.
func (n *Node) Ready(ctx context.Context) error {
	if err := n.runner.Running(); err != nil {
		return err
	}
	n.mu.Lock()
	k := n.kubelet
	n.mu.Unlock()
	if k == nil || k.LatestLoopEntryTime().IsZero() {
		return errors.New("kubelet is starting")
	}
	object, err := k.client.CoreV1().Nodes().Get(ctx, n.config.Name, metav1.GetOptions{ResourceVersion: "0"})
	if err != nil {
		return fmt.Errorf("read node: %w", err)
	}
	for _, condition := range object.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			if condition.Status == corev1.ConditionTrue {
				return nil
			}
			return fmt.Errorf("node is not ready: %s", condition.Message)
		}
	}
	return errors.New("node has no status yet")
}

// Done is closed when the node has ended.
func (n *Node) Done() <-chan struct{} { return n.runner.Done() }

// Stop ends the node and the processes of its pods, by priority, within the deadline of ctx. Pods stay in the API and
// run again after the next start.
func (n *Node) Stop(ctx context.Context) error {
	if deadline, ok := ctx.Deadline(); ok {
		n.mu.Lock()
		n.stopBy = deadline.Add(-time.Until(deadline) / 10) // leaves time to say that all has ended
		n.mu.Unlock()
	}
	return n.runner.Stop(ctx)
}
