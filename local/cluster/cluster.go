package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/go-logr/logr"
	kind "sigs.k8s.io/kind/pkg/cluster"
	"sigs.k8s.io/kind/pkg/exec"
	kindlog "sigs.k8s.io/kind/pkg/log"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
	"github.com/gardener-up/gardener-up/local/containers"
)

const (
	// Network is the container engine's network of all kind nodes. The kind library chooses it.
	Network = "kind"
	// completeFile is written into the node when the cluster is complete. kind itself does not report an interrupted
	// creation.
	completeFile = "/etc/gardener-seed-complete"
	// readyTimeout is how long a new control plane may take to become ready.
	readyTimeout = 5 * time.Minute
	// readyInterval is the pause between readiness checks of a control plane.
	readyInterval = 500 * time.Millisecond
)

// Cluster is one kind cluster, made by this package, on one container engine.
type Cluster struct {
	*Existing
	config Config
}

// Kubeconfig is the file with the kubeconfig, which exists once the cluster was complete.
func (c *Cluster) Kubeconfig() string { return c.config.Kubeconfig }

// New returns the cluster. The cluster need not exist.
func New(engine *containers.Engine, config Config, log logr.Logger) (*Cluster, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	provider, err := providerOf(engine.Name(), logger{log})
	if err != nil {
		return nil, err
	}
	return &Cluster{Existing: existing(config.Name, engine, provider, log), config: config}, nil
}

func providerOf(engine string, log kindlog.Logger) (*kind.Provider, error) {
	var option kind.ProviderOption
	switch engine {
	case "docker":
		option = kind.ProviderWithDocker()
	case "podman":
		option = kind.ProviderWithPodman()
	case "nerdctl", "finch":
		option = kind.ProviderWithNerdctl(engine)
	default:
		return nil, fmt.Errorf("kind does not know the container engine %q", engine)
	}
	return kind.NewProvider(kind.ProviderWithLogger(log), option), nil
}

// ErrLost is the error for a cluster whose first node, and with it the data of the cluster, was removed.
var ErrLost = errors.New("it was removed, and the data of the cluster with it")

// Ensure makes the cluster exist and run, writes its kubeconfig, and returns the ID of the container that is its first node and holds its
// data. It replaces a cluster whose creation was interrupted. known is what Ensure returned about this cluster before, empty if nobody has
// noted that, or Anew. The error is an ErrLost, and nothing is made, if that container is gone, or if there was a complete cluster and nobody
// knows its container. If ctx ends, so does the creation, and the next Ensure or Delete cleans up.
func (c *Cluster) Ensure(ctx context.Context, known string) (container string, err error) {
	nodes, err := c.containers(ctx)
	if err != nil {
		return "", err
	}
	if err := c.same(nodes, known); err != nil {
		return "", err
	}
	if len(nodes) > 0 {
		complete, err := c.start(ctx, nodes)
		if err != nil && (ctx.Err() != nil || !c.neverComplete(known)) { // there may be data in it
			return "", err
		}
		if complete {
			return nodes[0].ID, errors.Join(c.awaitReady(ctx), c.arrange(ctx), c.passLogins(ctx, c.engine.Proxies(ctx)), c.writeKubeconfig())
		}
		c.log.Info("Recreating an incomplete kind cluster")
		if err := os.Remove(c.config.Kubeconfig); err != nil && !errors.Is(err, fs.ErrNotExist) { // first, since it says that there was a complete one
			return "", fmt.Errorf("remove kubeconfig of kind cluster %s: %w", c.config.Name, err)
		}
		if err := Delete(c.engine, c.config.Name, c.config.Kubeconfig); err != nil {
			return "", err
		}
	}
	if err := c.create(ctx); err != nil {
		return "", err
	}
	node, err := c.engine.Inspect(ctx, c.config.NodeName())
	if err != nil {
		return "", fmt.Errorf("look for kind cluster %s: %w", c.config.Name, err)
	}
	return node.ID, c.writeKubeconfig()
}

// Anew allows Ensure to make a cluster that was complete once more.
const Anew = "anew"

// neverComplete reports whether there was no complete cluster before. A complete one has a kubeconfig.
func (c *Cluster) neverComplete(known string) bool {
	_, err := os.Stat(c.config.Kubeconfig)
	return known == "" && errors.Is(err, fs.ErrNotExist)
}

// same returns an ErrLost unless the first of the nodes is the container that is known.
func (c *Cluster) same(nodes []containers.Container, known string) error {
	first := len(nodes) > 0 && nodes[0].Name == c.config.NodeName()
	switch {
	case known == Anew, c.neverComplete(known), first && (known == "" || nodes[0].ID == known):
		return nil
	case first:
		return fmt.Errorf("container %s of kind cluster %s is another one than that which had its data: %w", c.config.NodeName(), c.config.Name, ErrLost)
	}
	return fmt.Errorf("container %s of kind cluster %s: %w", c.config.NodeName(), c.config.Name, ErrLost)
}

// containers are those of the nodes that exist.
func (c *Cluster) containers(ctx context.Context) ([]containers.Container, error) {
	var found []containers.Container
	for _, name := range c.config.NodeNames() {
		node, err := c.engine.Inspect(ctx, name)
		if errors.Is(err, containers.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("look for kind cluster %s: %w", c.config.Name, err)
		}
		found = append(found, node)
	}
	return found, nil
}

