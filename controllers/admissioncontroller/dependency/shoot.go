package dependency

import (
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/graph"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// shoot adds the seed, which is two seeds while a control plane moves, and all that the seed needs for the shoot.
func (e *edges) shoot(v graph.Vertex, shoot *gardencorev1beta1.Shoot) {
	spec := &shoot.Spec
	e.toSeed(v, spec.SeedName)
	if status := shoot.Status.SeedName; status != nil && ptr.Deref(spec.SeedName, "") != *status {
		e.toSeed(v, status)
	} else {
		e.backups(v, shoot)
	}
	e.add(graph.Vertex{Kind: graph.Namespace, Name: v.Namespace}, v)
	e.add(graph.Vertex{Kind: graph.CloudProfile, Name: ptr.Deref(spec.CloudProfileName, "")}, v)
	if ref := spec.CloudProfile; ref != nil && ref.Kind == string(graph.NamespacedCloudProfile) {
		e.add(graph.Vertex{Kind: graph.NamespacedCloudProfile, Namespace: v.Namespace, Name: ref.Name}, v)
	} else if ref != nil && ref.Name != ptr.Deref(spec.CloudProfileName, "") {
		e.add(graph.Vertex{Kind: graph.CloudProfile, Name: ref.Name}, v)
	}
	e.add(graph.Vertex{Kind: graph.ExposureClass, Name: ptr.Deref(spec.ExposureClassName, "")}, v)
	e.add(graph.Vertex{Kind: graph.SecretBinding, Namespace: v.Namespace, Name: ptr.Deref(spec.SecretBindingName, "")}, v)
	e.add(graph.Vertex{Kind: graph.CredentialsBinding, Namespace: v.Namespace, Name: ptr.Deref(spec.CredentialsBindingName, "")}, v)
	for _, resource := range spec.Resources {
		e.named(resource.ResourceRef.Kind, v.Namespace, resource.ResourceRef.Name, v)
	}
	if spec.DNS != nil {
		for _, provider := range spec.DNS.Providers {
			e.secret(v.Namespace, ptr.Deref(provider.SecretName, ""), v)
			if ref := provider.CredentialsRef; ref != nil && ref.Name != ptr.Deref(provider.SecretName, "") {
				e.named(ref.Kind, v.Namespace, ref.Name, v)
			}
		}
	}
	e.apiServer(v, spec.Kubernetes.KubeAPIServer)
}

// backups adds the BackupEntry of a shoot that does not move: a seed that takes a shoot without the help of the former one finds the entry
// in the hands of that seed. A gardenlet writes the technical ID, but the name ends with a UID that no other shoot has.
func (e *edges) backups(v graph.Vertex, shoot *gardencorev1beta1.Shoot) {
	if shoot.UID != "" && shoot.Status.TechnicalID != "" {
		e.add(graph.Vertex{Kind: graph.BackupEntry, Namespace: v.Namespace, Name: shoot.Status.TechnicalID + "--" + string(shoot.UID)}, v)
	}
}

// apiServer adds the documents and kubeconfigs of the shoot's API server.
func (e *edges) apiServer(v graph.Vertex, server *gardencorev1beta1.KubeAPIServerConfig) {
	if server == nil {
		return
	}
	if audit := server.AuditConfig; audit != nil && audit.AuditPolicy != nil && audit.AuditPolicy.ConfigMapRef != nil {
		e.named("ConfigMap", v.Namespace, audit.AuditPolicy.ConfigMapRef.Name, v)
	}
	if accounts := server.ServiceAccountConfig; accounts != nil && accounts.SigningKeySecret != nil {
		e.secret(v.Namespace, accounts.SigningKeySecret.Name, v)
	}
	for _, plugin := range server.AdmissionPlugins {
		e.secret(v.Namespace, ptr.Deref(plugin.KubeconfigSecretName, ""), v)
	}
	if authentication := server.StructuredAuthentication; authentication != nil {
		e.named("ConfigMap", v.Namespace, authentication.ConfigMapName, v)
	}
	if authorization := server.StructuredAuthorization; authorization != nil {
		e.named("ConfigMap", v.Namespace, authorization.ConfigMapName, v)
		for _, kubeconfig := range authorization.Kubeconfigs {
			e.secret(v.Namespace, kubeconfig.SecretName, v)
		}
	}
}
