package shoot

import (
	apiequality "k8s.io/apimachinery/pkg/api/equality"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// ineffective are fields that are stored for compatibility but that no controller of this project reads.
var ineffective = []struct {
	path    string
	present func(*core.ShootSpec) bool
}{
	{"spec.accessRestrictions", func(s *core.ShootSpec) bool { return len(s.AccessRestrictions) > 0 }},
	{"spec.controlPlane.zones", func(s *core.ShootSpec) bool { return s.ControlPlane != nil && len(s.ControlPlane.Zones) > 0 }},
	{"spec.kubernetes.allowPrivilegedContainers", func(s *core.ShootSpec) bool { return s.Kubernetes.AllowPrivilegedContainers != nil }},
	{"spec.kubernetes.etcd", func(s *core.ShootSpec) bool { return s.Kubernetes.ETCD != nil }},
	{"spec.kubernetes.kubeAPIServer.enableBasicAuthentication", func(s *core.ShootSpec) bool {
		return s.Kubernetes.KubeAPIServer != nil && s.Kubernetes.KubeAPIServer.EnableBasicAuthentication != nil
	}},
	{"spec.kubernetes.kubeAPIServer.structuredAuthorization", func(s *core.ShootSpec) bool {
		return s.Kubernetes.KubeAPIServer != nil && s.Kubernetes.KubeAPIServer.StructuredAuthorization != nil
	}},
	{"spec.kubernetes.kubeScheduler.kubeMaxPDVols", func(s *core.ShootSpec) bool {
		return s.Kubernetes.KubeScheduler != nil && s.Kubernetes.KubeScheduler.KubeMaxPDVols != nil
	}},
	{"spec.monitoring", func(s *core.ShootSpec) bool { return s.Monitoring != nil }},
}

// warnIneffective returns a warning for each field of a specification that has no effect. old is nil for a creation.
func warnIneffective(s, old *core.Shoot) []string {
	if old != nil && apiequality.Semantic.DeepEqual(s.Spec, old.Spec) {
		return nil
	}
	var out []string
	for _, field := range ineffective {
		if field.present(&s.Spec) {
			out = append(out, field.path+" is stored, but has no effect in this landscape")
		}
	}
	return out
}
