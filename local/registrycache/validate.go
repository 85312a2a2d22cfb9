package registrycache

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/local/registrycache/proxy"
)

// mostCaches is the maximum number of caches of a Shoot. Each takes an address.
const mostCaches = 32

// Decode reads the Shoot's configuration. Unknown fields are errors.
func Decode(raw *runtime.RawExtension) (*Config, error) {
	if raw == nil || len(raw.Raw) == 0 {
		return nil, fmt.Errorf("providerConfig is missing: it has to be a %s of %s", KindConfig, APIVersion)
	}
	config := &Config{}
	decoder := json.NewDecoder(bytes.NewReader(raw.Raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(config); err != nil {
		return nil, fmt.Errorf("read providerConfig: %w", err)
	}
	if config.APIVersion != APIVersion || config.Kind != KindConfig {
		return nil, fmt.Errorf("providerConfig is %q of %q, it has to be %s of %s", config.Kind, config.APIVersion, KindConfig, APIVersion)
	}
	return config, nil
}

// Validate reports all mistakes. resources are the Shoot's resources. was is the current status.
func Validate(config *Config, resources []gardencorev1beta1.NamedResourceReference, was Status) field.ErrorList {
	var errs field.ErrorList
	path := field.NewPath("caches")
	if len(config.Caches) == 0 {
		errs = append(errs, field.Required(path, "must name at least one registry"))
	}
	if len(config.Caches) > mostCaches {
		errs = append(errs, field.TooMany(path, len(config.Caches), mostCaches))
	}
	seen := map[string]bool{}
	for i, cache := range config.Caches {
		at := path.Index(i)
		if seen[cache.Upstream] {
			errs = append(errs, field.Duplicate(at.Child("upstream"), cache.Upstream))
		}
		seen[cache.Upstream] = true
		errs = append(errs, validateCache(cache, resources, at)...)
		if i := slices.IndexFunc(was.Caches, func(c CacheStatus) bool { return c.Upstream == cache.Upstream }); i >= 0 {
			errs = append(errs, validateVolumeUpdate(cache, was.Caches[i], at.Child("volume"))...)
		}
	}
	return errs
}

func validateCache(cache Cache, resources []gardencorev1beta1.NamedResourceReference, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if problem := hostProblem(cache.Upstream); problem != "" {
		errs = append(errs, field.Invalid(path.Child("upstream"), cache.Upstream, problem))
	}
	if cache.RemoteURL != nil {
		if _, err := proxy.Registry(*cache.RemoteURL); err != nil {
			errs = append(errs, field.Invalid(path.Child("remoteURL"), *cache.RemoteURL, err.Error()))
		}
	}
	if v := cache.Volume; v != nil && v.Size != nil && v.Size.Sign() <= 0 {
		errs = append(errs, field.Invalid(path.Child("volume", "size"), v.Size.String(), "must be greater than 0"))
	}
	if v := cache.Volume; v != nil && v.StorageClassName != nil {
		for _, problem := range validation.IsDNS1123Subdomain(*v.StorageClassName) {
			errs = append(errs, field.Invalid(path.Child("volume", "storageClassName"), *v.StorageClassName, problem))
		}
	}
	if gc := cache.GarbageCollection; gc != nil && gc.TTL.Duration < 0 {
		errs = append(errs, field.Invalid(path.Child("garbageCollection", "ttl"), gc.TTL.Duration.String(), "must not be negative"))
	}
	if name := cache.SecretReferenceName; name != nil && referenced(resources, *name) == "" {
		errs = append(errs, field.Invalid(path.Child("secretReferenceName"), *name, "must be the name of a Secret among spec.resources of the Shoot"))
	}
	if cache.Proxy != nil {
		errs = append(errs, validateProxy(cache.Proxy.HTTPProxy, path.Child("proxy", "httpProxy"))...)
		errs = append(errs, validateProxy(cache.Proxy.HTTPSProxy, path.Child("proxy", "httpsProxy"))...)
	}
	if cache.HTTP != nil && cache.HTTP.TLS {
		errs = append(errs, field.NotSupported(path.Child("http", "tls"), true, []string{"false"}))
	}
	return errs
}

func validateProxy(text *string, path *field.Path) field.ErrorList {
	if text == nil {
		return nil
	}
	parsed, err := url.Parse(*text)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return field.ErrorList{field.Invalid(path, *text, "must be a URL that begins with http:// or https://")}
	}
	return nil
}

// validateVolumeUpdate refuses changes that a StatefulSet cannot make.
func validateVolumeUpdate(cache Cache, was CacheStatus, path *field.Path) field.ErrorList {
	size, class := volumeOf(cache)
	var errs field.ErrorList
	if was.VolumeSize != "" && size.String() != was.VolumeSize {
		errs = append(errs, field.Forbidden(path.Child("size"), "cannot change from "+was.VolumeSize+" to "+size.String()+"; take the cache away first"))
	}
	if was.VolumeSize != "" && class != was.StorageClassName {
		errs = append(errs, field.Forbidden(path.Child("storageClassName"), fmt.Sprintf("cannot change from %q to %q; take the cache away first", was.StorageClassName, class)))
	}
	return errs
}

// hostProblem describes what is wrong with the host of a registry; empty if it is valid.
func hostProblem(upstream string) string {
	host := upstream
	if h, port, err := net.SplitHostPort(upstream); err == nil {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return "must end with a port, if with a colon at all"
		}
		host = h
	}
	if problems := validation.IsDNS1123Subdomain(host); len(problems) > 0 {
		return "must be the host of a registry, with a port if it is not the usual one, and without a scheme: " + problems[0]
	}
	return ""
}

// referenced is the name of the Secret of a resource of the Shoot; empty if the Shoot has no such resource.
func referenced(resources []gardencorev1beta1.NamedResourceReference, name string) string {
	for _, resource := range resources {
		if resource.Name == name && resource.ResourceRef.Kind == "Secret" {
			return resource.ResourceRef.Name
		}
	}
	return ""
}
