package resourcereferencemanager

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	security "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
)

// secretBinding may refer to other namespaces, so that the requester must be able to read what it makes usable.
func (l *lookup) secretBinding(ctx context.Context, binding, old *core.SecretBinding) (field.ErrorList, error) {
	of := func(b *core.SecretBinding) []reference {
		if b == nil {
			return nil
		}
		secret := reference{secrets, b.SecretRef.Namespace, b.SecretRef.Name, field.NewPath("secretRef")}
		return append([]reference{secret}, ofQuotas(b.Quotas)...)
	}
	return l.readable(ctx, of(binding), of(old))
}

func (l *lookup) credentialsBinding(ctx context.Context, binding, old *security.CredentialsBinding) (field.ErrorList, error) {
	of := func(b *security.CredentialsBinding) []reference {
		if b == nil {
			return nil
		}
		references := ofQuotas(b.Quotas)
		if resource, known := referable[b.CredentialsRef.APIVersion+"/"+b.CredentialsRef.Kind]; known { // validation refuses others
			references = append(references, reference{resource, b.CredentialsRef.Namespace, b.CredentialsRef.Name, field.NewPath("credentialsRef")})
		}
		return references
	}
	return l.readable(ctx, of(binding), of(old))
}

func ofQuotas(references []corev1.ObjectReference) []reference {
	var out []reference
	for i, quota := range references {
		out = append(out, reference{quotas, quota.Namespace, quota.Name, field.NewPath("quotas").Index(i)})
	}
	return out
}

// registration refers to the deployment of its controller, unless it holds the deployment itself in the older form: then
// the server makes it together with the registration.
func (l *lookup) registration(ctx context.Context, registration, old *core.ControllerRegistration) (field.ErrorList, error) {
	of := func(r *core.ControllerRegistration) []reference {
		var out []reference
		if r != nil && r.Spec.Deployment != nil && r.Spec.Deployment.Type == nil {
			for i, ref := range r.Spec.Deployment.DeploymentRefs {
				out = append(out, reference{deployments, "", ref.Name, field.NewPath("spec", "deployment", "deploymentRefs").Index(i).Child("name")})
			}
		}
		return out
	}
	return l.exist(ctx, of(registration), of(old))
}
