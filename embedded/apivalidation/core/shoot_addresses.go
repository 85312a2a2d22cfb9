package core

import (
	"fmt"
	"net/netip"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"

	"github.com/gardener-up/gardener-up/embedded/apivalidation/internal/rules"
)

const (
	// defaultPods is the default address range of pods.
	defaultPods = "100.96.0.0/11"
)

// validateNodeAddresses reports a maximum of nodes or pods that exceeds the address ranges. IPv6 ranges are always large
// enough.
func validateNodeAddresses(spec *core.ShootSpec, path *field.Path) field.ErrorList {
	manager := spec.Kubernetes.KubeControllerManager
	if len(spec.Provider.Workers) == 0 || manager == nil || manager.NodeCIDRMaskSize == nil {
		return nil
	}
	size := *manager.NodeCIDRMaskSize
	pods := defaultPods
	if spec.Networking != nil {
		pods = ptr.Deref(spec.Networking.Pods, defaultPods)
	}
	pool, err := netip.ParsePrefix(pods)
	if err != nil || !pool.Addr().Is4() || size < 16 || size > 28 { // told elsewhere
		return nil
	}
	var errs field.ErrorList
	if int(size) < pool.Bits() {
		return field.ErrorList{field.Invalid(path.Child("kubernetes", "kubeControllerManager", "nodeCIDRMaskSize"), size, "must not be less than the mask of the pods' range "+pods)}
	}
	nodes, total := int64(1)<<(int(size)-pool.Bits()), int64(0)
	for _, worker := range spec.Provider.Workers {
		total += int64(max(worker.Maximum, 0))
	}
	if total > nodes {
		errs = append(errs, field.Invalid(path.Child("provider", "workers"), total, fmt.Sprintf("the pools have more machines than the %d for which there are pods in %s", nodes, pods)))
	}
	return append(errs, validateMaxPods(spec, int64(1)<<(32-size), path)...)
}

// validateMaxPods reports nodes with more pods than pod addresses.
func validateMaxPods(spec *core.ShootSpec, addresses int64, path *field.Path) field.ErrorList {
	check := func(kubelet *core.KubeletConfig, path *field.Path) field.ErrorList {
		if kubelet == nil || kubelet.MaxPods == nil || int64(*kubelet.MaxPods) <= addresses {
			return nil
		}
		return field.ErrorList{field.Invalid(path.Child("maxPods"), *kubelet.MaxPods, fmt.Sprintf("must not be more than the %d addresses of a node", addresses))}
	}
	errs := check(spec.Kubernetes.Kubelet, path.Child("kubernetes", "kubelet"))
	for i := range spec.Provider.Workers {
		if kubernetes := spec.Provider.Workers[i].Kubernetes; kubernetes != nil {
			errs = append(errs, check(kubernetes.Kubelet, path.Child("provider", "workers").Index(i).Child("kubernetes", "kubelet"))...)
		}
	}
	return errs
}

// validatePrimaryProviderUpdate reports a change of the primary DNS provider once the shoot has a seed, because that
// provider has written the DNS records.
func validatePrimaryProviderUpdate(dns *core.DNS, old *core.ShootSpec, path *field.Path) field.ErrorList {
	primary := func(dns *core.DNS) int {
		if dns == nil {
			return -1
		}
		return slices.IndexFunc(dns.Providers, func(p core.DNSProvider) bool { return ptr.Deref(p.Primary, false) })
	}
	before := primary(old.DNS)
	if old.SeedName == nil || before < 0 {
		return nil
	}
	after := primary(dns)
	if after < 0 {
		return field.ErrorList{field.Forbidden(path, "the primary provider must not be removed while the cluster has a seed")}
	}
	return rules.Immutable(dns.Providers[after].Type, old.DNS.Providers[before].Type, path.Index(after).Child("type"))
}
