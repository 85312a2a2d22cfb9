package system

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/nodelocaldns"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

func shootWithWorkers(change ...func(*gardencorev1beta1.Shoot)) *gardencorev1beta1.Shoot {
	shoot := &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Name: "sun", Namespace: "garden-sky"}}
	shoot.Spec.Provider.Workers = []gardencorev1beta1.Worker{{Name: "ray", Minimum: 1, Maximum: 2}}
	for _, f := range change {
		f(shoot)
	}
	return shoot
}

func TestNodeLocalDNS(t *testing.T) {
	annotated := func(annotations map[string]string) func(*gardencorev1beta1.Shoot) {
		return func(shoot *gardencorev1beta1.Shoot) { shoot.Annotations = annotations }
	}
	specified := func(config gardencorev1beta1.NodeLocalDNS) func(*gardencorev1beta1.Shoot) {
		return func(shoot *gardencorev1beta1.Shoot) {
			shoot.Spec.SystemComponents = &gardencorev1beta1.SystemComponents{NodeLocalDNS: &config}
		}
	}
	ipvs := func(shoot *gardencorev1beta1.Shoot) {
		shoot.Spec.Kubernetes.KubeProxy = &gardencorev1beta1.KubeProxyConfig{Mode: ptr.To(gardencorev1beta1.ProxyModeIPVS)}
	}
	const usual = "100.64.0.10"
	for name, tc := range map[string]struct {
		change     []func(*gardencorev1beta1.Shoot)
		wanted     bool
		values     nodelocaldns.Values
		nameServer string
	}{
		"nothing enables the cache": {nil, false, nodelocaldns.Values{ForceTCPToClusterDNS: true, ForceTCPToUpstreamDNS: true}, usual},
		"the specification enables it": {
			[]func(*gardencorev1beta1.Shoot){specified(gardencorev1beta1.NodeLocalDNS{Enabled: true, ForceTCPToUpstreamDNS: ptr.To(false), DisableForwardToUpstreamDNS: ptr.To(true)})},
			true, nodelocaldns.Values{ForceTCPToClusterDNS: true, DisableForwardToUpstreamDNS: true}, usual,
		},
		"with IPVS the kubelets tell pods its own address": {
			[]func(*gardencorev1beta1.Shoot){specified(gardencorev1beta1.NodeLocalDNS{Enabled: true}), ipvs},
			true, nodelocaldns.Values{IPVS: true, ForceTCPToClusterDNS: true, ForceTCPToUpstreamDNS: true}, nodelocaldns.Address,
		},
		"IPVS alone changes nothing": {[]func(*gardencorev1beta1.Shoot){ipvs}, false, nodelocaldns.Values{IPVS: true, ForceTCPToClusterDNS: true, ForceTCPToUpstreamDNS: true}, usual},
		"the annotation of former releases does": {
			[]func(*gardencorev1beta1.Shoot){annotated(map[string]string{constants.ShootNodeLocalDNS: "true", constants.ShootNodeLocalDNSForceTCPToClusterDNS: "false"})},
			true, nodelocaldns.Values{ForceTCPToUpstreamDNS: true}, usual,
		},
		"the specification counts more than the annotation": {
			[]func(*gardencorev1beta1.Shoot){specified(gardencorev1beta1.NodeLocalDNS{}), annotated(map[string]string{constants.ShootNodeLocalDNS: "true", constants.ShootNodeLocalDNSForceTCPToClusterDNS: "false"})},
			false, nodelocaldns.Values{ForceTCPToClusterDNS: true, ForceTCPToUpstreamDNS: true}, usual,
		},
	} {
		t.Run(name, func(t *testing.T) {
			shoot := shootWithWorkers(tc.change...)
			networks := operation.Networks{Services: gardencorev1beta1.DefaultServiceNetworkCIDR}
			if got := helper.WantsNodeLocalDNS(shoot); got != tc.wanted {
				t.Errorf("wanted: %v, want %v", got, tc.wanted)
			}
			if diff := cmp.Diff(tc.values, NodeLocalDNS{Shoot: shoot, Networks: networks}.values()); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
			if got, err := NameServer(shoot, networks); err != nil || got != tc.nameServer {
				t.Errorf("name server is %s, %v, want %s", got, err, tc.nameServer)
			}
		})
	}
}
