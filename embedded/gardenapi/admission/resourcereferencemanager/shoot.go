package resourcereferencemanager

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/internal/bindings"
)

// shoot refers to a binding, which may be used by who can create shoots, and to Secrets and ConfigMaps of its project,
// whose contents get into the cluster: the requester must be able to read them.
func (l *lookup) shoot(ctx context.Context, shoot, old *core.Shoot) (field.ErrorList, error) {
	if shoot.DeletionTimestamp != nil {
		return nil, nil
	}
	errs, err := l.exist(ctx, bindingOf(shoot), bindingOf(old))
	if err != nil {
		return nil, err
	}
	more, err := l.readable(ctx, contentsOf(shoot), contentsOf(old))
	return append(errs, more...), err
}

func bindingOf(shoot *core.Shoot) []reference {
	if shoot == nil {
		return nil
	}
	binding := bindings.Of(&shoot.Spec)
	if binding.Credentials {
		return []reference{{credentialsBindings, shoot.Namespace, binding.Name, binding.Field()}}
	}
	return []reference{{secretBindings, shoot.Namespace, binding.Name, binding.Field()}}
}

func contentsOf(shoot *core.Shoot) []reference {
	if shoot == nil {
		return nil
	}
	return slices.Concat(ofDNS(shoot), ofResources(shoot), ofAPIServer(shoot))
}

func ofDNS(shoot *core.Shoot) []reference {
	var out []reference
	if shoot.Spec.DNS == nil {
		return nil
	}
	for i, provider := range shoot.Spec.DNS.Providers {
		path := field.NewPath("spec", "dns", "providers").Index(i)
		if provider.SecretName != nil {
			out = append(out, reference{secrets, shoot.Namespace, *provider.SecretName, path.Child("secretName")})
		}
		if ref := provider.CredentialsRef; ref != nil {
			if resource, known := referable[ref.APIVersion+"/"+ref.Kind]; known {
				out = append(out, reference{resource, shoot.Namespace, ref.Name, path.Child("credentialsRef")})
			}
		}
	}
	return out
}

// ofResources leaves kinds alone that this server and its clients do not know.
func ofResources(shoot *core.Shoot) []reference {
	var out []reference
	for i, one := range shoot.Spec.Resources {
		if resource, known := referable[one.ResourceRef.APIVersion+"/"+one.ResourceRef.Kind]; known {
			out = append(out, reference{resource, shoot.Namespace, one.ResourceRef.Name, field.NewPath("spec", "resources").Index(i).Child("resourceRef", "name")})
		}
	}
	return out
}

func ofAPIServer(shoot *core.Shoot) []reference {
	server := shoot.Spec.Kubernetes.KubeAPIServer
	if server == nil {
		return nil
	}
	path := field.NewPath("spec", "kubernetes", "kubeAPIServer")
	var out []reference
	if server.AuditConfig != nil && server.AuditConfig.AuditPolicy != nil && server.AuditConfig.AuditPolicy.ConfigMapRef != nil {
		out = append(out, reference{configMaps, shoot.Namespace, server.AuditConfig.AuditPolicy.ConfigMapRef.Name, path.Child("auditConfig", "auditPolicy", "configMapRef", "name")})
	}
	for i, plugin := range server.AdmissionPlugins {
		out = append(out, reference{secrets, shoot.Namespace, ptr.Deref(plugin.KubeconfigSecretName, ""), path.Child("admissionPlugins").Index(i).Child("kubeconfigSecretName")})
	}
	if authentication := server.StructuredAuthentication; authentication != nil {
		out = append(out, reference{configMaps, shoot.Namespace, authentication.ConfigMapName, path.Child("structuredAuthentication", "configMapName")})
	}
	if authorization := server.StructuredAuthorization; authorization != nil {
		path := path.Child("structuredAuthorization")
		out = append(out, reference{configMaps, shoot.Namespace, authorization.ConfigMapName, path.Child("configMapName")})
		for i, kubeconfig := range authorization.Kubeconfigs {
			out = append(out, reference{secrets, shoot.Namespace, kubeconfig.SecretName, path.Child("kubeconfigs").Index(i).Child("secretName")})
		}
	}
	return out
}
