package shoot

import (
	"fmt"
	"slices"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// outdated are fields that newer releases of Gardener refuse from a Kubernetes version on. Manifests for older releases
// contain them, so they are accepted with a warning. cloudProfileName is not listed, because defaulting sets it.
var outdated = []struct {
	path    string
	since   uint // minor version
	present func(*core.ShootSpec) bool
}{
	{"spec.dns.providers[].secretName", 35, func(s *core.ShootSpec) bool {
		return s.DNS != nil && slices.ContainsFunc(s.DNS.Providers, func(p core.DNSProvider) bool { return p.SecretName != nil && p.CredentialsRef == nil })
	}},
	{"spec.kubernetes.clusterAutoscaler.ignoreTaints", 32, func(s *core.ShootSpec) bool { return len(autoscalerOf(s).IgnoreTaints) > 0 }},
	{"spec.kubernetes.clusterAutoscaler.maxEmptyBulkDelete", 33, func(s *core.ShootSpec) bool { return autoscalerOf(s).MaxEmptyBulkDelete != nil }},
	{"spec.kubernetes.enableStaticTokenKubeconfig", 27, func(s *core.ShootSpec) bool { return ptr.Deref(s.Kubernetes.EnableStaticTokenKubeconfig, false) }},
	{"spec.kubernetes.kubeAPIServer.enableAnonymousAuthentication", 35, func(s *core.ShootSpec) bool { return ptr.Deref(serverOf(s).EnableAnonymousAuthentication, false) }},
	{"spec.kubernetes.kubeAPIServer.oidcConfig", 32, func(s *core.ShootSpec) bool { return serverOf(s).OIDCConfig != nil }},
	{"spec.kubernetes.kubeAPIServer.watchCacheSizes.default", 35, func(s *core.ShootSpec) bool {
		return serverOf(s).WatchCacheSizes != nil && serverOf(s).WatchCacheSizes.Default != nil
	}},
	{"spec.kubernetes.kubeControllerManager.podEvictionTimeout", 33, func(s *core.ShootSpec) bool {
		return s.Kubernetes.KubeControllerManager != nil && s.Kubernetes.KubeControllerManager.PodEvictionTimeout != nil
	}},
	{"spec.secretBindingName", 34, func(s *core.ShootSpec) bool { return ptr.Deref(s.SecretBindingName, "") != "" }},
}

// warnOutdated returns a warning for each outdated field of a specification. old is nil for a creation.
func warnOutdated(s, old *core.Shoot) []string {
	parsed, err := version.ParseGeneric(s.Spec.Kubernetes.Version)
	if err != nil || old != nil && apiequality.Semantic.DeepEqual(s.Spec, old.Spec) {
		return nil
	}
	var out []string
	for _, field := range outdated {
		if parsed.Minor() >= field.since && field.present(&s.Spec) {
			out = append(out, fmt.Sprintf("%s is outdated: newer Gardeners refuse it from Kubernetes 1.%d on", field.path, field.since))
		}
	}
	return out
}

func serverOf(s *core.ShootSpec) core.KubeAPIServerConfig {
	return ptr.Deref(s.Kubernetes.KubeAPIServer, core.KubeAPIServerConfig{})
}

func autoscalerOf(s *core.ShootSpec) core.ClusterAutoscaler {
	return ptr.Deref(s.Kubernetes.ClusterAutoscaler, core.ClusterAutoscaler{})
}

// Outdated says which fields of a Shoot newer releases of Gardener refuse.
func Outdated(s *core.Shoot) []string { return warnOutdated(s, nil) }
