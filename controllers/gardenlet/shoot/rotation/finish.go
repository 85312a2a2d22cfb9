package rotation

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// EncryptionKey is the progress of one run with the encryption key of the cluster. Other rotations advance with every successful
// run. This rotation must not: if it advanced too early, data would become unreadable.
type EncryptionKey struct {
	// Rewritten means that all objects are encrypted with the new key.
	Rewritten bool
	// Single means that no other key is left.
	Single bool
}

// Finish records which phases of rotations a successful run has completed.
func (r Rotations) Finish(key EncryptionKey) {
	have := known(r.Status)
	if x := have.CertificateAuthorities; x != nil {
		x.PendingWorkersRollouts = r.present(x.PendingWorkersRollouts)
		r.next(&x.Phase, &x.LastInitiationFinishedTime, &x.LastCompletionTime, len(x.PendingWorkersRollouts) > 0)
	}
	if x := have.ServiceAccountKey; x != nil {
		x.PendingWorkersRollouts = r.present(x.PendingWorkersRollouts)
		r.next(&x.Phase, &x.LastInitiationFinishedTime, &x.LastCompletionTime, len(x.PendingWorkersRollouts) > 0)
	}
	if x := have.ETCDEncryptionKey; x != nil {
		r.finishEncryptionKey(x, key)
	}
	if x := r.Status.ManualWorkerPoolRollout; x != nil {
		x.PendingWorkersRollouts = r.present(x.PendingWorkersRollouts)
	}
	if x := have.Kubeconfig; x != nil {
		r.finishSimple(x.LastInitiationTime, &x.LastCompletionTime)
	}
	if x := have.SSHKeypair; x != nil {
		r.finishSimple(x.LastInitiationTime, &x.LastCompletionTime)
	}
	if x := have.Observability; x != nil {
		r.finishSimple(x.LastInitiationTime, &x.LastCompletionTime)
	}
}

// next advances a rotation. waits means that pools of workers have not been rolled out yet.
func (r Rotations) next(phase *gardencorev1beta1.CredentialsRotationPhase, prepared, completed **metav1.Time, waits bool) {
	switch *phase {
	case gardencorev1beta1.RotationPreparingWithoutWorkersRollout, gardencorev1beta1.RotationWaitingForWorkersRollout:
		if waits {
			*phase = gardencorev1beta1.RotationWaitingForWorkersRollout
			return
		}
		*phase, *prepared = gardencorev1beta1.RotationPrepared, r.stamp()
	case gardencorev1beta1.RotationPreparing:
		*phase, *prepared = gardencorev1beta1.RotationPrepared, r.stamp()
	case gardencorev1beta1.RotationCompleting:
		*phase, *completed = gardencorev1beta1.RotationCompleted, r.stamp()
	}
}

func (r Rotations) finishEncryptionKey(x *gardencorev1beta1.ETCDEncryptionKeyRotation, key EncryptionKey) {
	switch {
	case x.Phase == gardencorev1beta1.RotationPreparing && !key.Rewritten, x.Phase == gardencorev1beta1.RotationCompleting && !key.Single:
		return
	case x.Phase == gardencorev1beta1.RotationPreparing && ptr.Deref(x.AutoCompleteAfterPrepared, false):
		x.Phase, x.LastInitiationFinishedTime, x.LastCompletionTriggeredTime = gardencorev1beta1.RotationCompleting, r.stamp(), r.stamp()
		return
	}
	r.next(&x.Phase, &x.LastInitiationFinishedTime, &x.LastCompletionTime, false)
}

func (r Rotations) finishSimple(started *metav1.Time, completed **metav1.Time) {
	if started != nil && (*completed == nil || (*completed).Before(started)) {
		*completed = r.stamp()
	}
}
