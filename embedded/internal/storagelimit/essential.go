package storagelimit

import (
	"slices"
	"strings"

	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"
)

// essentialGroups keep clusters alive, or repair them.
var essentialGroups = []string{
	user.SystemPrivilegedGroup, user.NodesGroup, "gardener.cloud:system:seeds",
	serviceaccount.MakeNamespaceGroupName("kube-system"), serviceaccount.MakeNamespaceGroupName("garden"),
}

// essential reports whether a user may write to the last part of the storage: operators, and components of Kubernetes and
// Gardener. Service accounts in all other namespaces belong to users.
func essential(who user.Info, operators string) bool {
	if who == nil {
		return false
	}
	isEssential := func(group string) bool {
		return slices.Contains(essentialGroups, group) || group == operators && group != ""
	}
	if slices.ContainsFunc(who.GetGroups(), isEssential) {
		return true
	}
	name := who.GetName()
	return strings.HasPrefix(name, "system:") && name != user.Anonymous && !strings.HasPrefix(name, serviceaccount.ServiceAccountUsernamePrefix)
}
