package core

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	corehelper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// phases are the present phases of the rotations that have several phases.
type phases struct {
	authorities, serviceAccount, etcd core.CredentialsRotationPhase
}

func phasesOf(shoot *core.Shoot) phases {
	var p phases
	if shoot.Status.Credentials == nil || shoot.Status.Credentials.Rotation == nil {
		return p
	}
	rotation := shoot.Status.Credentials.Rotation
	p.authorities = ptr.Deref(rotation.CertificateAuthorities, core.CARotation{}).Phase
	p.serviceAccount = ptr.Deref(rotation.ServiceAccountKey, core.ServiceAccountKeyRotation{}).Phase
	p.etcd = ptr.Deref(rotation.ETCDEncryptionKey, core.ETCDEncryptionKeyRotation{}).Phase
	return p
}

// ValidateRotation reports an operation that does not match the present phase of a rotation. Of the Shoot it reads the status and whether
// it is being deleted.
func ValidateRotation(shoot *core.Shoot, operation string, path *field.Path) field.ErrorList {
	return validateRotationPhase(shoot, operation, path)
}

// validateRotationPhase reports an operation that does not match the present phase of a rotation.
func validateRotationPhase(shoot *core.Shoot, operation string, path *field.Path) field.ErrorList {
	p := phasesOf(shoot)
	name, _, _ := strings.Cut(operation, "=")
	switch name {
	case constants.OperationRotateCredentialsStart, constants.OperationRotateCredentialsStartWithoutWorkersRollout:
		return mayStart(shoot, operation, path, p.authorities, p.serviceAccount, p.etcd)
	case constants.OperationRotateCAStart, constants.OperationRotateCAStartWithoutWorkersRollout, constants.OperationRotateCAStartLegacy:
		return mayStart(shoot, operation, path, p.authorities)
	case constants.OperationRotateServiceAccountKeyStart, constants.OperationRotateServiceAccountKeyStartWithoutWorkersRollout:
		return mayStart(shoot, operation, path, p.serviceAccount)
	case constants.OperationRotateETCDEncryptionKey, constants.OperationRotateETCDEncryptionKeyStart:
		return mayStart(shoot, operation, path, p.etcd)
	case constants.OperationRotateCredentialsComplete:
		if p.etcd == core.RotationCompleted { // it completes itself
			return mayComplete(shoot, operation, path, p.authorities, p.serviceAccount)
		}
		return mayComplete(shoot, operation, path, p.authorities, p.serviceAccount, p.etcd)
	case constants.OperationRotateCAComplete, constants.OperationRotateCACompleteLegacy:
		return mayComplete(shoot, operation, path, p.authorities)
	case constants.OperationRotateServiceAccountKeyComplete:
		return mayComplete(shoot, operation, path, p.serviceAccount)
	case constants.OperationRotateETCDEncryptionKeyComplete:
		return mayComplete(shoot, operation, path, p.etcd)
	case constants.ShootOperationRotateRolloutWorkers:
		if p.authorities != core.RotationWaitingForWorkersRollout && p.serviceAccount != core.RotationWaitingForWorkersRollout {
			return field.ErrorList{field.Forbidden(path, "the operation "+operation+" needs a rotation that waits for workers")}
		}
	}
	return nil
}

func mayStart(shoot *core.Shoot, operation string, path *field.Path, phases ...core.CredentialsRotationPhase) field.ErrorList {
	for _, phase := range phases {
		if phase != "" && phase != core.RotationCompleted {
			return field.ErrorList{field.Forbidden(path, "the operation "+operation+" cannot start while a rotation is "+string(phase))}
		}
	}
	last := shoot.Status.LastOperation
	created := last != nil && (last.Type == core.LastOperationTypeReconcile || last.State == core.LastOperationStateSucceeded &&
		(last.Type == core.LastOperationTypeCreate || last.Type == core.LastOperationTypeRestore))
	if !created || shoot.DeletionTimestamp != nil {
		return field.ErrorList{field.Forbidden(path, "the operation "+operation+" needs a cluster that has been created and is not being deleted")}
	}
	return nil
}

