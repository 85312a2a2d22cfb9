// Package rotation rotates the credentials of a Garden: it keeps the phases in its status, has the host make and drop keys, and brings
// the new ones to all who use them. The rules about phases are those of Shoots.
package rotation

import (
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	shootrotation "github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/rotation"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// Start records in the status what the operations start or complete, of what the host rotates. It ignores what the phase of a rotation
// does not allow.
func Start(status *operatorv1alpha1.GardenStatus, operations string, can host.Credentials, now time.Time) {
	change(status, func(r shootrotation.Rotations) {
		before := r.Status.DeepCopy()
		r.Start(operations)
		next, last := rotations(r.Status), rotations(before)
		next.Kubeconfig, next.SSHKeypair = nil, nil // a Garden has none
		if !can.Observability {
			next.Observability = last.Observability
		} else if repeated(next.Observability, last.Observability) {
			next.Observability.LastInitiationTime = &metav1.Time{Time: last.Observability.LastInitiationTime.Add(time.Second)}
		}
		if can.Authorities == nil {
			next.CertificateAuthorities = last.CertificateAuthorities
		}
		if can.ServiceAccountKey == nil {
			next.ServiceAccountKey = last.ServiceAccountKey
		}
		if can.EncryptionKey == nil {
			next.ETCDEncryptionKey = last.ETCDEncryptionKey
		}
	}, now)
}

// repeated reports whether a rotation has begun in the second in which the one before began. Statuses and passwords tell them apart by
// seconds.
func repeated(next, last *gardencorev1beta1.ObservabilityRotation) bool {
	begun := func(r *gardencorev1beta1.ObservabilityRotation) bool { return r != nil && r.LastInitiationTime != nil }
	return begun(next) && begun(last) && !next.LastInitiationTime.Equal(last.LastInitiationTime) &&
		next.LastInitiationTime.Unix() <= last.LastInitiationTime.Unix()
}

// Finish records which phases a successful reconciliation has completed.
func Finish(status *operatorv1alpha1.GardenStatus, now time.Time) {
	if of := status.Credentials; of != nil && of.Rotation != nil && of.Rotation.Observability != nil {
		if begun := of.Rotation.Observability.LastInitiationTime; begun != nil && begun.After(now) { // the second one of a second
			now = begun.Time
		}
	}
	change(status, func(r shootrotation.Rotations) {
		r.Finish(shootrotation.EncryptionKey{Rewritten: true, Single: true}) // each step before is an error otherwise
	}, now)
}

// Unfinished reports whether the next reconciliation has to go on with a rotation without being asked.
func Unfinished(status *operatorv1alpha1.GardenStatus) bool {
	return shootrotation.Unfinished(ofShoot(status))
}

// Changes reports whether Start would change anything, or has done so for the same operations before.
func Changes(status *operatorv1alpha1.GardenStatus, operations string, can host.Credentials) bool {
	if Unfinished(status) && IsRotation(operations) { // what it asks for may have been noted just before a crash
		return true
	}
	next := status.DeepCopy()
	Start(next, operations, can, time.Now())
	return !equality.Semantic.DeepEqual(status, next)
}

// IsRotation reports whether the annotation asks for rotations.
func IsRotation(operations string) bool {
	return slices.ContainsFunc(strings.Split(operations, constants.GardenerOperationsSeparator), func(one string) bool {
		return strings.HasPrefix(strings.TrimSpace(one), "rotate-")
	})
}

// change applies the rules for Shoots to the status of a Garden.
func change(status *operatorv1alpha1.GardenStatus, do func(shootrotation.Rotations), now time.Time) {
	shoot := ofShoot(status)
	do(shootrotation.Rotations{Status: shoot, Now: now})
	next := rotations(shoot)
	if equality.Semantic.DeepEqual(*next, gardencorev1beta1.ShootCredentialsRotation{}) {
		return
	}
	if status.Credentials == nil {
		status.Credentials = &operatorv1alpha1.Credentials{}
	}
	if status.Credentials.Rotation == nil {
		status.Credentials.Rotation = &operatorv1alpha1.CredentialsRotation{}
	}
	rotation := status.Credentials.Rotation
	rotation.CertificateAuthorities, rotation.ServiceAccountKey = next.CertificateAuthorities, next.ServiceAccountKey
	rotation.ETCDEncryptionKey, rotation.Observability = next.ETCDEncryptionKey, next.Observability
}

// ofShoot is the status of a Shoot with the rotations of the Garden.
func ofShoot(status *operatorv1alpha1.GardenStatus) *gardencorev1beta1.ShootStatus {
	rotation := &gardencorev1beta1.ShootCredentialsRotation{}
	if status.Credentials != nil && status.Credentials.Rotation != nil {
		of := status.Credentials.Rotation.DeepCopy()
		rotation.CertificateAuthorities, rotation.ServiceAccountKey = of.CertificateAuthorities, of.ServiceAccountKey
		rotation.ETCDEncryptionKey, rotation.Observability = of.ETCDEncryptionKey, of.Observability
	}
	return &gardencorev1beta1.ShootStatus{Credentials: &gardencorev1beta1.ShootCredentials{Rotation: rotation}}
}

func rotations(status *gardencorev1beta1.ShootStatus) *gardencorev1beta1.ShootCredentialsRotation {
	return status.Credentials.Rotation
}
