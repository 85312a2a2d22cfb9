package operation

import (
	"slices"
	"strings"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	oidcv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/openidconnect/v1alpha1"
)

// AllowedIssuerHosts are names of issuers that operators allow at any address, by an annotation of the Seed.
func AllowedIssuerHosts(seed *gardencorev1beta1.Seed) []string {
	names := strings.Split(seed.Annotations[oidcv1alpha1.AnnotationAllowedIssuerHosts], ",")
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}
