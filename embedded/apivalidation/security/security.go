// Package security validates objects of security.gardener.cloud. It looks at one object, or at its old and new form.
// Admission plugins validate what depends on other objects. All functions expect defaulted objects.
package security

import (
	"strings"
	"unicode"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"

	security "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apivalidation/internal/rules"
)

// Bounds of the lifetime of a token in seconds.
const (
	shortestToken = 600
	longestToken  = 1 << 32
)

// longestSubject is the maximum length of the claim sub in OpenID Connect.
const longestSubject = 255

// ValidateCredentialsBinding validates a new CredentialsBinding.
func ValidateCredentialsBinding(binding *security.CredentialsBinding) field.ErrorList {
	errs := apivalidation.ValidateObjectMeta(&binding.ObjectMeta, true, apivalidation.NameIsDNSLabel, field.NewPath("metadata"))
	errs = append(errs, validateProviderType(binding.Provider.Type, field.NewPath("provider", "type"))...)
	quotas := sets.New[string]()
	for i, quota := range binding.Quotas {
		at := field.NewPath("quotas").Index(i)
		if quota.Name == "" {
			errs = append(errs, field.Required(at.Child("name"), "must name a Quota"))
		}
		if key := quota.Namespace + "/" + quota.Name; quotas.Has(key) {
			errs = append(errs, field.Duplicate(at, key))
		} else {
			quotas.Insert(key)
		}
	}
	return append(errs, validateCredentials(binding.CredentialsRef, field.NewPath("credentialsRef"))...)
}

// ValidateCredentialsBindingUpdate validates a change: only metadata may change.
func ValidateCredentialsBindingUpdate(binding, old *security.CredentialsBinding) field.ErrorList {
	errs := apivalidation.ValidateObjectMetaUpdate(&binding.ObjectMeta, &old.ObjectMeta, field.NewPath("metadata"))
	errs = append(errs, rules.Immutable(binding.Provider, old.Provider, field.NewPath("provider"))...)
	errs = append(errs, rules.Immutable(binding.CredentialsRef, old.CredentialsRef, field.NewPath("credentialsRef"))...)
	return append(errs, rules.Immutable(binding.Quotas, old.Quotas, field.NewPath("quotas"))...)
}

func validateCredentials(reference corev1.ObjectReference, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	kinds := sets.New("v1 Secret", "security.gardener.cloud/v1alpha1 WorkloadIdentity", "core.gardener.cloud/v1beta1 InternalSecret")
	if kind := reference.APIVersion + " " + reference.Kind; !kinds.Has(kind) {
		errs = append(errs, field.NotSupported(path.Child("kind"), kind, sets.List(kinds)))
	}
	if reference.Name == "" {
		errs = append(errs, field.Required(path.Child("name"), "must name the credentials"))
	}
	if reference.Namespace == "" {
		errs = append(errs, field.Required(path.Child("namespace"), "must name the namespace of the credentials"))
	}
	return errs
}

// ValidateWorkloadIdentity validates a new WorkloadIdentity.
func ValidateWorkloadIdentity(identity *security.WorkloadIdentity) field.ErrorList {
	path := field.NewPath("spec")
	errs := apivalidation.ValidateObjectMeta(&identity.ObjectMeta, true, apivalidation.NameIsDNSSubdomain, field.NewPath("metadata"))
	if len(identity.Spec.Audiences) == 0 {
		errs = append(errs, field.Required(path.Child("audiences"), "must have at least one entry"))
	}
	seen := sets.New[string]()
	for i, audience := range identity.Spec.Audiences {
		at := path.Child("audiences").Index(i)
		if audience == "" {
			errs = append(errs, field.Required(at, "must not be empty"))
		}
		if seen.Has(audience) {
			errs = append(errs, field.Duplicate(at, audience))
		}
		seen.Insert(audience)
	}
	errs = append(errs, validateProviderType(identity.Spec.TargetSystem.Type, path.Child("targetSystem", "type"))...)
	if len(identity.Status.Sub) > longestSubject {
		errs = append(errs, field.TooLong(field.NewPath("status", "sub"), identity.Status.Sub, longestSubject))
	}
	if strings.ContainsFunc(identity.Status.Sub, func(r rune) bool { return r > unicode.MaxASCII }) {
		errs = append(errs, field.Invalid(field.NewPath("status", "sub"), identity.Status.Sub, "must have ASCII characters only"))
	}
	return errs
}

// ValidateWorkloadIdentityUpdate validates a change.
func ValidateWorkloadIdentityUpdate(identity, old *security.WorkloadIdentity) field.ErrorList {
	errs := apivalidation.ValidateObjectMetaUpdate(&identity.ObjectMeta, &old.ObjectMeta, field.NewPath("metadata"))
	errs = append(errs, rules.Immutable(identity.Spec.TargetSystem.Type, old.Spec.TargetSystem.Type, field.NewPath("spec", "targetSystem", "type"))...)
	if old.Status.Sub != "" {
		errs = append(errs, rules.Immutable(identity.Status.Sub, old.Status.Sub, field.NewPath("status", "sub"))...)
	}
	return append(errs, ValidateWorkloadIdentity(identity)...)
}

// ValidateTokenRequest validates the body of the subresource token.
func ValidateTokenRequest(request *security.TokenRequest) field.ErrorList {
	path := field.NewPath("spec")
	var errs field.ErrorList
	if seconds := request.Spec.ExpirationSeconds; seconds != nil && (*seconds < shortestToken || *seconds > longestToken) {
		errs = append(errs, field.Invalid(path.Child("expirationSeconds"), *seconds, "must be between 10 minutes and 2^32 seconds"))
	}
	if object := request.Spec.ContextObject; object != nil {
		for name, value := range map[string]string{
			"kind": object.Kind, "apiVersion": object.APIVersion, "name": object.Name, "uid": string(object.UID),
		} {
			if value == "" {
				errs = append(errs, field.Required(path.Child("contextObject", name), "must not be empty"))
			}
		}
	}
	return errs
}

func validateProviderType(provider string, path *field.Path) field.ErrorList {
	switch {
	case provider == "":
		return field.ErrorList{field.Required(path, "must name a provider")}
	case strings.Contains(provider, ","):
		return field.ErrorList{field.Invalid(path, provider, "must name exactly one provider")}
	}
	return nil
}
