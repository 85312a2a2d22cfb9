package infrastructure

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// ProviderStatus is the status that the provider passes to its other extensions, nil if there is no infrastructure.
func ProviderStatus(found *extensionsv1alpha1.Infrastructure) *runtime.RawExtension {
	if found == nil {
		return nil
	}
	return found.Status.ProviderStatus
}

// NodeCIDR is the node range in the Shoot, or, if that is empty, the one that the provider chose.
func NodeCIDR(inShoot string, found *extensionsv1alpha1.Infrastructure) string {
	if inShoot != "" || found == nil || found.Status.NodesCIDR == nil {
		return inShoot
	}
	return *found.Status.NodesCIDR
}

// NodeRanges are all node ranges: NodeCIDR and those that the provider adds.
func NodeRanges(inShoot string, found *extensionsv1alpha1.Infrastructure) []string {
	var out []string
	if nodes := NodeCIDR(inShoot, found); nodes != "" {
		out = append(out, nodes)
	}
	if found != nil && found.Status.Networking != nil {
		for _, nodes := range found.Status.Networking.Nodes {
			if !slices.Contains(out, nodes) {
				out = append(out, nodes)
			}
		}
	}
	return out
}
