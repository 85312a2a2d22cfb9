package shoot

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestWarnOutdated(t *testing.T) {
	with := func(version string, change func(*core.ShootSpec)) *core.Shoot {
		s := &core.Shoot{Spec: core.ShootSpec{
			CloudProfile: &core.CloudProfileReference{Kind: "CloudProfile", Name: "p"}, CredentialsBindingName: ptr.To("b"), Region: "r",
			Kubernetes: core.Kubernetes{Version: version}, Networking: &core.Networking{Type: ptr.To("n")},
			Provider: core.Provider{Type: "t", Workers: []core.Worker{{Name: "w", Machine: core.Machine{Type: "m"}, Maximum: 1}}},
		}}
		change(&s.Spec)
		core.SetObjectDefaults_Shoot(s)
		return s
	}
	server := func(s *core.ShootSpec) *core.KubeAPIServerConfig {
		s.Kubernetes.KubeAPIServer = &core.KubeAPIServerConfig{}
		return s.Kubernetes.KubeAPIServer
	}
	for path, tc := range map[string]struct {
		last   string // version without warning
		first  string // version with it
		change func(*core.ShootSpec)
	}{
		"spec.secretBindingName":          {"1.33.1", "1.34.0", func(s *core.ShootSpec) { s.CredentialsBindingName, s.SecretBindingName = nil, ptr.To("b") }},
		"spec.dns.providers[].secretName": {"1.34.1", "1.35.0", func(s *core.ShootSpec) { s.DNS = &core.DNS{Providers: []core.DNSProvider{{SecretName: ptr.To("s")}}} }},
		"spec.kubernetes.clusterAutoscaler.ignoreTaints": {"1.31.1", "1.32.0", func(s *core.ShootSpec) {
			s.Kubernetes.ClusterAutoscaler = &core.ClusterAutoscaler{IgnoreTaints: []string{"a"}}
		}},
		"spec.kubernetes.clusterAutoscaler.maxEmptyBulkDelete": {"1.32.1", "1.33.0", func(s *core.ShootSpec) {
			s.Kubernetes.ClusterAutoscaler = &core.ClusterAutoscaler{MaxEmptyBulkDelete: ptr.To[int32](1)}
		}},
		"spec.kubernetes.enableStaticTokenKubeconfig":                 {"1.26.1", "1.27.0", func(s *core.ShootSpec) { s.Kubernetes.EnableStaticTokenKubeconfig = ptr.To(true) }},
		"spec.kubernetes.kubeAPIServer.enableAnonymousAuthentication": {"1.34.1", "1.35.0", func(s *core.ShootSpec) { server(s).EnableAnonymousAuthentication = ptr.To(true) }},
		"spec.kubernetes.kubeAPIServer.oidcConfig":                    {"1.31.1", "1.32.0", func(s *core.ShootSpec) { server(s).OIDCConfig = &core.OIDCConfig{} }},
		"spec.kubernetes.kubeAPIServer.watchCacheSizes.default":       {"1.34.1", "1.35.0", func(s *core.ShootSpec) { server(s).WatchCacheSizes = &core.WatchCacheSizes{Default: ptr.To[int32](1)} }},
		"spec.kubernetes.kubeControllerManager.podEvictionTimeout": {"1.32.1", "1.33.0", func(s *core.ShootSpec) {
			s.Kubernetes.KubeControllerManager = &core.KubeControllerManagerConfig{PodEvictionTimeout: &metav1.Duration{}}
		}},
	} {
		t.Run("API-15 "+path, func(t *testing.T) {
			if got := warnOutdated(with(tc.last, tc.change), nil); strings.Contains(strings.Join(got, "\n"), path+" ") {
				t.Errorf("for %s: %v", tc.last, got)
			}
			if got := warnOutdated(with(tc.first, tc.change), nil); len(got) != 1 || !strings.HasPrefix(got[0], path+" is outdated") {
				t.Errorf("for %s: %v", tc.first, got)
			}
		})
	}
	t.Run("API-15 a manifest of today is told nothing, and one that stays neither", func(t *testing.T) {
		if got := warnOutdated(with("1.36.3", func(*core.ShootSpec) {}), nil); len(got) > 0 {
			t.Errorf("got %v", got)
		}
		old := with("1.36.3", func(s *core.ShootSpec) { s.SecretBindingName = ptr.To("b") })
		if got := warnOutdated(old.DeepCopy(), old); len(got) > 0 {
			t.Errorf("got %v", got)
		}
	})
}
