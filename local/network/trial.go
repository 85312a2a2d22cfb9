package network

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/local/network/connectivity"
)

const (
	// mostTriers is how many nodes try connections in one check. Each of them tries the pods of the next neighbours.
	mostTriers = 10
	neighbours = 2
	// mostNameServers is how many pods of CoreDNS each of them tries.
	mostNameServers = 4
	// askTimeout limits one request. A pod needs some seconds to find that it does not reach another.
	askTimeout = 10 * time.Second
)

// asker makes a pod of the shoot try the addresses.
type asker func(ctx context.Context, pod string, addresses []string) (connectivity.Result, error)

// trial lets pods of a shoot try connections.
type trial struct {
	shoot client.Reader
	ask   asker
}

// target is an address that pods try.
type target struct {
	address, name string
	service       bool
}

// outcome is what pods have tried.
type outcome struct {
	pods, services int      // connections that were tried
	failures       []string // sentences
	badPods        bool     // a pod was not reached
	badServices    bool     // a Service was not reached
	missing        []string // sentences about what was not tried, and why
}

// run tries connections. What fails is tried once more with what is there then: pods come and go.
func (t trial) run(ctx context.Context) (outcome, error) {
	first, err := t.once(ctx)
	if err != nil || len(first.failures) == 0 {
		return first, err
	}
	return t.once(ctx)
}

func (t trial) once(ctx context.Context) (outcome, error) {
	triers, err := t.pods(ctx, connectivity.Selector())
	if err != nil {
		return outcome{}, err
	}
	servers, err := t.pods(ctx, connectivity.NameServers())
	if err != nil {
		return outcome{}, err
	}
	service, err := t.service(ctx)
	if err != nil {
		return outcome{}, err
	}
	return t.askAll(ctx, triers, servers, service), nil
}

// askAll asks some of the pods at once.
func (t trial) askAll(ctx context.Context, triers, servers []corev1.Pod, service string) outcome {
	var out outcome
	if len(triers) == 0 {
		out.missing = append(out.missing, "no pod that tries connections is ready on a ready node")
	}
	asked := min(len(triers), mostTriers)
	results, errs := make([]connectivity.Result, asked), make([]error, asked)
	var all sync.WaitGroup
	for i := range asked {
		if targets := targetsOf(triers, i, servers, service); len(targets) > 0 {
			all.Go(func() {
				ctx, cancel := context.WithTimeout(ctx, askTimeout)
				defer cancel()
				results[i], errs[i] = t.ask(ctx, triers[i].Name, addresses(targets))
			})
		}
	}
	all.Wait()
	for i := range asked { // in the order of the nodes, so that the same outcome has the same text
		if errs[i] != nil {
			out.missing = append(out.missing, fmt.Sprintf("node %s could not be asked: %.200s", triers[i].Spec.NodeName, errs[i]))
		}
		out.add(&triers[i], targetsOf(triers, i, servers, service), results[i])
	}
	return out
}

// add counts the results of a pod. Addresses without a result were not tried.
func (o *outcome) add(from *corev1.Pod, targets []target, result connectivity.Result) {
	for _, to := range targets {
		failure, tried := result[to.address]
		if !tried {
			continue
		}
		bad := failure != ""
		if to.service {
			o.services++
			o.badServices = o.badServices || bad
		} else {
			o.pods++
			o.badPods = o.badPods || bad
		}
		if bad {
			o.failures = append(o.failures, fmt.Sprintf("a pod on node %s does not reach %s: %s", from.Spec.NodeName, to.name, failure))
		}
	}
}

// report is the outcome for the status, and what is missing in it.
func (o *outcome) report() (*api.ConnectivityTests, string) {
	tests, missing := &api.ConnectivityTests{}, slices.Clone(o.missing)
	if o.pods > 0 {
		good := !o.badPods
		tests.Pods = &good
	} else {
		missing = append(missing, "no other pod could be tried")
	}
	if o.services > 0 {
		good := !o.badServices
		tests.Services = &good
	} else {
		missing = append(missing, "no Service could be tried")
	}
	if len(missing) == 0 {
		return tests, ""
	}
	said := "connectivityTests: " + strings.Join(missing, "; ")
	if o.pods+o.services == 0 {
		return nil, said
	}
	return tests, said
}

