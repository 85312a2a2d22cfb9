package lifecycle

import (
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// operations splits the value of an operation annotation.
func operations(annotation string) []string {
	var out []string
	for _, one := range strings.Split(annotation, constants.GardenerOperationsSeparator) {
		if one = strings.TrimSpace(one); one != "" {
			out = append(out, one)
		}
	}
	return out
}

// withoutAuthorities leaves out operations that start the rotation of certificate authorities. A rotation that has
// begun can be completed.
func withoutAuthorities(annotation string) string {
	return strings.Join(slices.DeleteFunc(operations(annotation), func(one string) bool {
		return one == constants.OperationRotateCAStart || one == constants.OperationRotateCAStartWithoutWorkersRollout ||
			one == constants.OperationRotateCredentialsStart || one == constants.OperationRotateCredentialsStartWithoutWorkersRollout
	}), constants.GardenerOperationsSeparator)
}

// StartRotations records in the status which rotations the operation annotation starts or completes.
func StartRotations(status *gardencorev1beta1.ShootStatus, annotation string, now time.Time) {
	asked := operations(annotation)
	any := func(names ...string) bool {
		return slices.ContainsFunc(asked, func(name string) bool { return slices.Contains(names, name) })
	}
	all, allComplete := constants.OperationRotateCredentialsStart, constants.OperationRotateCredentialsComplete
	r := &rotations{status: status, now: metav1.NewTime(now)}
	if any(all, constants.OperationRotateCAStart) {
		r.startCA()
	}
	if any(all, constants.OperationRotateServiceAccountKeyStart) {
		r.startServiceAccountKey()
	}
	if any(all, constants.OperationRotateETCDEncryptionKeyStart, constants.OperationRotateETCDEncryptionKey) {
		r.startEncryptionKey()
	}
	if any(all, constants.ShootOperationRotateKubeconfigCredentials) {
		rotation := r.get()
		rotation.Kubeconfig = &gardencorev1beta1.ShootKubeconfigRotation{LastInitiationTime: &r.now}
	}
	if any(all, constants.ShootOperationRotateSSHKeypair) {
		rotation := r.get()
		rotation.SSHKeypair = &gardencorev1beta1.ShootSSHKeypairRotation{LastInitiationTime: &r.now}
	}
	if any(all, constants.ShootOperationRotateObservabilityCredentials) {
		rotation := r.get()
		rotation.Observability = &gardencorev1beta1.ObservabilityRotation{LastInitiationTime: &r.now}
	}
	r.complete(any(allComplete, constants.OperationRotateCAComplete), any(allComplete, constants.OperationRotateServiceAccountKeyComplete),
		any(allComplete, constants.OperationRotateETCDEncryptionKeyComplete))
}

type rotations struct {
	status *gardencorev1beta1.ShootStatus
	now    metav1.Time
}

func (r *rotations) get() *gardencorev1beta1.ShootCredentialsRotation {
	if r.status.Credentials == nil {
		r.status.Credentials = &gardencorev1beta1.ShootCredentials{}
	}
	if r.status.Credentials.Rotation == nil {
		r.status.Credentials.Rotation = &gardencorev1beta1.ShootCredentialsRotation{}
	}
	return r.status.Credentials.Rotation
}

func (r *rotations) startCA() {
	r.get().CertificateAuthorities = &gardencorev1beta1.CARotation{Phase: gardencorev1beta1.RotationPreparing, LastInitiationTime: &r.now}
}

func (r *rotations) startServiceAccountKey() {
	r.get().ServiceAccountKey = &gardencorev1beta1.ServiceAccountKeyRotation{Phase: gardencorev1beta1.RotationPreparing, LastInitiationTime: &r.now}
}

func (r *rotations) startEncryptionKey() {
	r.get().ETCDEncryptionKey = &gardencorev1beta1.ETCDEncryptionKeyRotation{Phase: gardencorev1beta1.RotationPreparing, LastInitiationTime: &r.now}
}

// complete advances rotations that are prepared; it does not change others.
func (r *rotations) complete(ca, serviceAccountKey, encryptionKey bool) {
	if r.status.Credentials == nil || r.status.Credentials.Rotation == nil {
		return
	}
	rotation := r.get()
	if x := rotation.CertificateAuthorities; ca && x != nil && x.Phase == gardencorev1beta1.RotationPrepared {
		x.Phase, x.LastCompletionTriggeredTime = gardencorev1beta1.RotationCompleting, &r.now
	}
	if x := rotation.ServiceAccountKey; serviceAccountKey && x != nil && x.Phase == gardencorev1beta1.RotationPrepared {
		x.Phase, x.LastCompletionTriggeredTime = gardencorev1beta1.RotationCompleting, &r.now
	}
	if x := rotation.ETCDEncryptionKey; encryptionKey && x != nil && x.Phase == gardencorev1beta1.RotationPrepared {
		x.Phase, x.LastCompletionTriggeredTime = gardencorev1beta1.RotationCompleting, &r.now
	}
}

// FinishRotations records which phases of rotations a successful run has completed.
func FinishRotations(status *gardencorev1beta1.ShootStatus, now time.Time) {
	if status.Credentials == nil || status.Credentials.Rotation == nil {
		return
	}
	stamp := metav1.NewTime(now)
	next := func(phase *gardencorev1beta1.CredentialsRotationPhase, prepared, completed **metav1.Time) {
		switch *phase {
		case gardencorev1beta1.RotationPreparing:
			*phase, *prepared = gardencorev1beta1.RotationPrepared, &stamp
		case gardencorev1beta1.RotationCompleting:
			*phase, *completed = gardencorev1beta1.RotationCompleted, &stamp
		}
	}
	rotation := status.Credentials.Rotation
	if x := rotation.CertificateAuthorities; x != nil {
		next(&x.Phase, &x.LastInitiationFinishedTime, &x.LastCompletionTime)
	}
	if x := rotation.ServiceAccountKey; x != nil {
		next(&x.Phase, &x.LastInitiationFinishedTime, &x.LastCompletionTime)
	}
	if x := rotation.ETCDEncryptionKey; x != nil {
		next(&x.Phase, &x.LastInitiationFinishedTime, &x.LastCompletionTime)
	}
	if x := rotation.Kubeconfig; x != nil && pending(x.LastInitiationTime, x.LastCompletionTime) {
		x.LastCompletionTime = &stamp
	}
	if x := rotation.SSHKeypair; x != nil && pending(x.LastInitiationTime, x.LastCompletionTime) {
		x.LastCompletionTime = &stamp
	}
	if x := rotation.Observability; x != nil && pending(x.LastInitiationTime, x.LastCompletionTime) {
		x.LastCompletionTime = &stamp
	}
}

func pending(started, completed *metav1.Time) bool {
	return started != nil && (completed == nil || completed.Before(started))
}
