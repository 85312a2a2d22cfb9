package node

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubeletconfig "k8s.io/kubelet/config/v1beta1"

	"github.com/gardener-up/gardener-up/embedded/node/machine"
	"github.com/gardener-up/gardener-up/embedded/sandbox/groups"
)

func resources(limits ...string) corev1.ResourceRequirements {
	list := corev1.ResourceList{}
	for i := 0; i+1 < len(limits); i += 2 {
		list[corev1.ResourceName(limits[i])] = resource.MustParse(limits[i+1])
	}
	return corev1.ResourceRequirements{Limits: list, Requests: list}
}

func TestLimitsOf(t *testing.T) {
	both := resources("cpu", "500m", "memory", "64Mi")
	pod := func(all ...corev1.ResourceRequirements) *corev1.Pod {
		p := &corev1.Pod{}
		for _, r := range all {
			p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Resources: r})
		}
		return p
	}
	for name, tc := range map[string]struct {
		kubelet kubeletconfig.KubeletConfiguration
		pod     *corev1.Pod
		want    groups.Limits
	}{
		"the limits of containers are added up": {
			pod:  pod(both, both),
			want: groups.Limits{Memory: 128 << 20, CPUQuota: 100000, CPUPeriod: 100000, CPUShares: 1024, Containers: 2},
		},
		"a pod with a container without limits has none": {
			pod:  pod(both, corev1.ResourceRequirements{}),
			want: groups.Limits{CPUShares: 512, Containers: 2},
		},
		"a pod that asks for nothing has the least share": {
			pod: pod(corev1.ResourceRequirements{}), want: groups.Limits{CPUShares: 2, Containers: 1},
		},
		"the kubelet's settings count": {
			kubelet: kubeletconfig.KubeletConfiguration{CPUCFSQuotaPeriod: &metav1.Duration{Duration: 10 * time.Millisecond}, PodPidsLimit: new(int64(100))},
			pod:     pod(both), want: groups.Limits{Memory: 64 << 20, CPUQuota: 5000, CPUPeriod: 10000, CPUShares: 512, Processes: 100, Containers: 1},
		},
		"quotas can be switched off": {
			kubelet: kubeletconfig.KubeletConfiguration{CPUCFSQuota: new(false)},
			pod:     pod(both), want: groups.Limits{Memory: 64 << 20, CPUShares: 512, Containers: 1},
		},
		"a pod that is gone still has the limit of processes": {
			kubelet: kubeletconfig.KubeletConfiguration{PodPidsLimit: new(int64(math.MaxInt64))}, want: groups.Limits{Processes: math.MaxInt64},
		},
	} {
		t.Run("APP-11 "+name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Config{Kubelet: &tc.kubelet}.limitsOf(tc.pod)); diff != "" {
				t.Errorf("limits (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBounded(t *testing.T) {
	c := Config{Kubelet: &kubeletconfig.KubeletConfiguration{}}
	t.Run("APP-11 a pod without a limit leaves some memory of the node to others", func(t *testing.T) {
		if got := c.bounded(groups.Limits{}).Memory; got <= 0 || got >= c.podMemory() {
			t.Errorf("it may have %d bytes of %d", got, c.podMemory())
		}
		if got := c.bounded(groups.Limits{Memory: 5}).Memory; got != 5 {
			t.Errorf("a limit of 5 became %d", got)
		}
	})
}

func TestMemoryOfPods(t *testing.T) {
	total := int64(machine.Memory())
	for name, tc := range map[string]struct {
		kube, system string
		want         int64
	}{
		"all memory of the machine":                   {"", "", total},
		"without what is reserved":                    {"64Mi", "32Mi", total - 96<<20},
		"a reservation of more than there is is void": {"1000Ti", "", total},
	} {
		t.Run("APP-11 "+name, func(t *testing.T) {
			c := Config{Kubelet: &kubeletconfig.KubeletConfiguration{
				KubeReserved: map[string]string{"memory": tc.kube}, SystemReserved: map[string]string{"memory": tc.system},
			}}
			if got := c.podMemory(); got != tc.want {
				t.Errorf("got %d, want %d", got, tc.want)
			}
		})
	}
}
