package core

import (
	"cmp"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"regexp"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

var featureGate = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*$`)

// between reports a number outside of its bounds. Both bounds are allowed values.
func between[T cmp.Ordered](value *T, low, high T, path *field.Path) field.ErrorList {
	if value == nil || low <= *value && *value <= high {
		return nil
	}
	return field.ErrorList{field.Invalid(path, *value, fmt.Sprintf("must be between %v and %v", low, high))}
}

// minimum reports a number that is too low.
func minimum[T cmp.Ordered](value *T, low T, path *field.Path) field.ErrorList {
	if value == nil || low <= *value {
		return nil
	}
	return field.ErrorList{field.Invalid(path, *value, fmt.Sprintf("must be at least %v", low))}
}

// namedDuration is a duration with the name of its field.
type namedDuration struct {
	name  string
	value *metav1.Duration
}

func notNegativeDurations(path *field.Path, durations ...namedDuration) field.ErrorList {
	var errs field.ErrorList
	for _, one := range durations {
		errs = append(errs, atLeast(one.value, 0, path.Child(one.name))...)
	}
	return errs
}

// namedQuantity is a quantity with the name of its field.
type namedQuantity struct {
	name  string
	value *resource.Quantity
}

func notNegativeQuantities(path *field.Path, quantities ...namedQuantity) field.ErrorList {
	var errs field.ErrorList
	for _, one := range quantities {
		if one.value != nil {
			errs = append(errs, notNegative(*one.value, path.Child(one.name))...)
		}
	}
	return errs
}

// validateResourceBounds reports resources other than CPU and memory, and amounts below floors.
func validateResourceBounds(list, floors corev1.ResourceList, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for name, amount := range list {
		at := path.Key(string(name))
		if name != corev1.ResourceCPU && name != corev1.ResourceMemory {
			errs = append(errs, field.NotSupported(at, name, []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory}))
			continue
		}
		errs = append(errs, notNegative(amount, at)...)
		if floor, ok := floors[name]; ok && amount.Cmp(floor) < 0 {
			errs = append(errs, field.Invalid(at, amount.String(), "must be at least "+floor.String()))
		}
	}
	return errs
}

// validateMinAllowed validates the lower bound of a vertical autoscaler.
func validateMinAllowed(autoscaling *core.ControlPlaneAutoscaling, floors corev1.ResourceList, path *field.Path) field.ErrorList {
	if autoscaling == nil {
		return nil
	}
	path = path.Child("autoscaling", "minAllowed")
	if len(autoscaling.MinAllowed) == 0 {
		return field.ErrorList{field.Required(path, "must have cpu, memory or both")}
	}
	return validateResourceBounds(autoscaling.MinAllowed, floors, path)
}

// ValidateBundle reports a text that is not a bundle of certificates in PEM.
func ValidateBundle(bundle *string, path *field.Path) field.ErrorList {
	if bundle == nil {
		return nil
	}
	rest, found := []byte(*bundle), 0
	for {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if _, err := x509.ParseCertificate(block.Bytes); block.Type != "CERTIFICATE" || err != nil {
			return field.ErrorList{field.Invalid(path, "", "must hold nothing but certificates in PEM")}
		}
		found++
	}
	if found == 0 {
		return field.ErrorList{field.Invalid(path, "", "must hold certificates in PEM")}
	}
	return nil
}

func validateFeatureGates(gates map[string]bool, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for name := range gates {
		if !featureGate.MatchString(name) {
			errs = append(errs, field.Invalid(path.Child("featureGates").Key(name), name, "must be the name of a feature gate"))
		}
	}
	return errs
}

// validateKeys reports invalid and duplicate keys of taints.
func validateKeys(keys []string, path *field.Path) field.ErrorList {
	errs := unique(keys, path, func(s string) string { return s }, "")
	for i, key := range keys {
		errs = append(errs, validateTaintKey(key, path.Index(i))...)
	}
	return errs
}

func validateAccessRestrictions[T any](restrictions []T, name func(T) string, path *field.Path) field.ErrorList {
	errs := unique(restrictions, path, name, "name")
	for i, restriction := range restrictions {
		errs = append(errs, required(name(restriction), path.Index(i).Child("name"), "must not be empty")...)
	}
	return errs
}

// validateConfigMapData reports keys and sizes that a ConfigMap cannot have.
func validateConfigMapData(data map[string]string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	size := 0
	for key, value := range data {
		for _, problem := range validation.IsConfigMapKey(key) {
			errs = append(errs, field.Invalid(path.Key(key), key, problem))
		}
		size += len(key) + len(value)
	}
	if size > corev1.MaxSecretSize {
		errs = append(errs, field.TooLong(path, "", corev1.MaxSecretSize))
	}
	return errs
}
