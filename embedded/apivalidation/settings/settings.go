// Package settings validates presets of settings.gardener.cloud. It expects defaulted objects.
package settings

import (
	"net/url"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"

	settings "github.com/gardener-up/gardener-up/embedded/apis/settings/v1alpha1"
	corevalidation "github.com/gardener-up/gardener-up/embedded/apivalidation/core"
)

var algorithms = sets.New("ES256", "ES384", "ES512", "PS256", "PS384", "PS512", "RS256", "RS384", "RS512")

// reserved are client settings that fields of the preset provide.
var reserved = sets.New("idp-issuer-url", "client-id", "client-secret", "idp-certificate-authority",
	"idp-certificate-authority-data", "id-token", "refresh-token")

// ValidateOpenIDConnectPreset validates a new preset for a namespace.
func ValidateOpenIDConnectPreset(preset *settings.OpenIDConnectPreset) field.ErrorList {
	errs := apivalidation.ValidateObjectMeta(&preset.ObjectMeta, true, apivalidation.NameIsDNSLabel, field.NewPath("metadata"))
	return append(errs, validateSpec(&preset.Spec, field.NewPath("spec"))...)
}

// ValidateOpenIDConnectPresetUpdate validates a change.
func ValidateOpenIDConnectPresetUpdate(preset, old *settings.OpenIDConnectPreset) field.ErrorList {
	errs := apivalidation.ValidateObjectMetaUpdate(&preset.ObjectMeta, &old.ObjectMeta, field.NewPath("metadata"))
	return append(errs, ValidateOpenIDConnectPreset(preset)...)
}

// ValidateClusterOpenIDConnectPreset validates a new preset for all projects.
func ValidateClusterOpenIDConnectPreset(preset *settings.ClusterOpenIDConnectPreset) field.ErrorList {
	path := field.NewPath("spec")
	errs := apivalidation.ValidateObjectMeta(&preset.ObjectMeta, false, apivalidation.NameIsDNSLabel, field.NewPath("metadata"))
	errs = append(errs, validateSpec(&preset.Spec.OpenIDConnectPresetSpec, path)...)
	return append(errs, validateSelector(preset.Spec.ProjectSelector, path.Child("projectSelector"))...)
}

// ValidateClusterOpenIDConnectPresetUpdate validates a change.
func ValidateClusterOpenIDConnectPresetUpdate(preset, old *settings.ClusterOpenIDConnectPreset) field.ErrorList {
	errs := apivalidation.ValidateObjectMetaUpdate(&preset.ObjectMeta, &old.ObjectMeta, field.NewPath("metadata"))
	return append(errs, ValidateClusterOpenIDConnectPreset(preset)...)
}

func validateSpec(spec *settings.OpenIDConnectPresetSpec, path *field.Path) field.ErrorList {
	errs := validateServer(&spec.Server, path.Child("server"))
	if spec.Weight < 1 || spec.Weight > 100 {
		errs = append(errs, field.Invalid(path.Child("weight"), spec.Weight, "must be between 1 and 100"))
	}
	if spec.Client != nil {
		for key := range spec.Client.ExtraConfig {
			if reserved.Has(key) {
				errs = append(errs, field.Forbidden(path.Child("client", "extraConfig").Key(key), "is provided by the preset itself"))
			}
		}
	}
	return append(errs, validateSelector(spec.ShootSelector, path.Child("shootSelector"))...)
}

func validateServer(server *settings.KubeAPIServerOpenIDConnect, path *field.Path) field.ErrorList {
	errs := corevalidation.ValidateBundle(server.CABundle, path.Child("caBundle"))
	if server.ClientID == "" {
		errs = append(errs, field.Required(path.Child("clientID"), "must not be empty"))
	}
	if issuer, err := url.Parse(server.IssuerURL); err != nil || issuer.Scheme != "https" || issuer.Host == "" {
		errs = append(errs, field.Invalid(path.Child("issuerURL"), server.IssuerURL, "must be an https URL"))
	}
	for claim, value := range server.RequiredClaims {
		if claim == "" || value == "" {
			errs = append(errs, field.Required(path.Child("requiredClaims").Key(claim), "must have a claim and a value"))
		}
	}
	for name, text := range map[string]*string{"groupsClaim": server.GroupsClaim, "groupsPrefix": server.GroupsPrefix,
		"usernameClaim": server.UsernameClaim, "usernamePrefix": server.UsernamePrefix} {
		if text != nil && *text == "" {
			errs = append(errs, field.Invalid(path.Child(name), "", "must not be empty if present"))
		}
	}
	seen := sets.New[string]()
	for i, algorithm := range server.SigningAlgs {
		at := path.Child("signingAlgs").Index(i)
		if !algorithms.Has(algorithm) {
			errs = append(errs, field.NotSupported(at, algorithm, sets.List(algorithms)))
		}
		if seen.Has(algorithm) {
			errs = append(errs, field.Duplicate(at, algorithm))
		}
		seen.Insert(algorithm)
	}
	return errs
}

func validateSelector(selector *metav1.LabelSelector, path *field.Path) field.ErrorList {
	return metav1validation.ValidateLabelSelector(selector, metav1validation.LabelSelectorValidationOptions{}, path)
}
