// Package operations validates Bastions. It looks at one object, or at its old and new form, and expects defaulted
// objects.
package operations

import (
	"net/netip"
	"time"

	"golang.org/x/crypto/ssh"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	operations "github.com/gardener-up/gardener-up/embedded/apis/operations/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apivalidation/internal/rules"
)

// clockSkew is how far the clocks of other machines may be ahead.
const clockSkew = time.Minute

// ValidateBastion validates a new Bastion.
func ValidateBastion(bastion *operations.Bastion) field.ErrorList {
	path := field.NewPath("spec")
	errs := apivalidation.ValidateObjectMeta(&bastion.ObjectMeta, true, apivalidation.NameIsDNSSubdomain, field.NewPath("metadata"))
	if bastion.Spec.ShootRef.Name == "" {
		errs = append(errs, field.Required(path.Child("shootRef", "name"), "must name a shoot"))
	}
	if _, _, _, _, err := ssh.ParseAuthorizedKey([]byte(bastion.Spec.SSHPublicKey)); err != nil {
		errs = append(errs, field.Invalid(path.Child("sshPublicKey"), bastion.Spec.SSHPublicKey, "must be a public key as in authorized_keys"))
	}
	if len(bastion.Spec.Ingress) == 0 {
		errs = append(errs, field.Required(path.Child("ingress"), "must have at least one entry"))
	}
	for i, ingress := range bastion.Spec.Ingress {
		if _, err := netip.ParsePrefix(ingress.IPBlock.CIDR); err != nil {
			errs = append(errs, field.Invalid(path.Child("ingress").Index(i).Child("ipBlock", "cidr"), ingress.IPBlock.CIDR,
				"must be an address range in CIDR notation"))
		}
	}
	return errs
}

// ValidateBastionUpdate validates a change.
func ValidateBastionUpdate(bastion, old *operations.Bastion) field.ErrorList {
	path := field.NewPath("spec")
	errs := apivalidation.ValidateObjectMetaUpdate(&bastion.ObjectMeta, &old.ObjectMeta, field.NewPath("metadata"))
	errs = append(errs, rules.Immutable(bastion.Spec.ShootRef, old.Spec.ShootRef, path.Child("shootRef"))...)
	errs = append(errs, rules.Immutable(bastion.Spec.SSHPublicKey, old.Spec.SSHPublicKey, path.Child("sshPublicKey"))...)
	if old.Spec.SeedName != nil {
		errs = append(errs, rules.Immutable(bastion.Spec.SeedName, old.Spec.SeedName, path.Child("seedName"))...)
	}
	if old.Spec.ProviderType != nil {
		errs = append(errs, rules.Immutable(bastion.Spec.ProviderType, old.Spec.ProviderType, path.Child("providerType"))...)
	}
	return append(errs, ValidateBastion(bastion)...)
}

// ValidateBastionStatusUpdate validates a change of the status.
func ValidateBastionStatusUpdate(bastion, old *operations.Bastion) field.ErrorList {
	errs := apivalidation.ValidateObjectMetaUpdate(&bastion.ObjectMeta, &old.ObjectMeta, field.NewPath("metadata"))
	if beat := bastion.Status.LastHeartbeatTimestamp; beat != nil && time.Until(beat.Time) > clockSkew {
		errs = append(errs, field.Invalid(field.NewPath("status", "lastHeartbeatTimestamp"), beat.String(), "must not be in the future"))
	}
	return errs
}
