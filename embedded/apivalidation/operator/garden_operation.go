package operator

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	corevalidation "github.com/gardener-up/gardener-up/embedded/apivalidation/core"
)

// Fixed are the credentials that a host does not rotate.
type Fixed struct{ Authorities, ServiceAccountKey, EncryptionKey, Observability bool }

// of returns what an operation would rotate although it is fixed, or nothing.
func (f Fixed) of(operation string) string {
	switch {
	case f.Authorities && strings.HasPrefix(operation, "rotate-ca"):
		return "the certificate authorities"
	case f.ServiceAccountKey && strings.HasPrefix(operation, "rotate-serviceaccount-key"):
		return "the key of service accounts"
	case f.EncryptionKey && strings.HasPrefix(operation, "rotate-etcd-encryption-key"):
		return "the encryption key"
	case f.Observability && operation == constants.ShootOperationRotateObservabilityCredentials:
		return "the password of observability"
	}
	return ""
}

// operations of Gardens.
var operations = []string{
	constants.GardenerOperationReconcile,
	constants.OperationRotateCredentialsStart, constants.OperationRotateCredentialsComplete,
	constants.OperationRotateCAStart, constants.OperationRotateCAComplete,
	constants.OperationRotateServiceAccountKeyStart, constants.OperationRotateServiceAccountKeyComplete,
	constants.OperationRotateETCDEncryptionKeyStart, constants.OperationRotateETCDEncryptionKeyComplete, constants.OperationRotateETCDEncryptionKey,
	constants.ShootOperationRotateObservabilityCredentials,
}

// ValidateGardenOperation returns the mistakes of the operations that the annotation of the Garden asks for.
func ValidateGardenOperation(garden *operatorv1alpha1.Garden, host Host) (errs field.ErrorList) {
	asked := garden.Annotations[constants.GardenerOperation]
	if asked == "" {
		return nil
	}
	path := field.NewPath("metadata", "annotations").Key(constants.GardenerOperation)
	all := strings.Split(asked, constants.GardenerOperationsSeparator)
	like := likeShoot(garden, host.Fixed)
	for i, operation := range all {
		what := host.Fixed.of(operation)
		switch {
		case what != "":
			errs = append(errs, field.Forbidden(path, "the host of this Garden does not rotate "+what))
		case !slices.Contains(operations, operation):
			errs = append(errs, field.NotSupported(path, operation, operations))
		case slices.Contains(all[:i], operation):
			errs = append(errs, field.Duplicate(path, operation))
		case operation == constants.GardenerOperationReconcile && len(all) > 1:
			errs = append(errs, field.Forbidden(path, "the operation "+operation+" cannot be asked for together with others"))
		default:
			errs = append(errs, corevalidation.ValidateRotation(like, operation, path)...)
		}
	}
	return errs
}

// likeShoot is a Shoot whose rotations are as far as those of the Garden. What the host does not rotate is as far as the rest.
func likeShoot(garden *operatorv1alpha1.Garden, fixed Fixed) *gardencorev1beta1.Shoot {
	of := operatorv1alpha1.CredentialsRotation{}
	if garden.Status.Credentials != nil && garden.Status.Credentials.Rotation != nil {
		of = *garden.Status.Credentials.Rotation
	}
	authorities := ptr.Deref(of.CertificateAuthorities, gardencorev1beta1.CARotation{})
	account := ptr.Deref(of.ServiceAccountKey, gardencorev1beta1.ServiceAccountKeyRotation{})
	key := ptr.Deref(of.ETCDEncryptionKey, gardencorev1beta1.ETCDEncryptionKeyRotation{})
	rest := authorities.Phase
	switch {
	case !fixed.EncryptionKey:
		rest = key.Phase
	case !fixed.ServiceAccountKey:
		rest = account.Phase
	}
	if fixed.Authorities {
		authorities.Phase = rest
	}
	if fixed.ServiceAccountKey {
		account.Phase = rest
	}
	if fixed.EncryptionKey {
		key.Phase = rest
	}
	rotation := &gardencorev1beta1.ShootCredentialsRotation{ServiceAccountKey: &account, ETCDEncryptionKey: &key, CertificateAuthorities: &authorities}
	return &gardencorev1beta1.Shoot{
		ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: garden.DeletionTimestamp},
		Status:     gardencorev1beta1.ShootStatus{LastOperation: garden.Status.LastOperation, Credentials: &gardencorev1beta1.ShootCredentials{Rotation: rotation}},
	}
}
