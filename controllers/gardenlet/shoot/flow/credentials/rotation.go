package credentials

import (
	"maps"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

type phases struct {
	ca, serviceAccountKey, encryptionKey gardencorev1beta1.CredentialsRotationPhase
}

// phasesOf returns the phases of all rotations that have phases.
func phasesOf(shoot *gardencorev1beta1.Shoot) phases {
	var out phases
	if rotation := rotationOf(shoot); rotation != nil {
		if r := rotation.CertificateAuthorities; r != nil {
			out.ca = r.Phase
		}
		if r := rotation.ServiceAccountKey; r != nil {
			out.serviceAccountKey = r.Phase
		}
		if r := rotation.ETCDEncryptionKey; r != nil {
			out.encryptionKey = r.Phase
		}
	}
	return out
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
	return maps.Clone(out)
}

func rotationOf(shoot *gardencorev1beta1.Shoot) *gardencorev1beta1.ShootCredentialsRotation {
	if shoot.Status.Credentials == nil {
		return nil
	}
	return shoot.Status.Credentials.Rotation
}
