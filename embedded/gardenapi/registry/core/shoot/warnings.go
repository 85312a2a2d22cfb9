package shoot

import (
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/ineffective"
)

// warnings warns about fields with less effect than they promise, outdated fields and old credentials.
func (r Rules) warnings(ctx context.Context, s, old *core.Shoot) []string {
	return slices.Concat(ineffective.Shoot.Warnings(ctx, s, old), warnOutdated(s, old), warnControlPlane(s, old), r.warnOldCredentials(s, old))
}

func (r Rules) warnOldCredentials(s, old *core.Shoot) []string {
	if old == nil || r.RotationInterval <= 0 || s.DeletionTimestamp != nil {
		return nil
	}
	rotation := &core.ShootCredentialsRotation{}
	if s.Status.Credentials != nil && s.Status.Credentials.Rotation != nil {
		rotation = s.Status.Credentials.Rotation
	}
	var out []string
	check := func(what, operation string, last *metav1.Time) {
		if last == nil {
			last = &s.CreationTimestamp
		}
		if age := time.Since(last.Time); age > r.RotationInterval {
			out = append(out, fmt.Sprintf("%s should be rotated: %s=%s (last done %d days ago)", what, constants.GardenerOperation, operation, int(age.Hours()/24)))
		}
	}
	check("certificate authorities", constants.OperationRotateCAStart, completed(rotation.CertificateAuthorities))
	check("etcd encryption key", constants.OperationRotateETCDEncryptionKeyStart, etcdCompleted(rotation.ETCDEncryptionKey))
	check("service account key", constants.OperationRotateServiceAccountKeyStart, keyCompleted(rotation.ServiceAccountKey))
	return out
}

func completed(r *core.CARotation) *metav1.Time {
	if r == nil {
		return nil
	}
	return r.LastCompletionTime
}

func etcdCompleted(r *core.ETCDEncryptionKeyRotation) *metav1.Time {
	if r == nil {
		return nil
	}
	return r.LastCompletionTime
}

func keyCompleted(r *core.ServiceAccountKeyRotation) *metav1.Time {
	if r == nil {
		return nil
	}
	return r.LastCompletionTime
}
