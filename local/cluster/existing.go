package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/go-logr/logr"
	kind "sigs.k8s.io/kind/pkg/cluster"

	"github.com/gardener-up/gardener-up/local/containers"
)

// labelCluster is the label of kind's containers with the name of the cluster.
const labelCluster = "io.x-k8s.kind.cluster"

// Existing is an existing kind cluster, whoever made it.
type Existing struct {
	name   string
	engine *containers.Engine
	kind   *kind.Provider
	log    logr.Logger
}

func existing(name string, engine *containers.Engine, provider *kind.Provider, log logr.Logger) *Existing {
	return &Existing{name: name, engine: engine, kind: provider, log: log.WithValues("cluster", name)}
}

// Find returns the cluster of a node. The node is given by its name and its machine ID in the Kubernetes API,
// because many machines have nodes of the same name but every system has its own ID. The error is a
// containers.ErrNotFound if no container of the engine is this node.
func Find(ctx context.Context, engine *containers.Engine, node, machineID string, log logr.Logger) (*Existing, error) {
	container, err := engine.Inspect(ctx, node)
	if err != nil {
		return nil, fmt.Errorf("look for kind node %s: %w", node, err)
	}
	name := container.Labels[labelCluster]
	if name == "" {
		return nil, fmt.Errorf("container %s is not a kind node: %w", node, containers.ErrNotFound)
	}
	id, err := engine.Exec(ctx, node, nil, "cat", "/etc/machine-id")
	if err != nil {
		return nil, fmt.Errorf("read machine ID of kind node %s: %w", node, err)
	}
	if machineID == "" || strings.TrimSpace(string(id)) != machineID {
		return nil, fmt.Errorf("container %s has another machine ID than the node of this name: %w", node, containers.ErrNotFound)
	}
	provider, err := providerOf(engine.Name(), logger{log})
	if err != nil {
		return nil, err
	}
	return existing(name, engine, provider, log), nil
}

// Name is the name that "kind get clusters" shows.
func (e *Existing) Name() string { return e.name }

// node is the name of the first node, or the only one, and of its container.
func (e *Existing) node() string { return NodeName(e.name) }

// NodeImage is the image that the first node was made of.
func (e *Existing) NodeImage(ctx context.Context) (string, error) {
	node, err := e.engine.Inspect(ctx, e.node())
	if err != nil {
		return "", fmt.Errorf("find node image of kind cluster %s: %w", e.name, err)
	}
	return node.Image, nil
}

// Address is the address of the first node on the engine's network. The nodes of shoots use it to reach the first
// node.
func (e *Existing) Address(ctx context.Context) (string, error) {
	node, err := e.engine.Inspect(ctx, e.node())
	if err != nil {
		return "", fmt.Errorf("find address of kind cluster %s: %w", e.name, err)
	}
	ip := node.IP(Network)
	if ip == "" {
		return "", fmt.Errorf("container %s has no address on network %s yet", node.Name, Network)
	}
	return ip, nil
}

// FromHost returns the addresses host:port by which the host reaches TCP ports of the first node. It prefers the
// ports that the engine publishes: they work with all engines, but are fixed when the cluster is made. Otherwise it
// returns addresses of the node itself.
func (e *Existing) FromHost(ctx context.Context, ports []int) (map[int]string, error) {
	node, err := e.engine.Inspect(ctx, e.node())
	if err != nil {
		return nil, fmt.Errorf("find ports of kind cluster %s: %w", e.name, err)
	}
	return fromHost(node, ports)
}

func fromHost(node containers.Container, ports []int) (map[int]string, error) {
	out := map[int]string{}
	for _, port := range ports {
		out[port] = node.Published[port]
		if out[port] != "" {
			continue
		}
		ip := node.IP(Network)
		if ip == "" {
			return nil, fmt.Errorf("container %s has no address on network %s yet", node.Name, Network)
		}
		out[port] = net.JoinHostPort(ip, strconv.Itoa(port))
	}
	return out, nil
}

// nodes are the names of all nodes that can run pods.
func (e *Existing) nodes() ([]string, error) {
	list, err := e.kind.ListInternalNodes(e.name)
	if err != nil {
		return nil, fmt.Errorf("list nodes of kind cluster %s: %w", e.name, explain(err))
	}
	if len(list) == 0 {
		return nil, errors.Join(containers.ErrNotFound, fmt.Errorf("kind cluster %s has no nodes", e.name))
	}
	var names []string
	for _, node := range list {
		names = append(names, node.String())
	}
	return names, nil
}
