// Package tell tries the network of a node's pods again and again, and tells by conditions of the Node how that went.
package tell

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/gardener-up/gardener-up/embedded/node/networkcondition"
	"github.com/gardener-up/gardener-up/embedded/node/podnetwork"
)

const (
	// period is the interval of trials. A trial that fails is repeated after pause before it is believed: nodes and pods come and go.
	period, pause = 15 * time.Second, 2 * time.Second
	// trialTimeout limits all connections of one trial, requestTimeout one request to the API server: a trial that hangs leaves time to tell so.
	trialTimeout, requestTimeout = 30 * time.Second, 10 * time.Second
	// fresh is the age of a heartbeat at which its node still runs: it writes two of them in this time.
	fresh = 2*networkcondition.Heartbeat + period
	// neighbours is how many other nodes are tried, mostNodes how many are looked at.
	neighbours, mostNodes = 2, 500
)

// Config is the input of Run.
type Config struct {
	// Client of the cluster. It may read Nodes, and write the status of the own one.
	Client kubernetes.Interface
	// Node is the name of the Node.
	Node string
	// Own is the address of the node's responder. Responder returns that of the node with an address.
	Own       netip.Addr
	Responder func(node netip.Addr) (netip.Addr, error)
	// Try is podnetwork.Network.Try.
	Try func(ctx context.Context, own netip.Addr, others []netip.Addr) podnetwork.Trial
	Log logr.Logger
}

// Run ends with the context.
func Run(ctx context.Context, c Config) {
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	var told []corev1.NodeCondition
	for {
		next, err := c.once(ctx, told)
		switch {
		case err == nil:
			told = next
		case ctx.Err() == nil:
			c.Log.V(1).Info("The health of the pod network could not be told", "reason", err.Error())
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// once returns the conditions that the Node has then.
func (c Config) once(ctx context.Context, told []corev1.NodeCondition) ([]corev1.NodeCondition, error) {
	trial, err := c.try(ctx)
	if err == nil && failed(trial) {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		trial, err = c.try(ctx)
	}
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil { // what ended with the node's process is no finding
		return nil, err
	}
	return c.tell(ctx, trial, told)
}

func (c Config) tell(ctx context.Context, trial podnetwork.Trial, told []corev1.NodeCondition) ([]corev1.NodeCondition, error) {
	if told == nil {
		read, cancel := context.WithTimeout(ctx, requestTimeout)
		defer cancel()
		node, err := c.Client.CoreV1().Nodes().Get(read, c.Node, metav1.GetOptions{})
		if err != nil {
			return nil, fmt.Errorf("read node: %w", err)
		}
		told = node.Status.Conditions
	}
	next := conditions(trial, told, time.Now())
	if !due(next, told) {
		return told, nil
	}
	patch, err := json.Marshal(map[string]any{"status": map[string]any{"conditions": next}})
	if err != nil {
		return nil, fmt.Errorf("encode conditions: %w", err)
	}
	write, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	if _, err := c.Client.CoreV1().Nodes().PatchStatus(write, c.Node, patch); err != nil {
		return nil, fmt.Errorf("write conditions: %w", err)
	}
	return next, nil
}

func failed(trial podnetwork.Trial) bool {
	for _, condition := range conditions(trial, nil, time.Time{}) {
		if condition.Status == corev1.ConditionFalse {
			return true
		}
	}
	return false
}

func (c Config) try(ctx context.Context) (podnetwork.Trial, error) {
	read, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	nodes, err := c.Client.CoreV1().Nodes().List(read, metav1.ListOptions{Limit: mostNodes})
	if err != nil {
		return podnetwork.Trial{}, fmt.Errorf("list nodes: %w", err)
	}
	trial, end := context.WithTimeout(ctx, trialTimeout)
	defer end()
	return c.Try(trial, c.Own, c.others(nodes.Items, time.Now())), nil
}

// others are the responders of the nodes that follow this one by name, after the last the first.
func (c Config) others(nodes []corev1.Node, now time.Time) []netip.Addr {
	slices.SortFunc(nodes, func(a, b corev1.Node) int { return strings.Compare(a.Name, b.Name) })
	var before, after []netip.Addr
	for i := range nodes {
		address, ok := c.responder(&nodes[i], now)
		switch {
		case !ok || nodes[i].Name == c.Node:
		case nodes[i].Name < c.Node:
			before = append(before, address)
		default:
			after = append(after, address)
		}
	}
	all := append(after, before...)
	return all[:min(len(all), neighbours)]
}

// responder of a node that should be reached. Users of the cluster can write Nodes: what they write leads to no listener of the machine.
func (c Config) responder(node *corev1.Node, now time.Time) (netip.Addr, bool) {
	if node.DeletionTimestamp != nil || !ready(node) || !speaks(node, now) {
		return netip.Addr{}, false
	}
	for _, told := range node.Status.Addresses {
		address, err := netip.ParseAddr(told.Address)
		if told.Type != corev1.NodeInternalIP || err != nil {
			continue
		}
		responder, err := c.Responder(address)
		return responder, err == nil
	}
	return netip.Addr{}, false
}

func ready(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(condition corev1.NodeCondition) bool {
		return condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue
	})
}

// speaks reports whether a node tells how its network is. Others have no responder: they are of a former version, or begin.
func speaks(node *corev1.Node, now time.Time) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(condition corev1.NodeCondition) bool {
		return condition.Type == networkcondition.Serves && now.Sub(condition.LastHeartbeatTime.Time) < fresh
	})
}