// summary is a sentence about a good outcome.
func (o *outcome) summary() string {
	if o.pods+o.services == 0 {
		return "No connection was tried."
	}
	return "Pods reach other pods and Services, as far as they were tried."
}

// targetsOf are what the pod at the index tries: the next pods of its kind, on other nodes, the pods of CoreDNS and the Service. The
// Service leads nowhere if no pod of CoreDNS is ready, so it is not tried then.
func targetsOf(triers []corev1.Pod, index int, servers []corev1.Pod, service string) []target {
	var out []target
	for step := 1; step <= min(neighbours, len(triers)-1); step++ {
		peer := &triers[(index+step)%len(triers)]
		out = append(out, target{address: at(peer, connectivity.Port), name: fmt.Sprintf("pod %s on node %s", peer.Name, peer.Spec.NodeName)})
	}
	for i := range servers[:min(len(servers), mostNameServers)] {
		if port := nameServerPort(&servers[i]); port != 0 {
			out = append(out, target{address: at(&servers[i], port), name: fmt.Sprintf("pod %s on node %s", servers[i].Name, servers[i].Spec.NodeName)})
		}
	}
	if service != "" && len(servers) > 0 {
		out = append(out, target{address: service, name: "Service " + connectivity.Name, service: true})
	}
	return out
}

func at(pod *corev1.Pod, port int32) string {
	return net.JoinHostPort(pod.Status.PodIP, strconv.Itoa(int(port)))
}

// nameServerPort is the port of CoreDNS for TCP, 0 if it has none.
func nameServerPort(pod *corev1.Pod) int32 {
	for i := range pod.Spec.Containers {
		for _, port := range pod.Spec.Containers[i].Ports {
			if port.Name == connectivity.NamePort {
				return port.ContainerPort
			}
		}
	}
	return 0
}

func addresses(targets []target) []string {
	out := make([]string, len(targets))
	for i := range targets {
		out[i] = targets[i].address
	}
	return out
}

// pods returns the ready pods with the labels on nodes that are ready and not about to go, by the names of their nodes.
func (t trial) pods(ctx context.Context, selector map[string]string) ([]corev1.Pod, error) {
	nodes, list := &corev1.NodeList{}, &corev1.PodList{}
	if err := t.shoot.List(ctx, nodes); err != nil {
		return nil, fmt.Errorf("list nodes of the shoot: %w", err)
	}
	good := map[string]bool{}
	for i := range nodes.Items {
		good[nodes.Items[i].Name] = usable(&nodes.Items[i])
	}
	if err := t.shoot.List(ctx, list, client.InNamespace(metav1.NamespaceSystem), client.MatchingLabels(selector)); err != nil {
		return nil, fmt.Errorf("list pods of the shoot: %w", err)
	}
	out := slices.DeleteFunc(list.Items, func(pod corev1.Pod) bool { return !good[pod.Spec.NodeName] || !ready(&pod) })
	slices.SortFunc(out, func(a, b corev1.Pod) int {
		return strings.Compare(a.Spec.NodeName+"/"+a.Name, b.Spec.NodeName+"/"+b.Name)
	})
	return out, nil
}

func usable(node *corev1.Node) bool {
	return node.DeletionTimestamp == nil && !node.Spec.Unschedulable && slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

func ready(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp == nil && pod.Status.PodIP != "" && slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// service is the address of the Service that pods try, empty if it does not exist yet.
func (t trial) service(ctx context.Context) (string, error) {
	service := &corev1.Service{}
	err := t.shoot.Get(ctx, client.ObjectKey{Namespace: metav1.NamespaceSystem, Name: connectivity.Name}, service)
	switch {
	case apierrors.IsNotFound(err):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("read service %s of the shoot: %w", connectivity.Name, err)
	case service.Spec.ClusterIP == "" || service.Spec.ClusterIP == corev1.ClusterIPNone:
		return "", nil
	}
	return net.JoinHostPort(service.Spec.ClusterIP, strconv.Itoa(connectivity.ServicePort)), nil
}
