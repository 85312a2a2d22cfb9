package authentication

import (
	"testing"

	authentication "github.com/gardener-up/gardener-up/embedded/apis/authentication/v1alpha1"
)

func TestExpiration(t *testing.T) {
	for name, tc := range map[string]struct {
		seconds int64
		valid   bool
	}{
		"AKC-1 ten minutes is the shortest life": {seconds: 600, valid: true},
		"AKC-1 less than ten minutes is refused": {seconds: 599},
		"AKC-1 more than 32 bits is refused":     {seconds: 1 << 32},
	} {
		t.Run(name, func(t *testing.T) {
			admin := &authentication.AdminKubeconfigRequest{Spec: authentication.AdminKubeconfigRequestSpec{ExpirationSeconds: &tc.seconds}}
			viewer := &authentication.ViewerKubeconfigRequest{Spec: authentication.ViewerKubeconfigRequestSpec{ExpirationSeconds: &tc.seconds}}
			if got := len(ValidateAdminKubeconfigRequest(admin)) == 0; got != tc.valid {
				t.Errorf("admin request with %d seconds is valid: %t", tc.seconds, got)
			}
			if got := len(ValidateViewerKubeconfigRequest(viewer)) == 0; got != tc.valid {
				t.Errorf("viewer request with %d seconds is valid: %t", tc.seconds, got)
			}
		})
	}
}
