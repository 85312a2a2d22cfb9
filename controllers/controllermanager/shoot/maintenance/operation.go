package maintenance

import (
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// rotationPeriod is the default period of automatic rotations of credentials.
const rotationPeriod = 7 * 24 * time.Hour

// operation returns the operation that the user requested for the window, or else one that the Shoot needs. It does not
// replace an operation that is already requested; the maintenance operation then waits for the next window.
func (p *Plan) operation(now time.Time) {
	annotations := p.Shoot.Annotations
	if annotations[constants.GardenerOperation] != "" {
		return
	}
	switch {
	case annotations[constants.GardenerMaintenanceOperation] != "":
		p.Operation = annotations[constants.GardenerMaintenanceOperation]
		delete(annotations, constants.GardenerMaintenanceOperation)
	case annotations[constants.FailedShootNeedsRetryOperation] == "true":
		delete(annotations, constants.FailedShootNeedsRetryOperation)
		if last := p.Shoot.Status.LastOperation; last != nil && last.State == gardencorev1beta1.LastOperationStateFailed {
			p.Operation = constants.ShootOperationRetry
		}
	}
	if p.Operation == "" {
		p.Operation = strings.Join(dueRotations(p.Shoot, now), constants.GardenerOperationsSeparator)
	}
	if p.Operation == "" && helper.ConfinesChanges(p.Shoot) {
		p.Operation = constants.GardenerOperationReconcile // changes that were deferred to this window
	}
	if p.Operation != "" {
		metav1.SetMetaDataAnnotation(&p.Shoot.ObjectMeta, constants.GardenerOperation, p.Operation)
	}
}

// RotateSSHKey adds the rotation of the SSH key of the nodes to the operations of the plan, unless there is one that cannot be combined.
func (p *Plan) RotateSSHKey() {
	asked := p.Shoot.Annotations[constants.GardenerOperation]
	if !helper.WantsSSHAccess(p.Shoot) || helper.HibernationIsEnabled(p.Shoot) || p.Shoot.Status.IsHibernated || asked != p.Operation {
		return
	}
	operations := []string{constants.ShootOperationRotateSSHKeypair}
	switch {
	case asked == "" || asked == constants.GardenerOperationReconcile: // which every rotation includes
	case asked == constants.ShootOperationRetry:
		return
	default:
		others := strings.Split(asked, constants.GardenerOperationsSeparator)
		if slices.Contains(others, constants.ShootOperationRotateSSHKeypair) {
			return
		}
		operations = helper.WithoutSwallowed(append(others, operations...))
	}
	p.Operation = strings.Join(operations, constants.GardenerOperationsSeparator)
	metav1.SetMetaDataAnnotation(&p.Shoot.ObjectMeta, constants.GardenerOperation, p.Operation)
}

// dueRotations returns the automatic rotations of the Shoot that are due.
func dueRotations(shoot *gardencorev1beta1.Shoot, now time.Time) []string {
	m := shoot.Spec.Maintenance
	if m == nil || m.AutoRotation == nil || m.AutoRotation.Credentials == nil || helper.HibernationIsEnabled(shoot) {
		return nil
	}
	wanted := m.AutoRotation.Credentials
	done := &gardencorev1beta1.ShootCredentialsRotation{}
	if c := shoot.Status.Credentials; c != nil && c.Rotation != nil {
		done = c.Rotation
	}
	isDue := func(config *gardencorev1beta1.MaintenanceRotationConfig, last *metav1.Time) bool {
		period := rotationPeriod
		if config != nil && config.RotationPeriod != nil {
			period = config.RotationPeriod.Duration
		}
		return config != nil && period > 0 && !now.Before(ptr.Deref(last, shoot.CreationTimestamp).Add(period))
	}
	var due []string
	if r := ptr.Deref(done.SSHKeypair, gardencorev1beta1.ShootSSHKeypairRotation{}); helper.WantsSSHAccess(shoot) && isDue(wanted.SSHKeypair, r.LastInitiationTime) {
		due = append(due, constants.ShootOperationRotateSSHKeypair)
	}
	if r := ptr.Deref(done.Observability, gardencorev1beta1.ObservabilityRotation{}); isDue(wanted.Observability, r.LastInitiationTime) {
		due = append(due, constants.ShootOperationRotateObservabilityCredentials)
	}
	r := ptr.Deref(done.ETCDEncryptionKey, gardencorev1beta1.ETCDEncryptionKeyRotation{})
	if resting := r.Phase == "" || r.Phase == gardencorev1beta1.RotationCompleted; resting && isDue(wanted.ETCDEncryptionKey, r.LastInitiationTime) {
		due = append(due, constants.OperationRotateETCDEncryptionKey)
	}
	return due
}