// start starts the nodes that are stopped, and reports whether the cluster is complete. It is not without its first node. Another
// node that has been removed is told: its cluster goes on without it.
func (c *Cluster) start(ctx context.Context, nodes []containers.Container) (bool, error) {
	if nodes[0].Name != c.config.NodeName() {
		return false, nil
	}
	for _, node := range nodes {
		if node.Running {
			continue
		}
		c.log.Info("Starting a stopped node of the kind cluster", "node", node.Name)
		if err := c.engine.Start(ctx, node.Name); err != nil {
			return false, fmt.Errorf("start node %s of kind cluster %s: %w", node.Name, c.config.Name, err)
		}
	}
	if missing := len(c.config.NodeNames()) - len(nodes); missing > 0 {
		c.log.Info("Nodes of the kind cluster have been removed; it is made with all its nodes again only after a purge", "missing", missing)
	}
	said, err := c.engine.Exec(ctx, c.config.NodeName(), nil, "sh", "-c", "test -e "+completeFile+" && echo complete || echo incomplete")
	if err != nil {
		return false, fmt.Errorf("look whether kind cluster %s is complete: %w", c.config.Name, err)
	}
	return strings.TrimSpace(string(said)) != "incomplete", nil
}

// awaitReady waits until the control plane of a restarted cluster serves.
func (c *Cluster) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	for {
		_, err := c.engine.Exec(ctx, c.config.NodeName(), nil, "kubectl", "--kubeconfig=/etc/kubernetes/admin.conf", "get", "--raw=/readyz")
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait until kind cluster %s serves: %w", c.config.Name, err)
		case <-time.After(readyInterval):
		}
	}
}

func (c *Cluster) create(ctx context.Context) error {
	config := c.config
	var err error
	if config.NodeImage, err = c.engine.Images.KindName(ctx, config.NodeImage); err != nil {
		return err
	}
	if err := makeBackupDir(config.Backups); err != nil {
		return err
	}
	proxies := c.engine.Proxies(ctx)
	if err := c.pullFirst(ctx, config.manifest().Nodes[0].Image, proxies); err != nil {
		return err
	}
	environment := withoutLogins(os.Environ(), proxies)
	err = c.order(ctx, config, environment)
	if taken(err) {
		if err = c.engine.Networks.Create(ctx, Network); err == nil {
			err = c.order(ctx, config, environment)
		}
	}
	if err != nil {
		return fmt.Errorf("create kind cluster %s: %w", c.config.Name, err)
	}
	if err := errors.Join(c.passLogins(ctx, proxies), c.arrange(ctx)); err != nil {
		return err
	}
	if _, err := c.engine.Exec(ctx, c.config.NodeName(), nil, "touch", completeFile); err != nil {
		return fmt.Errorf("mark kind cluster %s as complete: %w", c.config.Name, err)
	}
	return nil
}

// taken reports whether the error means that another interface already uses the IPv6 range that the kind library
// wants for its network. This happens where docker on the same machine has created kind's network. With nerdctl the
// library does not try another range.
func taken(err error) bool {
	return err != nil && strings.Contains(err.Error(), "overlaps with other one on this address space")
}

// writeKubeconfig replaces the file, because ports may change when the engine restarts.
func (c *Cluster) writeKubeconfig() error {
	content, err := c.kind.KubeConfig(c.config.Name, false)
	if err != nil {
		return fmt.Errorf("read kubeconfig of kind cluster %s: %w", c.config.Name, explain(err))
	}
	if err := atomicfile.Write(c.config.Kubeconfig, []byte(content), 0o600); err != nil {
		return fmt.Errorf("write kubeconfig of kind cluster %s: %w", c.config.Name, err)
	}
	return nil
}

// Running returns an error unless the containers of the nodes run. Nodes beside the first one may have been removed.
func (c *Cluster) Running(ctx context.Context) error {
	nodes, err := c.containers(ctx)
	if err != nil {
		return err
	}
	if len(nodes) == 0 || nodes[0].Name != c.config.NodeName() {
		return fmt.Errorf("look for kind cluster %s: %w", c.config.Name, containers.ErrNotFound)
	}
	for _, node := range nodes {
		if !node.Running {
			return fmt.Errorf("container %s of kind cluster %s does not run (exit code %d)", node.Name, c.config.Name, node.ExitCode)
		}
	}
	return nil
}

// Stop stops the nodes at the same time and keeps everything in them.
func (c *Cluster) Stop(ctx context.Context) error {
	names := c.config.NodeNames()
	stopped := make(chan error, len(names))
	for _, name := range names {
		go func() { stopped <- c.engine.Stop(ctx, name) }()
	}
	var failed []error
	for range names {
		if err := <-stopped; err != nil && !errors.Is(err, containers.ErrNotFound) {
			failed = append(failed, fmt.Errorf("stop kind cluster %s: %w", c.config.Name, err))
		}
	}
	return errors.Join(failed...)
}

// Delete removes a cluster with all its data. The cluster need not exist. Only the given kubeconfig file is changed.
func Delete(engine *containers.Engine, name, kubeconfig string) error {
	provider, err := providerOf(engine.Name(), logger{logr.Discard()})
	if err != nil {
		return err
	}
	if err := provider.Delete(name, kubeconfig); err != nil {
		return fmt.Errorf("delete kind cluster %s: %w", name, explain(err))
	}
	return nil
}

// explain adds the output of a failed command of the kind library. The library's errors do not show it.
func explain(err error) error {
	failed := exec.RunErrorForError(err)
	if failed == nil {
		return err
	}
	const limit = 2000
	output := strings.TrimSpace(string(failed.Output))
	if len(output) > limit {
		output = "… " + output[len(output)-limit:]
	}
	return fmt.Errorf("%w: %s", err, output)
}
