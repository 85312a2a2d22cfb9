package core

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apivalidation/internal/rules"
	"github.com/gardener-up/gardener-up/embedded/kubeversion"
)

// validateName reports names that do not fit in DNS labels and technical IDs.
func validateName(name string, prefix bool) []string {
	problems := apivalidation.NameIsDNSLabel(name, prefix)
	if strings.Contains(name, "--") {
		problems = append(problems, "must not contain two consecutive hyphens")
	}
	return problems
}

func validateObjectMeta(meta *metav1.ObjectMeta, namespaced bool, name apivalidation.ValidateNameFunc) field.ErrorList {
	return apivalidation.ValidateObjectMeta(meta, namespaced, name, field.NewPath("metadata"))
}

func validateObjectMetaUpdate(meta, old *metav1.ObjectMeta) field.ErrorList {
	return apivalidation.ValidateObjectMetaUpdate(meta, old, field.NewPath("metadata"))
}

// required reports an empty text.
func required(value string, path *field.Path, hint string) field.ErrorList {
	if value == "" {
		return field.ErrorList{field.Required(path, hint)}
	}
	return nil
}

// oneOf reports a value that is not supported.
func oneOf[T ~string](value T, path *field.Path, supported ...T) field.ErrorList {
	if slices.Contains(supported, value) {
		return nil
	}
	return field.ErrorList{field.NotSupported(path, value, supported)}
}

// immutableOnceSet reports a change of a value that was set before.
func immutableOnceSet[T any](value, old *T, path *field.Path) field.ErrorList {
	if old == nil {
		return nil
	}
	return rules.Immutable(value, old, path)
}

// unique reports every element with the key of an earlier element.
func unique[T any](list []T, path *field.Path, key func(T) string, child string) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, element := range list {
		if seen[key(element)] {
			at := path.Index(i)
			if child != "" {
				at = at.Child(child)
			}
			errs = append(errs, field.Duplicate(at, key(element)))
		}
		seen[key(element)] = true
	}
	return errs
}

// uniqueText reports empty and duplicate texts.
func uniqueText(list []string, path *field.Path) field.ErrorList {
	errs := unique(list, path, func(s string) string { return s }, "")
	for i, text := range list {
		errs = append(errs, required(text, path.Index(i), "must not be empty")...)
	}
	return errs
}

// parseCIDR parses an address range. It reports texts that are not a range, and ranges with bits beyond their mask.
func parseCIDR(text string, path *field.Path) (netip.Prefix, field.ErrorList) {
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return prefix, field.ErrorList{field.Invalid(path, text, "must be an address range in CIDR notation, for example 10.250.0.0/16")}
	}
	if prefix != prefix.Masked() {
		return prefix, field.ErrorList{field.Invalid(path, text, fmt.Sprintf("must be in canonical form: %s", prefix.Masked()))}
	}
	return prefix, nil
}

// namedRange is an address range with its place in the object.
type namedRange struct {
	prefix netip.Prefix
	path   *field.Path
}

// disjoint reports ranges that overlap an earlier range.
func disjoint(ranges []namedRange) field.ErrorList {
	var errs field.ErrorList
	for i, one := range ranges {
		for _, other := range ranges[:i] {
			if one.prefix.Overlaps(other.prefix) {
				errs = append(errs, field.Invalid(one.path, one.prefix.String(), fmt.Sprintf("must not overlap %s", other.path)))
			}
		}
	}
	return errs
}

func validateIPFamilies(families []core.IPFamily, path *field.Path) field.ErrorList {
	errs := unique(families, path, func(f core.IPFamily) string { return string(f) }, "")
	for i, family := range families {
		errs = append(errs, oneOf(family, path.Index(i), core.IPFamilyIPv4, core.IPFamilyIPv6)...)
	}
	return errs
}

func validateDNSLabel(text string, longest int, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, problem := range validation.IsDNS1123Label(text) {
		errs = append(errs, field.Invalid(path, text, problem))
	}
	if len(text) > longest {
		errs = append(errs, field.TooLong(path, text, longest))
	}
	return errs
}

func validateSubdomain(text string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, problem := range validation.IsDNS1123Subdomain(text) {
		errs = append(errs, field.Invalid(path, text, problem))
	}
	return errs
}

// parseVersion parses a version. It reports texts that are not a version of two or three numbers.
func parseVersion(text string, path *field.Path) (*version.Version, field.ErrorList) {
	parsed, err := version.ParseGeneric(text)
	if err != nil {
		return nil, field.ErrorList{field.Invalid(path, text, "must be a version such as "+kubeversion.Number)}
	}
	return parsed, nil
}

func validateSecretReference(reference corev1.SecretReference, path *field.Path) field.ErrorList {
	return append(required(reference.Name, path.Child("name"), "must name a Secret"),
		required(reference.Namespace, path.Child("namespace"), "must name the namespace of the Secret")...)
}

// validateCredentialsReference reports references to other kinds than Secret, WorkloadIdentity and, where a kind permits
// it, InternalSecret.
func validateCredentialsReference(reference corev1.ObjectReference, path *field.Path, internal bool) field.ErrorList {
	kinds := []string{"v1 Secret", "security.gardener.cloud/v1alpha1 WorkloadIdentity"}
	if internal {
		kinds = append(kinds, "core.gardener.cloud/v1beta1 InternalSecret")
	}
	errs := oneOf(reference.APIVersion+" "+reference.Kind, path.Child("kind"), kinds...)
	errs = append(errs, required(reference.Name, path.Child("name"), "must name the credentials")...)
	return append(errs, required(reference.Namespace, path.Child("namespace"), "must name the namespace of the credentials")...)
}

func validateLastOperation(operation *core.LastOperation, path *field.Path) field.ErrorList {
	if operation == nil || operation.Progress >= 0 && operation.Progress <= 100 {
		return nil
	}
	return field.ErrorList{field.Invalid(path.Child("progress"), operation.Progress, "must be between 0 and 100")}
}
