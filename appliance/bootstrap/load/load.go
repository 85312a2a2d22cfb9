// Package load puts images into nodes of a runtime cluster without a registry. The nodes are containers on this machine, as those of kind
// are, and containerd runs in them. Nodes elsewhere cannot be reached by a kubeconfig alone; the package names them.
package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/gardener-up/gardener-up/local/containers"
)

// Engine runs commands in containers of this machine.
type Engine interface {
	Inspect(ctx context.Context, name string) (containers.Container, error)
	Exec(ctx context.Context, name string, stdin io.Reader, args ...string) ([]byte, error)
}

// Node of the cluster, as the cluster describes it.
type Node struct {
	Name, Architecture string
	// BootID tells the kernel that it runs on from others.
	BootID string
	// Addresses in its network.
	Addresses []string
}

// Image for nodes.
type Image struct {
	// Name by which pods call it.
	Name string
	// For returns it for an architecture; nil if there is none.
	For func(architecture string) (v1.Image, error)
}

// ErrElsewhere means that a node is no container of this machine.
var ErrElsewhere = errors.New("it is no container on this machine")

// Step is the load of one image into one node.
type Step struct {
	Node, Image string
	image       v1.Image
}

func (s Step) String() string { return fmt.Sprintf("load %s into node %s", s.Image, s.Node) }

// Plan returns what the nodes lack, in their order. An image that a node has under the same name with other content is replaced. Nothing is
// changed.
func Plan(ctx context.Context, engine Engine, nodes []Node, images []Image) ([]Step, error) {
	var steps []Step
	var failed []error
	for _, node := range nodes {
		some, err := lacks(ctx, engine, node, images)
		if err != nil {
			err = fmt.Errorf("node %s: %w", node.Name, err)
		}
		steps, failed = append(steps, some...), append(failed, err)
	}
	return steps, errors.Join(failed...)
}

func lacks(ctx context.Context, engine Engine, node Node, images []Image) (steps []Step, err error) {
	if err := find(ctx, engine, node); err != nil {
		return nil, err
	}
	out, err := engine.Exec(ctx, node.Name, nil, "sh", "-c", ctr+` images list`)
	if err != nil {
		return nil, fmt.Errorf("list its images: %w", err)
	}
	present := digests(string(out))
	for _, image := range images {
		content, err := image.For(node.Architecture)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", image.Name, err)
		}
		if content == nil {
			return nil, fmt.Errorf("there is no %s for %s, its architecture", image.Name, node.Architecture)
		}
		digest, err := content.Digest()
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", image.Name, err)
		}
		if present[image.Name] != digest.String() {
			steps = append(steps, Step{Node: node.Name, Image: image.Name, image: content})
		}
	}
	return steps, nil
}

// find makes sure that the container of the node's name is the node: it runs on the same kernel, at an address of the node. Other machines
// have nodes of the same name.
func find(ctx context.Context, engine Engine, node Node) error {
	found, err := engine.Inspect(ctx, node.Name)
	switch {
	case errors.Is(err, containers.ErrNotFound):
		return fmt.Errorf("%w: there is none of this name", ErrElsewhere)
	case err != nil:
		return err
	case !found.Running || found.Paused:
		return fmt.Errorf("%w: the one of this name does not run", ErrElsewhere)
	}
	there := false
	for _, address := range found.IPs {
		there = there || slices.Contains(node.Addresses, address)
	}
	if !there {
		return fmt.Errorf("%w: the one of this name has another address", ErrElsewhere)
	}
	id, err := engine.Exec(ctx, node.Name, nil, "cat", "/proc/sys/kernel/random/boot_id")
	if err != nil {
		return err
	}
	if node.BootID == "" || strings.TrimSpace(string(id)) != node.BootID {
		return fmt.Errorf("%w: the one of this name runs on another machine", ErrElsewhere)
	}
	return nil
}

// ctr is the client of containerd, which k3s has as one of its own commands.
const ctr = `ctr() { if command -v ctr >/dev/null; then command ctr "$@"; else k3s ctr "$@"; fi; }; ctr --namespace=k8s.io`

// digests are those of the manifests by the names of the images, from the table that ctr prints.
func digests(table string) map[string]string {
	found := map[string]string{}
	for line := range strings.Lines(table) {
		if fields := strings.Fields(line); len(fields) > 2 {
			found[fields[0]] = fields[2]
		}
	}
	return found
}

// Do sends the image to the node. It may be interrupted and run again.
func (s Step) Do(ctx context.Context, engine Engine) error {
	reader, writer := io.Pipe()
	defer reader.Close() // ends the goroutine, whatever the engine does
	go func() { writer.CloseWithError(archive(writer, s.Image, s.image)) }()
	// As kind does it: nodes in containers may have another snapshotter than the usual one.
	_, err := engine.Exec(ctx, s.Node, reader, "sh", "-c",
		`snapshotter=$(sed -n 's/^ *snapshotter = "\(.*\)"$/\1/p' /etc/containerd/config.toml 2>/dev/null | head -n 1); `+
			ctr+` images import ${snapshotter:+--snapshotter="$snapshotter"} -`)
	if err != nil {
		return fmt.Errorf("%s: %w", s, err)
	}
	return nil
}
