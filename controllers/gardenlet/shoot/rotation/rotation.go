// Package rotation decides by the status of a Shoot how the rotations of its credentials go on: which ones an operation
// starts or completes, and what a successful run of the flow has finished. It changes nothing in clusters.
package rotation

import (
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Rotations are the rotations of one Shoot at one moment.
type Rotations struct {
	// Status is read and changed.
	Status *gardencorev1beta1.ShootStatus
	// Workers are the present pools of the Shoot.
	Workers []gardencorev1beta1.Worker
	// SSH means that the nodes accept SSH.
	SSH bool
	// Now is the time for the status.
	Now time.Time
}

// of returns the rotations in the status, which it adds if there are none.
func (r Rotations) of() *gardencorev1beta1.ShootCredentialsRotation {
	if r.Status.Credentials == nil {
		r.Status.Credentials = &gardencorev1beta1.ShootCredentials{}
	}
	if r.Status.Credentials.Rotation == nil {
		r.Status.Credentials.Rotation = &gardencorev1beta1.ShootCredentialsRotation{}
	}
	return r.Status.Credentials.Rotation
}

// known returns the rotations in the status, empty ones if there are none.
func known(status *gardencorev1beta1.ShootStatus) gardencorev1beta1.ShootCredentialsRotation {
	if status.Credentials == nil || status.Credentials.Rotation == nil {
		return gardencorev1beta1.ShootCredentialsRotation{}
	}
	return *status.Credentials.Rotation
}

func (r Rotations) stamp() *metav1.Time {
	now := metav1.NewTime(r.Now)
	return &now
}

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

// WithoutAuthorities leaves out operations that start the rotation of certificate authorities. A rotation that has
// begun can be completed.
func WithoutAuthorities(annotation string) string {
	return strings.Join(slices.DeleteFunc(operations(annotation), func(one string) bool {
		return one == constants.OperationRotateCAStart || one == constants.OperationRotateCAStartWithoutWorkersRollout ||
			one == constants.OperationRotateCredentialsStart || one == constants.OperationRotateCredentialsStartWithoutWorkersRollout
	}), constants.GardenerOperationsSeparator)
}

// Unfinished reports whether the next run of the flow has to go on with a rotation without being asked by a user.
func Unfinished(status *gardencorev1beta1.ShootStatus) bool {
	busy := func(phase gardencorev1beta1.CredentialsRotationPhase) bool {
		return phase == gardencorev1beta1.RotationPreparing || phase == gardencorev1beta1.RotationPreparingWithoutWorkersRollout ||
			phase == gardencorev1beta1.RotationCompleting
	}
	all := known(status)
	return all.CertificateAuthorities != nil && busy(all.CertificateAuthorities.Phase) ||
		all.ServiceAccountKey != nil && busy(all.ServiceAccountKey.Phase) ||
		all.ETCDEncryptionKey != nil && busy(all.ETCDEncryptionKey.Phase)
}
