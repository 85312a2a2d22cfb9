package reference_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/controllermanager/shoot/reference"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestReferences(t *testing.T) {
	t.Run("GCM-16 everything that a cluster needs is found, once", func(t *testing.T) {
		ref := func(apiVersion, kind, name string) autoscalingv1.CrossVersionObjectReference {
			return autoscalingv1.CrossVersionObjectReference{APIVersion: apiVersion, Kind: kind, Name: name}
		}
		spec := &gardencorev1beta1.ShootSpec{
			DNS: &gardencorev1beta1.DNS{Providers: []gardencorev1beta1.DNSProvider{
				{SecretName: ptr.To("dns")}, {CredentialsRef: ptr.To(ref("v1", "Secret", "dns"))},
				{CredentialsRef: ptr.To(ref("security.gardener.cloud/v1alpha1", "WorkloadIdentity", "w"))},
			}},
			Resources: []gardencorev1beta1.NamedResourceReference{
				{ResourceRef: ref("v1", "Secret", "s")}, {ResourceRef: ref("v1", "ConfigMap", "c")}, {ResourceRef: ref("v1", "Service", "x")},
			},
		}
		spec.Kubernetes.KubeAPIServer = &gardencorev1beta1.KubeAPIServerConfig{
			AuditConfig:              &gardencorev1beta1.AuditConfig{AuditPolicy: &gardencorev1beta1.AuditPolicy{ConfigMapRef: &corev1.ObjectReference{Name: "audit"}}},
			AdmissionPlugins:         []gardencorev1beta1.AdmissionPlugin{{Name: "x", KubeconfigSecretName: ptr.To("admission")}},
			StructuredAuthentication: &gardencorev1beta1.StructuredAuthentication{ConfigMapName: "authn"},
			StructuredAuthorization: &gardencorev1beta1.StructuredAuthorization{
				ConfigMapName: "authz", Kubeconfigs: []gardencorev1beta1.AuthorizerKubeconfigReference{{SecretName: "webhook"}},
			},
		}
		want := map[reference.Reference]bool{}
		for _, name := range []string{"dns", "s", "admission", "webhook"} {
			want[reference.Reference{Kind: "Secret", Name: name}] = true
		}
		for _, name := range []string{"c", "audit", "authn", "authz"} {
			want[reference.Reference{Kind: "ConfigMap", Name: name}] = true
		}
		if diff := cmp.Diff(want, reference.References(spec)); diff != "" {
			t.Errorf("references (-want +got):\n%s", diff)
		}
	})
}