func mayComplete(shoot *core.Shoot, operation string, path *field.Path, phases ...core.CredentialsRotationPhase) field.ErrorList {
	for _, phase := range phases {
		if phase != core.RotationPrepared {
			return field.ErrorList{field.Forbidden(path, "the operation "+operation+" needs rotations in phase Prepared")}
		}
	}
	if shoot.DeletionTimestamp != nil {
		return field.ErrorList{field.Forbidden(path, "the operation "+operation+" needs a cluster that is not being deleted")}
	}
	return nil
}

// validateHibernationUpdate reports the start of a hibernation while stored objects are being rewritten.
func validateHibernationUpdate(shoot, old *core.Shoot, path *field.Path) field.ErrorList {
	if !corehelper.HibernationIsEnabled(shoot) || corehelper.HibernationIsEnabled(old) {
		return nil
	}
	path = path.Child("hibernation", "enabled")
	p, busy := phasesOf(shoot), []core.CredentialsRotationPhase{core.RotationPreparing, core.RotationPreparingWithoutWorkersRollout, core.RotationCompleting}
	var errs field.ErrorList
	if slices.Contains(busy, p.etcd) || p.etcd == core.RotationPrepared {
		errs = append(errs, field.Forbidden(path, "must not be set while the etcd encryption key is rotated"))
	}
	if slices.Contains(busy, p.serviceAccount) {
		errs = append(errs, field.Forbidden(path, "must not be set while the service account key is rotated"))
	}
	if !encryptionIsInEffect(shoot, old) {
		errs = append(errs, field.Forbidden(path, "must not be set before the wanted resources are encrypted"))
	}
	return errs
}

// validateEncryptionUpdate reports a change of the encrypted resources during hibernation, during a rotation of the key or
// before the previous change has ended.
func validateEncryptionUpdate(shoot, old *core.Shoot, path *field.Path) field.ErrorList {
	path = path.Child("kubernetes", "kubeAPIServer", "encryptionConfig")
	switch {
	case cipher(shoot) != cipher(old):
		path = path.Child("provider", "type")
	case !sameSet(encrypted(shoot), encrypted(old)):
		path = path.Child("resources")
	default:
		return nil
	}
	var errs field.ErrorList
	if phase := phasesOf(shoot).etcd; phase != "" && phase != core.RotationCompleted {
		errs = append(errs, field.Forbidden(path, "must not be changed while the etcd encryption key is rotated"))
	}
	if !encryptionIsInEffect(old, old) {
		errs = append(errs, field.Forbidden(path, "must not be changed before the last change is in effect"))
	}
	if corehelper.HibernationIsEnabled(shoot) || shoot.Status.IsHibernated {
		errs = append(errs, field.Forbidden(path, "must not be changed while the cluster is hibernated"))
	}
	return errs
}

// encryptionIsInEffect reports whether the status has the cipher and the encrypted resources of the specification. A status
// without them counts as up to date.
func encryptionIsInEffect(shoot, reported *core.Shoot) bool {
	if reported.Status.Credentials == nil || reported.Status.Credentials.EncryptionAtRest == nil {
		return true
	}
	always := []string{"secrets", "secrets."}
	without := func(list []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(always, s) })
	}
	effect := reported.Status.Credentials.EncryptionAtRest
	sameCipher := effect.Provider.Type == "" || effect.Provider.Type == cipher(shoot)
	return sameCipher && sameSet(without(encrypted(shoot)), without(effect.Resources))
}

func encrypted(shoot *core.Shoot) []string {
	server := shoot.Spec.Kubernetes.KubeAPIServer
	if server == nil || server.EncryptionConfig == nil {
		return nil
	}
	return server.EncryptionConfig.Resources
}

// cipher is the one that the specification asks for.
func cipher(shoot *core.Shoot) core.EncryptionProviderType {
	server := shoot.Spec.Kubernetes.KubeAPIServer
	if server == nil || server.EncryptionConfig == nil {
		return core.EncryptionProviderTypeAESCBC
	}
	return ptr.Deref(server.EncryptionConfig.Provider.Type, core.EncryptionProviderTypeAESCBC)
}

func sameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
