package reference

import (
	autoscalingv1 "k8s.io/api/autoscaling/v1"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Kinds of protected objects.
const (
	kindSecret    = "Secret"
	kindConfigMap = "ConfigMap"
)

// Reference is an object in the namespace of a Shoot.
type Reference struct{ Kind, Name string }

// References returns the Secrets and ConfigMaps that a Shoot needs, without duplicates.
func References(spec *gardencorev1beta1.ShootSpec) map[Reference]bool {
	found := map[Reference]bool{}
	add := func(kind, name string) {
		if name != "" && (kind == kindSecret || kind == kindConfigMap) {
			found[Reference{kind, name}] = true
		}
	}
	addRef := func(ref *autoscalingv1.CrossVersionObjectReference) {
		if ref != nil && (ref.APIVersion == "v1" || ref.APIVersion == "") {
			add(ref.Kind, ref.Name)
		}
	}
	if spec.DNS != nil {
		for _, provider := range spec.DNS.Providers {
			if provider.SecretName != nil {
				add(kindSecret, *provider.SecretName)
			}
			addRef(provider.CredentialsRef)
		}
	}
	for i := range spec.Resources {
		addRef(&spec.Resources[i].ResourceRef)
	}
	if server := spec.Kubernetes.KubeAPIServer; server != nil {
		addServer(server, add)
	}
	return found
}

func addServer(server *gardencorev1beta1.KubeAPIServerConfig, add func(kind, name string)) {
	if audit := server.AuditConfig; audit != nil && audit.AuditPolicy != nil && audit.AuditPolicy.ConfigMapRef != nil {
		add(kindConfigMap, audit.AuditPolicy.ConfigMapRef.Name)
	}
	for _, plugin := range server.AdmissionPlugins {
		if plugin.KubeconfigSecretName != nil {
			add(kindSecret, *plugin.KubeconfigSecretName)
		}
	}
	if server.StructuredAuthentication != nil {
		add(kindConfigMap, server.StructuredAuthentication.ConfigMapName)
	}
	if authorization := server.StructuredAuthorization; authorization != nil {
		add(kindConfigMap, authorization.ConfigMapName)
		for _, kubeconfig := range authorization.Kubeconfigs {
			add(kindSecret, kubeconfig.SecretName)
		}
	}
}
