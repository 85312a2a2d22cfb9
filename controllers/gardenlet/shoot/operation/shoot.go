package operation

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/utils/ptr"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Version of Kubernetes of the control plane.
func (o *Operation) Version() string { return o.Shoot.Spec.Kubernetes.Version }

// Hibernated reports whether the shoot is to be hibernated.
func (o *Operation) Hibernated() bool { return helper.HibernationIsEnabled(o.Shoot) }

// Workerless reports whether the shoot has no workers and never will.
func (o *Operation) Workerless() bool { return helper.IsWorkerless(o.Shoot) }

// PodCIDR is the pod range of the shoot.
func (o *Operation) PodCIDR() string {
	if n := o.Shoot.Spec.Networking; n != nil && n.Pods != nil {
		return *n.Pods
	}
	if defaults := o.Seed.Spec.Networks.ShootDefaults; defaults != nil && defaults.Pods != nil {
		return *defaults.Pods
	}
	return gardencorev1beta1.DefaultPodNetworkCIDR
}

// ServiceCIDR is the service range of the shoot.
func (o *Operation) ServiceCIDR() string {
	if n := o.Shoot.Spec.Networking; n != nil && n.Services != nil {
		return *n.Services
	}
	if defaults := o.Seed.Spec.Networks.ShootDefaults; defaults != nil && defaults.Services != nil {
		return *defaults.Services
	}
	return gardencorev1beta1.DefaultServiceNetworkCIDR
}

// NodeCIDR is the node range of the shoot, empty if the provider chooses it.
func (o *Operation) NodeCIDR() string {
	if n := o.Shoot.Spec.Networking; n != nil {
		return ptr.Deref(n.Nodes, "")
	}
	return ""
}

// NetworkType is the type of the network extension.
func (o *Operation) NetworkType() string {
	if n := o.Shoot.Spec.Networking; n != nil {
		return ptr.Deref(n.Type, "")
	}
	return ""
}

// ServiceIP returns the n-th address in the service range: 1 is the API server, 10 the DNS server.
func (o *Operation) ServiceIP(number byte) (net.IP, error) {
	_, network, err := net.ParseCIDR(o.ServiceCIDR())
	if err != nil {
		return nil, fmt.Errorf("read service range: %w", err)
	}
	ip := append(net.IP(nil), network.IP...)
	ip[len(ip)-1] += number
	return ip, nil
}

// MaxPods is the largest number of pods that a node of any pool may have.
func (o *Operation) MaxPods() int32 {
	const usual = 110
	common := int32(usual)
	if kubelet := o.Shoot.Spec.Kubernetes.Kubelet; kubelet != nil {
		common = ptr.Deref(kubelet.MaxPods, usual)
	}
	largest := int32(0)
	for _, worker := range o.Shoot.Spec.Provider.Workers {
		pods := common
		if worker.Kubernetes != nil && worker.Kubernetes.Kubelet != nil {
			pods = ptr.Deref(worker.Kubernetes.Kubelet.MaxPods, usual)
		}
		largest = max(largest, pods)
	}
	if largest == 0 {
		return common
	}
	return largest
}

// SSHAccess reports whether the nodes accept SSH.
func (o *Operation) SSHAccess() bool {
	settings := o.Shoot.Spec.Provider.WorkersSettings
	return !o.Workerless() && (settings == nil || settings.SSHAccess == nil || settings.SSHAccess.Enabled)
}

// KubeProxy reports whether Gardener deploys kube-proxy.
func (o *Operation) KubeProxy() bool {
	proxy := o.Shoot.Spec.Kubernetes.KubeProxy
	return proxy == nil || ptr.Deref(proxy.Enabled, true)
}

// NodeLocalDNS reports whether the nodes have a DNS cache.
func (o *Operation) NodeLocalDNS() bool { return helper.WantsNodeLocalDNS(o.Shoot) }

// IPVS reports whether kube-proxy binds the addresses of Services on the nodes.
func (o *Operation) IPVS() bool {
	proxy := o.Shoot.Spec.Kubernetes.KubeProxy
	return o.KubeProxy() && proxy != nil && ptr.Deref(proxy.Mode, "") == gardencorev1beta1.ProxyModeIPVS
}

// BackupEnabled reports whether the seed backs up etcd.
func (o *Operation) BackupEnabled() bool { return o.Seed.Spec.Backup != nil }

// WindowBegin is the time of day at which the maintenance window begins, in UTC; midnight if there is none.
func (o *Operation) WindowBegin() time.Time {
	if m := o.Shoot.Spec.Maintenance; m != nil && m.TimeWindow != nil {
		if begin, err := time.Parse("150405-0700", m.TimeWindow.Begin); err == nil {
			return begin.UTC()
		}
	}
	return time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)
}

// StaticTokenKubeconfig reports whether users get a kubeconfig with a token that never expires.
func (o *Operation) StaticTokenKubeconfig() bool {
	return ptr.Deref(o.Shoot.Spec.Kubernetes.EnableStaticTokenKubeconfig, false)
}

// AdvertisedAddresses are the URLs of the API server for users, the preferred one first. They have no port if it is the
// default.
func (o *Operation) AdvertisedAddresses(port int) []gardencorev1beta1.ShootAdvertisedAddress {
	url := func(host string) string {
		if port == 443 || port == 0 {
			return "https://" + host
		}
		return "https://" + net.JoinHostPort(host, strconv.Itoa(port))
	}
	var out []gardencorev1beta1.ShootAdvertisedAddress
	if o.External != nil {
		out = append(out, gardencorev1beta1.ShootAdvertisedAddress{Name: constants.AdvertisedAddressExternal, URL: url(o.External.APIServer())})
	}
	return append(out, gardencorev1beta1.ShootAdvertisedAddress{Name: constants.AdvertisedAddressInternal, URL: url(o.Internal.APIServer())})
}

// Ordered reports whether a task was requested for this run.
func Ordered(shoot *gardencorev1beta1.Shoot, task string) bool {
	return slices.Contains(strings.Split(shoot.Annotations[constants.ShootTasks], ","), task)
}

// KubeletVersion is the version of Kubernetes of a worker pool.
func KubeletVersion(shoot *gardencorev1beta1.Shoot, worker gardencorev1beta1.Worker) string {
	if worker.Kubernetes != nil {
		return ptr.Deref(worker.Kubernetes.Version, shoot.Spec.Kubernetes.Version)
	}
	return shoot.Spec.Kubernetes.Version
}

// KubeletConfig of a worker pool replaces that of the shoot; they are not merged.
func KubeletConfig(shoot *gardencorev1beta1.Shoot, worker gardencorev1beta1.Worker) *gardencorev1beta1.KubeletConfig {
	if worker.Kubernetes != nil && worker.Kubernetes.Kubelet != nil {
		return worker.Kubernetes.Kubelet
	}
	return shoot.Spec.Kubernetes.Kubelet
}
