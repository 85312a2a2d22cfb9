package rotation

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/operator/host"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// Plan is what one reconciliation does for the rotations of a Garden.
type Plan struct {
	Authorities, ServiceAccountKey, EncryptionKey Phase
	// Password is when the last rotation of the password of observability began; zero if there was none.
	Password time.Time
}

// Phase of one rotation in a reconciliation.
type Phase struct {
	Preparing, Completing bool
	Began                 time.Time
}

// PlanOf reads the phases of a Garden, of what the host rotates.
func PlanOf(status *operatorv1alpha1.GardenStatus, can host.Credentials) (p Plan) {
	of := rotations(ofShoot(status))
	if r := of.CertificateAuthorities; r != nil && can.Authorities != nil {
		p.Authorities = phase(r.Phase, r.LastInitiationTime)
	}
	if r := of.ServiceAccountKey; r != nil && can.ServiceAccountKey != nil {
		p.ServiceAccountKey = phase(r.Phase, r.LastInitiationTime)
	}
	if r := of.ETCDEncryptionKey; r != nil && can.EncryptionKey != nil {
		p.EncryptionKey = phase(r.Phase, r.LastInitiationTime)
	}
	if r := of.Observability; r != nil && can.Observability && r.LastInitiationTime != nil {
		p.Password = r.LastInitiationTime.Time
	}
	return p
}

func phase(phase gardencorev1beta1.CredentialsRotationPhase, began *metav1.Time) Phase {
	p := Phase{Preparing: phase == gardencorev1beta1.RotationPreparing, Completing: phase == gardencorev1beta1.RotationCompleting}
	if began != nil {
		p.Began = began.Time
	}
	return p
}
