package credentials

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Phases are the phases of all rotations that have phases. An empty phase means that there was no rotation yet.
type Phases struct {
	CA, ServiceAccountKey, EncryptionKey gardencorev1beta1.CredentialsRotationPhase
}

// PhasesOf returns the phases in the status of the Shoot.
func PhasesOf(shoot *gardencorev1beta1.Shoot) Phases {
	var out Phases
	if rotation := rotationOf(shoot); rotation != nil {
		if r := rotation.CertificateAuthorities; r != nil {
			out.CA = r.Phase
		}
		if r := rotation.ServiceAccountKey; r != nil {
			out.ServiceAccountKey = r.Phase
		}
		if r := rotation.ETCDEncryptionKey; r != nil {
			out.EncryptionKey = r.Phase
		}
	}
	return out
}

// Preparing reports whether a rotation is in its first half.
func Preparing(phase gardencorev1beta1.CredentialsRotationPhase) bool {
	return phase == gardencorev1beta1.RotationPreparing || phase == gardencorev1beta1.RotationPreparingWithoutWorkersRollout
}

// rotations returns for the secrets manager when the rotation of each secret was started last.
func rotations(shoot *gardencorev1beta1.Shoot) map[string]time.Time {
	out := map[string]time.Time{}
	note := func(started *metav1.Time, names ...string) {
		for _, name := range names {
			if started != nil {
				out[name] = started.Time
			}
		}
	}
	rotation := rotationOf(shoot)
	if rotation == nil {
		return out
	}
	if r := rotation.CertificateAuthorities; r != nil {
		for _, ca := range authorities {
			note(r.LastInitiationTime, ca.name)
		}
	}
	if r := rotation.ServiceAccountKey; r != nil {
		note(r.LastInitiationTime, constants.SecretNameServiceAccountKey)
	}
	if r := rotation.ETCDEncryptionKey; r != nil {
		note(r.LastInitiationTime, constants.SecretNameETCDEncryptionKey)
	}
	if r := rotation.Kubeconfig; r != nil {
		note(r.LastInitiationTime, constants.SecretNameKubeAPIServerStaticToken)
	}
	if r := rotation.SSHKeypair; r != nil {
		note(r.LastInitiationTime, constants.SecretNameSSHKeyPair)
	}
	if r := rotation.Observability; r != nil {
		note(r.LastInitiationTime, constants.SecretNameObservabilityIngressUsers)
	}
	return out
}

func rotationOf(shoot *gardencorev1beta1.Shoot) *gardencorev1beta1.ShootCredentialsRotation {
	if shoot.Status.Credentials == nil {
		return nil
	}
	return shoot.Status.Credentials.Rotation
}
