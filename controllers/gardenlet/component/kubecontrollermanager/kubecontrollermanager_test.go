package kubecontrollermanager

import (
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestFlags(t *testing.T) {
	base := Values{Namespace: "shoot--sky--sun", Version: "1.36.3", PodCIDR: "100.96.0.0/11", ServiceCIDR: "100.64.0.0/13", MaxPods: 110}
	with := func(change func(*Values)) Values {
		v := base
		change(&v)
		return v
	}
	duration := func(d time.Duration) *metav1.Duration { return &metav1.Duration{Duration: d} }
	for name, tc := range map[string]struct {
		values       Values
		want, absent []string
	}{
		"API-20 a Shoot that says nothing gets the defaults": {values: base, want: []string{
			"--horizontal-pod-autoscaler-sync-period=30s", "--horizontal-pod-autoscaler-tolerance=0.1", "--horizontal-pod-autoscaler-downscale-stabilization=5m0s",
			"--horizontal-pod-autoscaler-initial-readiness-delay=30s", "--horizontal-pod-autoscaler-cpu-initialization-period=5m0s",
			"--node-monitor-grace-period=40s", "--node-cidr-mask-size=24", "--cluster-cidr=100.96.0.0/11", "--service-cluster-ip-range=100.64.0.0/13",
		}, absent: []string{"--feature-gates"}},
		"API-20 what the Shoot says becomes flags": {values: with(func(v *Values) {
			v.Config = &gardencorev1beta1.KubeControllerManagerConfig{
				KubernetesConfig: gardencorev1beta1.KubernetesConfig{FeatureGates: map[string]bool{"B": true, "A": false}},
				NodeCIDRMaskSize: ptr.To[int32](22), NodeMonitorGracePeriod: duration(2 * time.Minute),
				HorizontalPodAutoscalerConfig: &gardencorev1beta1.HorizontalPodAutoscalerConfig{SyncPeriod: duration(10 * time.Second), Tolerance: ptr.To(0.25)},
			}
		}), want: []string{
			"--feature-gates=A=false,B=true", "--node-cidr-mask-size=22", "--node-monitor-grace-period=2m0s",
			"--horizontal-pod-autoscaler-sync-period=10s", "--horizontal-pod-autoscaler-tolerance=0.25",
		}},
		"CAR-7 certificates are signed by the authority they belong to": {values: base, want: []string{
			"--cluster-signing-kube-apiserver-client-cert-file=pki/ca-client/ca.crt", "--cluster-signing-kubelet-client-cert-file=pki/ca-client/ca.crt",
			"--cluster-signing-kubelet-serving-cert-file=pki/ca-kubelet/ca.crt", "--controllers=*,bootstrapsigner,tokencleaner",
		}},
		"one replica elects no leader": {values: base, want: []string{"--leader-elect=false"}},
		"a cluster without workers runs what needs none": {values: with(func(v *Values) { v.Workerless = true }),
			absent: []string{"--cluster-cidr", "--horizontal-pod-autoscaler", "--controllers=*", "--cluster-signing-kubelet"}},
		"an older version is emulated": {values: with(func(v *Values) { v.Version = "1.33.0" }), want: []string{"--emulated-version=1.33", "--kubernetes-version=v1.33.0"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := arguments(tc.values)
			for _, want := range tc.want {
				if !slices.Contains(got, want) {
					t.Errorf("%s is missing in %q", want, got)
				}
			}
			for _, absent := range tc.absent {
				if i := slices.IndexFunc(got, func(arg string) bool { return strings.HasPrefix(arg, absent) }); i >= 0 {
					t.Errorf("%s should not be there", got[i])
				}
			}
		})
	}
}

func TestNodeCIDRMaskSize(t *testing.T) {
	for pods, want := range map[int32]int32{0: 24, 110: 24, 128: 24, 129: 23, 250: 23, 32: 26} {
		if got := NodeCIDRMaskSize(pods); got != want {
			t.Errorf("mask for %d pods is %d, want %d", pods, got, want)
		}
	}
}
