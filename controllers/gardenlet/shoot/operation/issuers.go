package operation

import (
	"slices"
	"strings"

	oidcv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/openidconnect/v1alpha1"
)

// AllowedIssuerHosts are names of issuers that operators allow at any address, by an annotation of the Seed.
func (o *Operation) AllowedIssuerHosts() []string {
	names := strings.Split(o.Seed.Annotations[oidcv1alpha1.AnnotationAllowedIssuerHosts], ",")
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}
