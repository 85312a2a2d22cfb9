package rotation

import (
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Start records in the status which rotations the operation annotation starts or completes. It ignores what the phase of a
// rotation does not allow.
func (r Rotations) Start(annotation string) {
	asked := operations(annotation)
	any := func(names ...string) bool {
		return slices.ContainsFunc(asked, func(name string) bool { return slices.Contains(names, name) })
	}
	r.startAuthorities(any)
	r.startServiceAccountKey(any)
	r.startEncryptionKey(any)
	r.startSimple(any)
	for _, one := range asked {
		r.rollOut(one)
	}
	r.complete(any)
}

// Names of the operations that start all rotations, with and without new workers.
const (
	all        = constants.OperationRotateCredentialsStart
	allWithout = constants.OperationRotateCredentialsStartWithoutWorkersRollout
)

func startable(phase gardencorev1beta1.CredentialsRotationPhase) bool {
	return phase == "" || phase == gardencorev1beta1.RotationCompleted
}

func (r Rotations) startAuthorities(any func(...string) bool) {
	without := any(allWithout, constants.OperationRotateCAStartWithoutWorkersRollout)
	if !without && !any(all, constants.OperationRotateCAStart) {
		return
	}
	last := ptr.Deref(r.of().CertificateAuthorities, gardencorev1beta1.CARotation{})
	if !startable(last.Phase) {
		return
	}
	next := &gardencorev1beta1.CARotation{Phase: gardencorev1beta1.RotationPreparing, LastInitiationTime: r.stamp(), LastCompletionTime: last.LastCompletionTime}
	if without {
		next.Phase, next.PendingWorkersRollouts = gardencorev1beta1.RotationPreparingWithoutWorkersRollout, r.pending(last.LastInitiationTime)
	}
	r.of().CertificateAuthorities = next
}

func (r Rotations) startServiceAccountKey(any func(...string) bool) {
	without := any(allWithout, constants.OperationRotateServiceAccountKeyStartWithoutWorkersRollout)
	if !without && !any(all, constants.OperationRotateServiceAccountKeyStart) {
		return
	}
	last := ptr.Deref(r.of().ServiceAccountKey, gardencorev1beta1.ServiceAccountKeyRotation{})
	if !startable(last.Phase) {
		return
	}
	next := &gardencorev1beta1.ServiceAccountKeyRotation{Phase: gardencorev1beta1.RotationPreparing, LastInitiationTime: r.stamp(), LastCompletionTime: last.LastCompletionTime}
	if without {
		next.Phase, next.PendingWorkersRollouts = gardencorev1beta1.RotationPreparingWithoutWorkersRollout, r.pending(last.LastInitiationTime)
	}
	r.of().ServiceAccountKey = next
}

func (r Rotations) startEncryptionKey(any func(...string) bool) {
	alone := any(constants.OperationRotateETCDEncryptionKey)
	if !alone && !any(all, allWithout, constants.OperationRotateETCDEncryptionKeyStart) {
		return
	}
	last := ptr.Deref(r.of().ETCDEncryptionKey, gardencorev1beta1.ETCDEncryptionKeyRotation{})
	if !startable(last.Phase) {
		return
	}
	r.of().ETCDEncryptionKey = &gardencorev1beta1.ETCDEncryptionKeyRotation{
		Phase: gardencorev1beta1.RotationPreparing, LastInitiationTime: r.stamp(), LastCompletionTime: last.LastCompletionTime,
		AutoCompleteAfterPrepared: ptr.To(alone),
	}
}

// StartsSSHKeypair reports whether an operation annotation starts the rotation of the SSH key of the nodes.
func StartsSSHKeypair(annotation string) bool {
	return slices.ContainsFunc(operations(annotation), func(one string) bool {
		return one == all || one == allWithout || one == constants.ShootOperationRotateSSHKeypair
	})
}

// startSimple starts the rotations without phases. They may start at any time.
func (r Rotations) startSimple(any func(...string) bool) {
	if any(all, allWithout, constants.ShootOperationRotateKubeconfigCredentials) {
		last := ptr.Deref(r.of().Kubeconfig, gardencorev1beta1.ShootKubeconfigRotation{})
		r.of().Kubeconfig = &gardencorev1beta1.ShootKubeconfigRotation{LastInitiationTime: r.stamp(), LastCompletionTime: last.LastCompletionTime}
	}
	if r.SSH && any(all, allWithout, constants.ShootOperationRotateSSHKeypair) {
		last := ptr.Deref(r.of().SSHKeypair, gardencorev1beta1.ShootSSHKeypairRotation{})
		r.of().SSHKeypair = &gardencorev1beta1.ShootSSHKeypairRotation{LastInitiationTime: r.stamp(), LastCompletionTime: last.LastCompletionTime}
	}
	if any(all, allWithout, constants.ShootOperationRotateObservabilityCredentials) {
		last := ptr.Deref(r.of().Observability, gardencorev1beta1.ObservabilityRotation{})
		r.of().Observability = &gardencorev1beta1.ObservabilityRotation{LastInitiationTime: r.stamp(), LastCompletionTime: last.LastCompletionTime}
	}
}

// complete advances rotations that are prepared; it does not change others.
func (r Rotations) complete(any func(...string) bool) {
	const allComplete = constants.OperationRotateCredentialsComplete
	have := known(r.Status)
	if x := have.CertificateAuthorities; x != nil && x.Phase == gardencorev1beta1.RotationPrepared && any(allComplete, constants.OperationRotateCAComplete) {
		x.Phase, x.LastCompletionTriggeredTime = gardencorev1beta1.RotationCompleting, r.stamp()
	}
	if x := have.ServiceAccountKey; x != nil && x.Phase == gardencorev1beta1.RotationPrepared && any(allComplete, constants.OperationRotateServiceAccountKeyComplete) {
		x.Phase, x.LastCompletionTriggeredTime = gardencorev1beta1.RotationCompleting, r.stamp()
	}
	if x := have.ETCDEncryptionKey; x != nil && x.Phase == gardencorev1beta1.RotationPrepared && any(allComplete, constants.OperationRotateETCDEncryptionKeyComplete) {
		x.Phase, x.LastCompletionTriggeredTime = gardencorev1beta1.RotationCompleting, r.stamp()
	}
}

// rollOut records which pools an operation rolls out.
func (r Rotations) rollOut(operation string) {
	name, list, _ := strings.Cut(operation, "=")
	pools := strings.Split(list, ",")
	switch name {
	case constants.ShootOperationRotateRolloutWorkers:
		r.rollOutForRotation(pools)
	case constants.ShootOperationRolloutWorkers:
		r.rollOutByHand(pools)
	}
}
