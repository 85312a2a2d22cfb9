// Package landscape tells the landscape's own users from tenants.
package landscape

import (
	"slices"
	"strings"

	"k8s.io/apiserver/pkg/authentication/user"
)

const (
	seedsGroup     = "gardener.cloud:system:seeds"
	operatorsGroup = "gardener.cloud:landscape:operators"
)

// Namespace has the landscape's own service accounts.
const Namespace = "garden"

// Groups of the landscape's own users, beside Kubernetes' own components.
func Groups() []string { return []string{seedsGroup, operatorsGroup} }

// Groups, users and the namespace of Kubernetes' own components.
var (
	kubernetesGroups    = []string{user.SystemPrivilegedGroup, user.NodesGroup}
	kubernetesUsers     = []string{user.KubeControllerManager, user.KubeScheduler}
	kubernetesNamespace = "kube-system"
)

const serviceAccounts = "system:serviceaccount:"

// Has reports whether a user is one of the landscape, or a component of Kubernetes, and so is no tenant.
func Has(who user.Info) bool {
	ours := func(group string) bool {
		return slices.Contains(Groups(), group) || slices.Contains(kubernetesGroups, group)
	}
	return accountOf(who.GetName(), Namespace) || accountOf(who.GetName(), kubernetesNamespace) ||
		slices.Contains(kubernetesUsers, who.GetName()) || slices.ContainsFunc(who.GetGroups(), ours)
}

// Gardenlet reports whether a user is a gardenlet. Unlike the landscape's other users it may be in a cluster of somebody else.
func Gardenlet(who user.Info) bool { return slices.Contains(who.GetGroups(), seedsGroup) }

func accountOf(name, namespace string) bool {
	return strings.HasPrefix(name, serviceAccounts+namespace+":")
}
