package core

import (
	"regexp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

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

// requiredAPIs are the APIs that components of every cluster use.
var requiredAPIs = []string{"v1", "apps/v1", "rbac.authorization.k8s.io/v1", "coordination.k8s.io/v1", "api/all"}

// reservedOIDC are client settings that other fields determine.
var reservedOIDC = []string{"idp-issuer-url", "client-id", "client-secret", "idp-certificate-authority",
	"idp-certificate-authority-data", "id-token", "refresh-token"}

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
	errs = append(errs, validateFeatureGates(server.FeatureGates, path)...)
	errs = append(errs, validateWatchCacheSizes(server.WatchCacheSizes, path.Child("watchCacheSizes"))...)
	errs = append(errs, validateStructured(server, path)...)
	errs = append(errs, validateRuntimeConfig(server.RuntimeConfig, path.Child("runtimeConfig"))...)
	errs = append(errs, validateMinAllowed(server.Autoscaling, corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("20m"), corev1.ResourceMemory: resource.MustParse("200M")}, path)...)
	errs = append(errs, minimum(server.DefaultNotReadyTolerationSeconds, 0, path.Child("defaultNotReadyTolerationSeconds"))...)
	errs = append(errs, minimum(server.DefaultUnreachableTolerationSeconds, 0, path.Child("defaultUnreachableTolerationSeconds"))...)
	if server.Logging != nil {
		errs = append(errs, minimum(server.Logging.Verbosity, 0, path.Child("logging", "verbosity"))...)
		errs = append(errs, minimum(server.Logging.HTTPAccessVerbosity, 0, path.Child("logging", "httpAccessVerbosity"))...)
	}
	if server.TLSMinVersion != nil {
		errs = append(errs, oneOf(*server.TLSMinVersion, path.Child("tlsMinVersion"), "VersionTLS12", "VersionTLS13")...)
	}
	errs = append(errs, validateAdmissionPlugins(server.AdmissionPlugins, path.Child("admissionPlugins"))...)
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
	errs := ValidateBundle(config.CABundle, path.Child("caBundle"))
	for claim, value := range config.RequiredClaims {
		if claim == "" || value == "" {
			errs = append(errs, field.Required(path.Child("requiredClaims").Key(claim), "must have a claim and a value"))
		}
	}
	if config.ClientAuthentication != nil {
		for key := range config.ClientAuthentication.ExtraConfig {
			if slices.Contains(reservedOIDC, key) {
				errs = append(errs, field.Forbidden(path.Child("clientAuthentication", "extraConfig").Key(key), "is made from other fields"))
			}
		}
	}
	errs = append(errs, uniqueText(config.SigningAlgs, path.Child("signingAlgs"))...)
	for name, text := range map[string]*string{"groupsClaim": config.GroupsClaim, "groupsPrefix": config.GroupsPrefix,
		"usernameClaim": config.UsernameClaim, "usernamePrefix": config.UsernamePrefix} {
		if text != nil && *text == "" {
			errs = append(errs, field.Invalid(path.Child(name), "", "must not be empty if present"))
		}
	}
	if isSet(config.IssuerURL) {
		errs = append(errs, required(ptr.Deref(config.ClientID, ""), path.Child("clientID"), "must be set together with issuerURL")...)
		errs = append(errs, validateHTTPS(*config.IssuerURL, path.Child("issuerURL"))...)
	} else if isSet(config.ClientID) {
		errs = append(errs, field.Required(path.Child("issuerURL"), "must be set together with clientID"))
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

// validateEncryptionKeyLife requires the rotation of AES-GCM keys, because such a key must not encrypt too much data.
func validateEncryptionKeyLife(spec *core.ShootSpec, path *field.Path) field.ErrorList {
	server := spec.Kubernetes.KubeAPIServer
	if server == nil || server.EncryptionConfig == nil || ptr.Deref(server.EncryptionConfig.Provider.Type, "") != core.EncryptionProviderTypeAESGCM {
		return nil
	}
	if m := spec.Maintenance; m != nil && m.AutoRotation != nil && m.AutoRotation.Credentials != nil {
		if key := m.AutoRotation.Credentials.ETCDEncryptionKey; key != nil && key.RotationPeriod != nil && key.RotationPeriod.Duration > 0 {
			return nil
		}
	}
	return field.ErrorList{field.Forbidden(path.Child("kubernetes", "kubeAPIServer", "encryptionConfig", "provider", "type"),
		"aesgcm needs spec.maintenance.autoRotation.credentials.etcdEncryptionKey")}
}

func validateWatchCacheSizes(sizes *core.WatchCacheSizes, path *field.Path) field.ErrorList {
	if sizes == nil {
		return nil
	}
	errs := minimum(sizes.Default, 0, path.Child("default"))
	for i, one := range sizes.Resources {
		at := path.Child("resources").Index(i)
		errs = append(errs, required(one.Resource, at.Child("resource"), "must name a resource")...)
		errs = append(errs, minimum(&one.CacheSize, 0, at.Child("size"))...)
		if strings.ToLower(one.Resource) != one.Resource {
			errs = append(errs, field.Invalid(at.Child("resource"), one.Resource, "must be a lower-case plural"))
		}
	}
	return errs
}

// validateStructured validates references to ConfigMaps with structured authentication and authorization.
func validateStructured(server *core.KubeAPIServerConfig, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if authentication := server.StructuredAuthentication; authentication != nil {
		at := path.Child("structuredAuthentication")
		errs = append(errs, required(authentication.ConfigMapName, at.Child("configMapName"), "must name a ConfigMap")...)
		if server.OIDCConfig != nil {
			errs = append(errs, field.Forbidden(path.Child("oidcConfig"), "must not be set together with structuredAuthentication"))
		}
	}
	if authorization := server.StructuredAuthorization; authorization != nil {
		at := path.Child("structuredAuthorization")
		errs = append(errs, required(authorization.ConfigMapName, at.Child("configMapName"), "must name a ConfigMap")...)
		errs = append(errs, notEmpty(authorization.Kubeconfigs, at.Child("kubeconfigs"))...)
		errs = append(errs, unique(authorization.Kubeconfigs, at.Child("kubeconfigs"),
			func(r core.AuthorizerKubeconfigReference) string { return r.AuthorizerName }, "authorizerName")...)
		for i, reference := range authorization.Kubeconfigs {
			errs = append(errs, required(reference.AuthorizerName, at.Child("kubeconfigs").Index(i).Child("authorizerName"), "must name an authorizer")...)
			errs = append(errs, required(reference.SecretName, at.Child("kubeconfigs").Index(i).Child("secretName"), "must name a Secret")...)
		}
	}
	return errs
}

func validateRuntimeConfig(config map[string]bool, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for api, on := range config {
		if !on && slices.Contains(requiredAPIs, api) {
			errs = append(errs, field.Forbidden(path.Key(api), "every cluster needs it"))
		}
	}
	return errs
}
