// Package examine looks whether a runtime cluster can hold a Garden, and finds out what the Garden has to know of it. It changes nothing.
package examine

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/gardener-up/gardener-up/appliance/bootstrap/cluster"
	"github.com/gardener-up/gardener-up/appliance/bootstrap/entrance"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	"github.com/gardener-up/gardener-up/local/doctor"
)

// minimum is the first version of Kubernetes whose API server enforces the policies that guard Gardens.
const minimum = "1.30.0"

// Inputs of the checks.
type Inputs struct {
	Cluster *cluster.Cluster
	// Garden is the name that the Garden is to have.
	Garden string
	// StorageClass of the volumes of etcd; empty means the cluster's default.
	StorageClass string
	// Pods and Services are ranges that the operator names; empty means that they are looked up.
	Pods, Services string
	// Domain is the first one that the Garden is to have.
	Domain string
	// Version is that of this program, and Kubernetes that of the virtual garden, without "v".
	Version, Kubernetes string
	// Lookup asks the name servers of this machine; nil means those of the system.
	Lookup func(ctx context.Context, host string) ([]string, error)
}

// Facts are what the Garden has to know of the cluster. They are as far as the checks came.
type Facts struct {
	// ID tells this cluster from others.
	ID string
	// Pods and Services are the ranges of the cluster.
	Pods, Services string
	Zones          []string
	// Nodes are those that take pods of any kind.
	Nodes []corev1.Node
	// Architectures of the nodes that take pods.
	Architectures []string
	// ServiceType is that of the API server's Service of an earlier bootstrap; empty if there is none.
	ServiceType string
}

// All runs all checks. Those that need what an earlier one did not find are left out.
func All(ctx context.Context, in Inputs) (findings []doctor.Finding, facts Facts) {
	e := &examination{ctx: ctx, in: in}
	if !e.reachable() || !e.rights() || !e.identity() {
		return e.findings, e.facts
	}
	if !e.others() || !e.former() {
		return e.findings, e.facts
	}
	nodes := e.nodes()
	e.facts.Nodes = nodes
	e.capacity(nodes)
	e.storage()
	e.networks(nodes)
	e.podSecurity()
	e.findings = append(e.findings, entrance.Look(ctx, entrance.Inputs{Client: in.Cluster.Client, Domain: in.Domain, Lookup: in.Lookup})...)
	return e.findings, e.facts
}

type examination struct {
	ctx      context.Context
	in       Inputs
	findings []doctor.Finding
	facts    Facts
	present  *operatorv1alpha1.Garden // that of an earlier bootstrap; nil if there is none
}

func (e *examination) ok(check, format string, args ...any) bool {
	e.findings = append(e.findings, doctor.Finding{Check: check, State: doctor.OK, Message: fmt.Sprintf(format, args...)})
	return true
}

func (e *examination) problem(check, cure, format string, args ...any) bool {
	e.findings = append(e.findings, doctor.Finding{Check: check, State: doctor.Problem, Message: fmt.Sprintf(format, args...), Cure: cure})
	return false
}

func (e *examination) warn(check, cure, format string, args ...any) bool {
	e.findings = append(e.findings, doctor.Finding{Check: check, State: doctor.Warning, Message: fmt.Sprintf(format, args...), Cure: cure})
	return true
}

// reachable asks the API server for its version.
func (e *examination) reachable() bool {
	const check, cure = "API server", "look at the kubeconfig and its context, at the network on the way, and at the cluster itself"
	found, err := e.in.Cluster.Kubernetes.Discovery().ServerVersion()
	if err != nil {
		return e.problem(check, cure, "%s does not answer: %v", e.in.Cluster.Config.Host, err)
	}
	parsed, err := version.ParseGeneric(found.GitVersion)
	if err != nil {
		return e.problem(check, cure, "%s has the version %q, which cannot be read", e.in.Cluster.Config.Host, found.GitVersion)
	}
	if parsed.LessThan(version.MustParseGeneric(minimum)) {
		return e.problem(check, "upgrade the cluster to "+minimum+" or later", "%s runs Kubernetes %s, which is too old", e.in.Cluster.Config.Host, found.GitVersion)
	}
	return e.ok(check, "%s runs Kubernetes %s", e.in.Cluster.Config.Host, found.GitVersion)
}

// identity reads what tells this cluster from others, and finds nothing to say about it.
func (e *examination) identity() bool {
	system := &corev1.Namespace{}
	system.Name = metav1.NamespaceSystem
	if err := e.in.Cluster.Client.Get(e.ctx, keyOf(system), system); err != nil {
		return e.problem("identity", "look at the cluster", "the ID of the cluster cannot be read: %v", err)
	}
	e.facts.ID = string(system.UID)
	return true
}
