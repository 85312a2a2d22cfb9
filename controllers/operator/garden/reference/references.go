package reference

import (
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// Kinds of protected objects.
const (
	kindSecret    = "Secret"
	kindConfigMap = "ConfigMap"
)

// Reference is an object in the namespace garden of the runtime cluster.
type Reference struct{ Kind, Name string }

// References returns the Secrets and ConfigMaps that a Garden needs, without duplicates.
func References(spec *operatorv1alpha1.GardenSpec) map[Reference]bool {
	found := set{}
	if spec.DNS != nil {
		for i := range spec.DNS.Providers {
			found.secret(&spec.DNS.Providers[i].SecretRef.Name)
		}
	}
	for i := range spec.Resources {
		found.object(&spec.Resources[i].ResourceRef)
	}
	if etcd := spec.VirtualCluster.ETCD; etcd != nil && etcd.Main != nil && etcd.Main.Backup != nil {
		found.secret(&etcd.Main.Backup.SecretRef.Name)
	}
	found.kubernetes(spec.VirtualCluster.Kubernetes.KubeAPIServer)
	found.gardener(spec.VirtualCluster.Gardener.APIServer)
	found.dashboard(spec.VirtualCluster.Gardener.Dashboard)
	if discovery := spec.VirtualCluster.Gardener.DiscoveryServer; discovery != nil {
		found.secret(discovery.TLSSecretName)
	}
	return found
}

// set is what was found. Its methods accept nil and empty names, which refer to nothing.
type set map[Reference]bool

func (s set) secret(name *string)    { s.add(kindSecret, name) }
func (s set) configMap(name *string) { s.add(kindConfigMap, name) }

func (s set) add(kind string, name *string) {
	if name != nil && *name != "" {
		s[Reference{kind, *name}] = true
	}
}

func (s set) object(ref *autoscalingv1.CrossVersionObjectReference) {
	if (ref.APIVersion == "v1" || ref.APIVersion == "") && (ref.Kind == kindSecret || ref.Kind == kindConfigMap) {
		s.add(ref.Kind, &ref.Name)
	}
}

func (s set) local(kind string, ref *corev1.LocalObjectReference) {
	if ref != nil {
		s.add(kind, &ref.Name)
	}
}

func (s set) kubernetes(server *operatorv1alpha1.KubeAPIServerConfig) {
	if server == nil {
		return
	}
	s.webhook(server.AuditWebhook)
	if server.Authentication != nil && server.Authentication.Webhook != nil {
		s.secret(&server.Authentication.Webhook.KubeconfigSecretName)
	}
	if server.Authorization != nil && server.Authorization.Webhook != nil {
		s.secret(&server.Authorization.Webhook.KubeconfigSecretName)
	}
	if server.SNI != nil {
		s.secret(server.SNI.SecretName)
	}
	if shared := server.KubeAPIServerConfig; shared != nil {
		s.plugins(shared.AdmissionPlugins)
		s.audit(shared.AuditConfig)
		s.structured(shared)
	}
}

func (s set) gardener(server *operatorv1alpha1.GardenerAPIServerConfig) {
	if server == nil {
		return
	}
	s.webhook(server.AuditWebhook)
	s.plugins(server.AdmissionPlugins)
	s.audit(server.AuditConfig)
}

func (s set) webhook(webhook *operatorv1alpha1.AuditWebhook) {
	if webhook != nil {
		s.secret(&webhook.KubeconfigSecretName)
	}
}

func (s set) plugins(plugins []gardencorev1beta1.AdmissionPlugin) {
	for i := range plugins {
		s.secret(plugins[i].KubeconfigSecretName)
	}
}

func (s set) audit(audit *gardencorev1beta1.AuditConfig) {
	if audit != nil && audit.AuditPolicy != nil && audit.AuditPolicy.ConfigMapRef != nil {
		s.configMap(&audit.AuditPolicy.ConfigMapRef.Name)
	}
}

func (s set) structured(server *gardencorev1beta1.KubeAPIServerConfig) {
	if authentication := server.StructuredAuthentication; authentication != nil {
		s.configMap(&authentication.ConfigMapName)
	}
	if authorization := server.StructuredAuthorization; authorization != nil {
		s.configMap(&authorization.ConfigMapName)
		for i := range authorization.Kubeconfigs {
			s.secret(&authorization.Kubeconfigs[i].SecretName)
		}
	}
}

func (s set) dashboard(dashboard *operatorv1alpha1.GardenerDashboardConfig) {
	if dashboard == nil {
		return
	}
	s.local(kindConfigMap, dashboard.FrontendConfigMapRef)
	s.local(kindConfigMap, dashboard.AssetsConfigMapRef)
	s.secret(dashboard.TLSSecretName)
	if dashboard.GitHub != nil {
		s.secret(&dashboard.GitHub.SecretRef.Name)
	}
	if dashboard.OIDCConfig != nil {
		s.secret(&dashboard.OIDCConfig.SecretRef.Name)
		s.local(kindSecret, dashboard.OIDCConfig.CertificateAuthoritySecretRef)
	}
}
