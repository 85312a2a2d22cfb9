package core

import (
	"regexp"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Bounds of settings of the API server.
const (
	maxNonMutatingInflight = 5000
	maxMutatingInflight    = 2500
	longestEventTTL        = 7 * 24 * time.Hour
	shortestToken          = 720 * time.Hour
	longestToken           = 2160 * time.Hour
)

var encryptedResource = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9.-]*)?$`)

func validateKubeAPIServer(server *core.KubeAPIServerConfig, path *field.Path) field.ErrorList {
	if server == nil {
		return nil
	}
	errs := validateRequests(server.Requests, path.Child("requests"))
	errs = append(errs, validateAudiences(server.APIAudiences, path.Child("apiAudiences"))...)
	errs = append(errs, validateServiceAccountConfig(server.ServiceAccountConfig, path.Child("serviceAccountConfig"))...)
	errs = append(errs, validateOIDC(server.OIDCConfig, path.Child("oidcConfig"))...)
	errs = append(errs, validateEncryption(server.EncryptionConfig, path.Child("encryptionConfig"))...)
	errs = append(errs, unique(server.AdmissionPlugins, path.Child("admissionPlugins"), func(p core.AdmissionPlugin) string { return p.Name }, "name")...)
	for i, plugin := range server.AdmissionPlugins {
		errs = append(errs, required(plugin.Name, path.Child("admissionPlugins").Index(i).Child("name"), "must name an admission plugin")...)
	}
	if audit := server.AuditConfig; audit != nil && audit.AuditPolicy != nil && audit.AuditPolicy.ConfigMapRef != nil {
		errs = append(errs, required(audit.AuditPolicy.ConfigMapRef.Name,
			path.Child("auditConfig", "auditPolicy", "configMapRef", "name"), "must name a ConfigMap")...)
	}
	if ttl := server.EventTTL; ttl != nil && (ttl.Duration < 0 || ttl.Duration > longestEventTTL) {
		errs = append(errs, field.Invalid(path.Child("eventTTL"), ttl.Duration.String(), "must be between 0 and 7 days"))
	}
	return errs
}

func validateRequests(requests *core.APIServerRequests, path *field.Path) field.ErrorList {
	if requests == nil {
		return nil
	}
	var errs field.ErrorList
	if n := requests.MaxNonMutatingInflight; n != nil && (*n < 0 || *n > maxNonMutatingInflight) {
		errs = append(errs, field.Invalid(path.Child("maxNonMutatingInflight"), *n, "must be between 0 and 5000"))
	}
	if n := requests.MaxMutatingInflight; n != nil && (*n < 0 || *n > maxMutatingInflight) {
		errs = append(errs, field.Invalid(path.Child("maxMutatingInflight"), *n, "must be between 0 and 2500"))
	}
	return errs
}

func validateAudiences(audiences []string, path *field.Path) field.ErrorList {
	errs := uniqueText(audiences, path)
	for i, audience := range audiences {
		if strings.Contains(audience, ",") {
			errs = append(errs, field.Invalid(path.Index(i), audience, "must not contain a comma"))
		}
	}
	return errs
}

func validateServiceAccountConfig(config *core.ServiceAccountConfig, path *field.Path) field.ErrorList {
	if config == nil {
		return nil
	}
	var errs field.ErrorList
	if config.Issuer != nil {
		errs = append(errs, validateHTTPS(*config.Issuer, path.Child("issuer"))...)
	}
	if life := config.MaxTokenExpiration; life != nil && (life.Duration < shortestToken || life.Duration > longestToken) {
		errs = append(errs, field.Invalid(path.Child("maxTokenExpiration"), life.Duration.String(), "must be between 30 and 90 days"))
	}
	errs = append(errs, uniqueText(config.AcceptedIssuers, path.Child("acceptedIssuers"))...)
	for i, issuer := range config.AcceptedIssuers {
		if config.Issuer != nil && issuer == *config.Issuer {
			errs = append(errs, field.Invalid(path.Child("acceptedIssuers").Index(i), issuer, "must not be the issuer"))
		}
	}
	return errs
}

func validateOIDC(config *core.OIDCConfig, path *field.Path) field.ErrorList {
	if config == nil {
		return nil
	}
	var errs field.ErrorList
	if isSet(config.IssuerURL) != isSet(config.ClientID) {
		errs = append(errs, field.Invalid(path, "", "must have both issuerURL and clientID"))
	}
	if isSet(config.IssuerURL) {
		errs = append(errs, validateHTTPS(*config.IssuerURL, path.Child("issuerURL"))...)
	}
	for i, algorithm := range config.SigningAlgs {
		errs = append(errs, oneOf(algorithm, path.Child("signingAlgs").Index(i),
			"ES256", "ES384", "ES512", "PS256", "PS384", "PS512", "RS256", "RS384", "RS512")...)
	}
	return errs
}

func validateEncryption(config *core.EncryptionConfig, path *field.Path) field.ErrorList {
	if config == nil {
		return nil
	}
	errs := uniqueText(config.Resources, path.Child("resources"))
	for i, resource := range config.Resources {
		at := path.Child("resources").Index(i)
		switch {
		case resource == "secrets" || resource == "secrets.":
			errs = append(errs, field.Forbidden(at, "secrets are always encrypted"))
		case !encryptedResource.MatchString(resource):
			errs = append(errs, field.Invalid(at, resource, "must be a lower-case plural, with its group after a dot"))
		}
	}
	if config.Provider.Type != nil {
		errs = append(errs, oneOf(*config.Provider.Type, path.Child("provider", "type"), core.EncryptionProviderTypeAESCBC,
			core.EncryptionProviderTypeAESGCM, core.EncryptionProviderTypeSecretbox)...)
	}
	return errs
}
