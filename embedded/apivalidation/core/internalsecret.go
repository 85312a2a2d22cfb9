package core

import (
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apivalidation/internal/rules"
)

// ValidateInternalSecret validates a new InternalSecret.
func ValidateInternalSecret(secret *core.InternalSecret) field.ErrorList {
	errs := validateObjectMeta(&secret.ObjectMeta, true, apivalidation.NameIsDNSSubdomain)
	path := field.NewPath("data")
	size := 0
	for key, value := range secret.Data {
		for _, problem := range validation.IsConfigMapKey(key) {
			errs = append(errs, field.Invalid(path.Key(key), key, problem))
		}
		size += len(value)
	}
	if size > corev1.MaxSecretSize {
		errs = append(errs, field.TooLong(path, "", corev1.MaxSecretSize))
	}
	return append(errs, validateSecretType(secret, path)...)
}

// validateSecretType requires the keys of a type, as for Secrets.
func validateSecretType(secret *core.InternalSecret, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, key := range map[corev1.SecretType][]string{
		corev1.SecretTypeTLS:              {corev1.TLSCertKey, corev1.TLSPrivateKeyKey},
		corev1.SecretTypeSSHAuth:          {corev1.SSHAuthPrivateKey},
		corev1.SecretTypeDockercfg:        {corev1.DockerConfigKey},
		corev1.SecretTypeDockerConfigJson: {corev1.DockerConfigJsonKey},
	}[secret.Type] {
		if _, ok := secret.Data[key]; !ok {
			errs = append(errs, field.Required(path.Key(key), "must be there in a secret of type "+string(secret.Type)))
		}
	}
	_, user := secret.Data[corev1.BasicAuthUsernameKey]
	_, password := secret.Data[corev1.BasicAuthPasswordKey]
	if secret.Type == corev1.SecretTypeBasicAuth && !user && !password {
		errs = append(errs, field.Required(path.Key(corev1.BasicAuthUsernameKey), "must be there unless the password is"))
	}
	return errs
}

// ValidateInternalSecretUpdate validates a change.
func ValidateInternalSecretUpdate(secret, old *core.InternalSecret) field.ErrorList {
	errs := validateObjectMetaUpdate(&secret.ObjectMeta, &old.ObjectMeta)
	errs = append(errs, rules.Immutable(secret.Type, old.Type, field.NewPath("type"))...)
	if old.Immutable != nil && *old.Immutable {
		if secret.Immutable == nil || !*secret.Immutable {
			errs = append(errs, field.Forbidden(field.NewPath("immutable"), "must not be unset"))
		}
		if !apiequality.Semantic.DeepEqual(secret.Data, old.Data) {
			errs = append(errs, field.Forbidden(field.NewPath("data"), "must not be changed while immutable is set"))
		}
	}
	return append(errs, ValidateInternalSecret(secret)...)
}
