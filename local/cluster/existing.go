package cluster

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/go-logr/logr"
	kind "sigs.k8s.io/kind/pkg/cluster"

	"github.com/gardener-up/gardener-up/local/containers"
)

// Labels of kind's containers: the name of the cluster, and what the container is for.
const (
	labelCluster = "io.x-k8s.kind.cluster"
	labelRole    = "io.x-k8s.kind.role"
	// roleLoadBalancer is the role of the container before several control planes, which is no node.
	roleLoadBalancer = "external-load-balancer"
)

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

// Addresses are the addresses of the nodes on the engine's network, the first node first. The nodes of shoots use them to reach the
// front door, which is on every node. Nodes that do not run are not among them, if others do.
func (e *Existing) Addresses(ctx context.Context) ([]string, error) {
	nodes, err := e.serving(ctx)
	if err != nil {
		return nil, err
	}
	var ips []string
	for _, node := range nodes {
		if ip := node.IP(Network); ip != "" {
			ips = append(ips, ip)
		}
	}
	if len(ips) == 0 {
		return nil, fmt.Errorf("nodes of kind cluster %s have no address on network %s yet", e.name, Network)
	}
	return ips, nil
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

// EachFromHost is FromHost for one port of all nodes that run, the first node first.
func (e *Existing) EachFromHost(ctx context.Context, port int) ([]string, error) {
	nodes, err := e.serving(ctx)
	if err != nil {
		return nil, err
	}
	var addresses []string
	for _, node := range nodes {
		found, err := fromHost(node, []int{port})
		if err != nil {
			return nil, err
		}
		addresses = append(addresses, found[port])
	}
	return addresses, nil
}

// serving are the containers of the nodes that run, the first node first.
func (e *Existing) serving(ctx context.Context) ([]containers.Container, error) {
	all, err := e.engine.List(ctx, map[string]string{labelCluster: e.name})
	if err != nil {
		return nil, fmt.Errorf("list nodes of kind cluster %s: %w", e.name, err)
	}
	all = slices.DeleteFunc(all, func(c containers.Container) bool {
		return !c.Running || c.Paused || c.Labels[labelRole] == roleLoadBalancer
	})
	if len(all) == 0 {
		return nil, fmt.Errorf("no node of kind cluster %s runs: %w", e.name, containers.ErrNotFound)
	}
	slices.SortStableFunc(all, func(a, b containers.Container) int { // List sorts by name
		switch e.node() {
		case a.Name:
			return -1
		case b.Name:
			return 1
		}
		return 0
	})
	return all, nil
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

// nodes are the names of all nodes that run. A node that runs again later has to be looked after again.
func (e *Existing) nodes(ctx context.Context) ([]string, error) {
	list, err := e.serving(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, node := range list {
		names = append(names, node.Name)
	}
	return names, nil
}
