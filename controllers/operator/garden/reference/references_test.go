package reference_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/operator/garden/reference"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

type spec = operatorv1alpha1.GardenSpec

func TestReferences(t *testing.T) {
	secret := func(name string) reference.Reference { return reference.Reference{Kind: "Secret", Name: name} }
	configMap := func(name string) reference.Reference { return reference.Reference{Kind: "ConfigMap", Name: name} }
	plugins := []gardencorev1beta1.AdmissionPlugin{{Name: "x"}, {Name: "y", KubeconfigSecretName: ptr.To("s")}}
	audit := &gardencorev1beta1.AuditConfig{AuditPolicy: &gardencorev1beta1.AuditPolicy{ConfigMapRef: &corev1.ObjectReference{Name: "c"}}}
	webhook := &operatorv1alpha1.AuditWebhook{KubeconfigSecretName: "s"}

	kubernetes := func(server operatorv1alpha1.KubeAPIServerConfig) func(*spec) {
		return func(s *spec) { s.VirtualCluster.Kubernetes.KubeAPIServer = &server }
	}
	shared := func(server gardencorev1beta1.KubeAPIServerConfig) func(*spec) {
		return kubernetes(operatorv1alpha1.KubeAPIServerConfig{KubeAPIServerConfig: &server})
	}
	gardener := func(server operatorv1alpha1.GardenerAPIServerConfig) func(*spec) {
		return func(s *spec) { s.VirtualCluster.Gardener.APIServer = &server }
	}
	for name, tc := range map[string]struct {
		change func(*spec)
		want   []reference.Reference
	}{
		"a Garden without references": {func(*spec) {}, nil},
		"backup": {func(s *spec) {
			s.VirtualCluster.ETCD = &operatorv1alpha1.ETCD{Main: &operatorv1alpha1.ETCDMain{Backup: &operatorv1alpha1.Backup{SecretRef: corev1.LocalObjectReference{Name: "s"}}}}
		}, []reference.Reference{secret("s")}},
		"admission plugins of Kubernetes":       {shared(gardencorev1beta1.KubeAPIServerConfig{AdmissionPlugins: plugins}), []reference.Reference{secret("s")}},
		"audit policy of Kubernetes":            {shared(gardencorev1beta1.KubeAPIServerConfig{AuditConfig: audit}), []reference.Reference{configMap("c")}},
		"audit webhook of Kubernetes":           {kubernetes(operatorv1alpha1.KubeAPIServerConfig{AuditWebhook: webhook}), []reference.Reference{secret("s")}},
		"certificate for names":                 {kubernetes(operatorv1alpha1.KubeAPIServerConfig{SNI: &operatorv1alpha1.SNI{SecretName: ptr.To("s")}}), []reference.Reference{secret("s")}},
		"admission plugins of the Gardener API": {gardener(operatorv1alpha1.GardenerAPIServerConfig{AdmissionPlugins: plugins}), []reference.Reference{secret("s")}},
		"audit policy of the Gardener API":      {gardener(operatorv1alpha1.GardenerAPIServerConfig{AuditConfig: audit}), []reference.Reference{configMap("c")}},
		"audit webhook of the Gardener API":     {gardener(operatorv1alpha1.GardenerAPIServerConfig{AuditWebhook: webhook}), []reference.Reference{secret("s")}},
		"authentication webhook": {kubernetes(operatorv1alpha1.KubeAPIServerConfig{
			Authentication: &operatorv1alpha1.Authentication{Webhook: &operatorv1alpha1.AuthenticationWebhook{KubeconfigSecretName: "s"}},
		}), []reference.Reference{secret("s")}},
		"authorization webhook": {kubernetes(operatorv1alpha1.KubeAPIServerConfig{
			Authorization: &operatorv1alpha1.Authorization{Webhook: &operatorv1alpha1.AuthorizationWebhook{KubeconfigSecretName: "s"}},
		}), []reference.Reference{secret("s")}},
		"structured authentication and authorization": {shared(gardencorev1beta1.KubeAPIServerConfig{
			StructuredAuthentication: &gardencorev1beta1.StructuredAuthentication{ConfigMapName: "authn"},
			StructuredAuthorization: &gardencorev1beta1.StructuredAuthorization{
				ConfigMapName: "authz", Kubeconfigs: []gardencorev1beta1.AuthorizerKubeconfigReference{{SecretName: "s"}},
			},
		}), []reference.Reference{configMap("authn"), configMap("authz"), secret("s")}},
		"providers of records": {func(s *spec) {
			s.DNS = &operatorv1alpha1.DNSManagement{Providers: []operatorv1alpha1.DNSProvider{{SecretRef: corev1.LocalObjectReference{Name: "s"}}}}
		}, []reference.Reference{secret("s")}},
		"named resources": {func(s *spec) {
			for _, kind := range []string{"Secret", "ConfigMap", "Service"} {
				s.Resources = append(s.Resources, gardencorev1beta1.NamedResourceReference{ResourceRef: autoscalingv1.CrossVersionObjectReference{APIVersion: "v1", Kind: kind, Name: "n"}})
			}
		}, []reference.Reference{secret("n"), configMap("n")}},
		"dashboard": {func(s *spec) {
			s.VirtualCluster.Gardener.Dashboard = &operatorv1alpha1.GardenerDashboardConfig{FrontendConfigMapRef: &corev1.LocalObjectReference{Name: "c"}, TLSSecretName: ptr.To("s")}
		}, []reference.Reference{configMap("c"), secret("s")}},
	} {
		t.Run("OPR-25 "+name, func(t *testing.T) {
			s, want := &spec{}, map[reference.Reference]bool{}
			tc.change(s)
			for _, one := range tc.want {
				want[one] = true
			}
			if diff := cmp.Diff(want, reference.References(s)); diff != "" {
				t.Errorf("references (-want +got):\n%s", diff)
			}
		})
	}
}
