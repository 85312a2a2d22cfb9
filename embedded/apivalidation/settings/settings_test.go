package settings

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	settings "github.com/gardener-up/gardener-up/embedded/apis/settings/v1alpha1"
)

func TestClusterOpenIDConnectPreset(t *testing.T) {
	preset := &settings.ClusterOpenIDConnectPreset{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	preset.Spec.Server = settings.KubeAPIServerOpenIDConnect{ClientID: "a", IssuerURL: "https://issuer"}
	preset.Spec.Weight = 1
	settings.SetObjectDefaults_ClusterOpenIDConnectPreset(preset)
	if errs := ValidateClusterOpenIDConnectPreset(preset); len(errs) > 0 {
		t.Fatalf("API-36 a complete preset is invalid: %v", errs)
	}
	preset.Spec.Weight = 101
	preset.Spec.Server.IssuerURL = "http://issuer"
	preset.Spec.Server.SigningAlgs = []string{"none"}
	if errs := ValidateClusterOpenIDConnectPreset(preset); len(errs) != 3 {
		t.Errorf("API-36 wrong weight, issuer and algorithm: %v", errs)
	}
}
