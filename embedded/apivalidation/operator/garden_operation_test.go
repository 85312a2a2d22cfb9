package operator_test

import (
	"strings"
	"testing"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apivalidation/operator"
)

func TestValidateGardenOperation(t *testing.T) {
	for name, tc := range map[string]struct {
		operation                   string
		fixed                       operator.Fixed
		authorities, account, etcds gardencorev1beta1.CredentialsRotationPhase
		want                        string // empty: it is allowed
	}{
		"OPR-29 authorities rotate":                          {operation: "rotate-ca-start"},
		"OPR-29 authorities of a host may be fixed":          {operation: "rotate-ca-start", fixed: operator.Fixed{Authorities: true}, want: "does not rotate the certificate authorities"},
		"OPR-29 only what is Prepared is completed":          {operation: "rotate-ca-complete", account: "Prepared", etcds: "Prepared", want: "needs rotations in phase Prepared"},
		"OPR-29 authorities that are Prepared are completed": {operation: "rotate-ca-complete", authorities: "Prepared"},
		"OPR-29 all are completed together":                  {operation: "rotate-credentials-complete", authorities: "Prepared", account: "Prepared", etcds: "Prepared"},
		"OPR-29 all are not completed if one is not":         {operation: "rotate-credentials-complete", authorities: "Preparing", account: "Prepared", etcds: "Prepared", want: "needs rotations in phase Prepared"},
		"OPR-29 fixed authorities do not hold up the rest":   {operation: "rotate-credentials-complete", fixed: operator.Fixed{Authorities: true}, account: "Prepared", etcds: "Prepared"},
		"OPR-29 fixed keys do not hold up the authorities":   {operation: "rotate-credentials-complete", fixed: operator.Fixed{ServiceAccountKey: true, EncryptionKey: true}, authorities: "Prepared"},
		"OPR-29 the password of observability rotates":       {operation: "rotate-observability-credentials"},
		"OPR-29 a host may have no observability":            {operation: "rotate-observability-credentials", fixed: operator.Fixed{Observability: true}, want: "does not rotate the password of observability"},
		"OPR-29 nothing starts while it runs":                {operation: "rotate-credentials-start", authorities: "Prepared", want: "cannot start"},
	} {
		t.Run(name, func(t *testing.T) {
			g := garden()
			g.Annotations = map[string]string{"gardener.cloud/operation": tc.operation}
			g.Status.LastOperation = &gardencorev1beta1.LastOperation{Type: gardencorev1beta1.LastOperationTypeReconcile, State: gardencorev1beta1.LastOperationStateSucceeded}
			g.Status.Credentials = &operatorv1alpha1.Credentials{Rotation: &operatorv1alpha1.CredentialsRotation{
				CertificateAuthorities: &gardencorev1beta1.CARotation{Phase: tc.authorities},
				ServiceAccountKey:      &gardencorev1beta1.ServiceAccountKeyRotation{Phase: tc.account},
				ETCDEncryptionKey:      &gardencorev1beta1.ETCDEncryptionKeyRotation{Phase: tc.etcds},
			}}
			err := operator.ValidateGardenOperation(g, operator.Host{Fixed: tc.fixed}).ToAggregate()
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}
