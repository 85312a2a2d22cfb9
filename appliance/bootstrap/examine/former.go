package examine

import (
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/version"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/bootstrap/objects"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// former compares what an earlier bootstrap has made with what this one would make of it. It refuses what the Garden would refuse only once
// kinds and operator are replaced.
func (e *examination) former() bool {
	const check = "earlier bootstrap"
	if !e.operator() {
		return false
	}
	if e.present == nil {
		return true
	}
	if domains := e.present.Spec.VirtualCluster.DNS.Domains; len(domains) > 0 && e.in.Domain != "" && domains[0].Name != e.in.Domain {
		return e.problem(check, "name it with --domain "+domains[0].Name, "the Garden has the domain %s, which never changes", domains[0].Name)
	}
	if wrote := e.present.Status.Gardener; wrote != nil && older(e.in.Version, wrote.Version) {
		return e.problem(check, "take a binary of that version or a later one", "the operator has the version %s, and this program is %s, which is older", wrote.Version, e.in.Version)
	}
	if had := e.present.Spec.VirtualCluster.Kubernetes.Version; e.in.Kubernetes != "" && had != "" {
		from, err := version.ParseGeneric(had)
		to, other := version.ParseGeneric(e.in.Kubernetes)
		switch {
		case err != nil || other != nil:
			return e.problem(check, "correct spec.virtualCluster.kubernetes.version of the Garden", "the versions %q and %q of Kubernetes cannot be compared", had, e.in.Kubernetes)
		case to.LessThan(from):
			return e.problem(check, "take a binary with that version or a later one", "the garden runs Kubernetes %s, and this program has %s, which is older", had, e.in.Kubernetes)
		case to.Major() != from.Major() || to.Minor() > from.Minor()+1:
			return e.problem(check, "take binaries with the versions between them first", "the garden runs Kubernetes %s, and this program has %s, which skips a minor version", had, e.in.Kubernetes)
		}
	}
	for _, zone := range e.present.Spec.RuntimeCluster.Provider.Zones { // a Garden never gives up a zone
		e.facts.Zones = addOnce(e.facts.Zones, zone)
	}
	return true
}

// older reports whether a released version is older than another one. Versions of developers have no order.
func older(one, other string) bool {
	a, err := version.ParseSemantic(one)
	b, wrong := version.ParseSemantic(other)
	return err == nil && wrong == nil && a.PreRelease() == "" && b.PreRelease() == "" && a.LessThan(b)
}

// operator reads how an earlier bootstrap exposes the garden, and whether it protects its etcds.
func (e *examination) operator() bool {
	deployment := &appsv1.Deployment{}
	err := e.in.Cluster.Client.Get(e.ctx, client.ObjectKey{Namespace: constants.GardenNamespace, Name: objects.Operator}, deployment)
	if client.IgnoreNotFound(err) != nil {
		return e.problem("earlier bootstrap", "look at the cluster", "the Deployment of the operator cannot be read: %v", err)
	}
	if apierrors.IsNotFound(err) || len(deployment.Spec.Template.Spec.Containers) == 0 {
		return true
	}
	for _, argument := range deployment.Spec.Template.Spec.Containers[0].Args {
		if value, is := strings.CutPrefix(argument, objects.ServiceTypeFlag); is {
			e.facts.ServiceType = value
		}
		if argument == objects.ProtectEtcdsFlag {
			e.facts.ProtectsEtcds = true
		}
	}
	return true
}
