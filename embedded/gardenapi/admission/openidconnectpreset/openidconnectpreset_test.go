package openidconnectpreset

import (
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	settings "github.com/gardener-up/gardener-up/embedded/apis/settings/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/admissiontest"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
)

func TestAdmit(t *testing.T) {
	preset := func(namespace, name string) *settings.OpenIDConnectPreset {
		return &settings.OpenIDConnectPreset{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
			Spec:       settings.OpenIDConnectPresetSpec{Weight: 1, Server: settings.KubeAPIServerOpenIDConnect{ClientID: name}},
		}
	}
	broken := preset("garden-p", "x")
	broken.Spec.ShootSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "?"}}}
	for name, tc := range map[string]struct {
		objects       initializer.Objects
		want, refused string
	}{
		"ADM-2 a preset of the namespace fills the configuration": {admissiontest.Objects{preset("garden-p", "a"), preset("garden-q", "b")}, "a", ""},
		"ADM-2 a preset of another namespace does not":            {admissiontest.Objects{preset("garden-q", "b")}, "", ""},
		"a failed look-up is an internal error":                   {admissiontest.Broken{Err: errors.New("boom")}, "", "Internal error"},
		"a broken selector, too":                                  {admissiontest.Objects{broken}, "", "Internal error"},
	} {
		t.Run(name, func(t *testing.T) {
			p := admissiontest.New[*Plugin](Register)
			p.SetObjects(tc.objects)
			s := &core.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p"}}
			admissiontest.WantError(t, admissiontest.Admit(p, admissiontest.Create(s)), tc.refused)
			var got string
			if server := s.Spec.Kubernetes.KubeAPIServer; server != nil {
				got = *server.OIDCConfig.ClientID
			}
			if got != tc.want {
				t.Errorf("preset is %q, want %q", got, tc.want)
			}
		})
	}
	t.Run("other requests", func(t *testing.T) {
		p := admissiontest.New[*Plugin](Register)
		p.SetObjects(admissiontest.Broken{Err: errors.New("boom")})
		admissiontest.WantError(t, admissiontest.Admit(p, admissiontest.Create(&core.Seed{})), "")
	})
}
