// Package examine looks whether a runtime cluster can hold a Garden, and finds out what the Garden has to know of it. It changes nothing.
package examine

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/gardener-up/gardener-up/appliance/bootstrap/entrance"
	"github.com/gardener-up/gardener-up/local/doctor"
)

// minimum is the first version of Kubernetes whose API server enforces the policies that guard Gardens.
const minimum = "1.30.0"

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
