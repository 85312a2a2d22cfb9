package oidc

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	settings "github.com/gardener-up/gardener-up/embedded/apis/settings/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/admissiontest"
)

func shoot(version string, server *core.KubeAPIServerConfig) *core.Shoot {
	s := &core.Shoot{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"a": "b"}}}
	s.Spec.Kubernetes.Version, s.Spec.Kubernetes.KubeAPIServer = version, server
	return s
}

func TestCandidate(t *testing.T) {
	silent := shoot("1.31.2", &core.KubeAPIServerConfig{})
	for name, tc := range map[string]struct {
		request admission.Attributes
		want    bool
	}{
		"ADM-2 a new shoot":                  {admissiontest.Create(silent), true},
		"ADM-2 an existing shoot":            {admissiontest.Update(silent, silent), false},
		"ADM-2 a shoot with a configuration": {admissiontest.Create(shoot("1.31.2", &core.KubeAPIServerConfig{OIDCConfig: &core.OIDCConfig{}})), false},
		"a shoot with the newer form of it":  {admissiontest.Create(shoot("1.31.2", &core.KubeAPIServerConfig{StructuredAuthentication: &core.StructuredAuthentication{}})), false},
		"another kind":                       {admissiontest.Create(&core.Seed{}), false},
	} {
		t.Run(name, func(t *testing.T) {
			if _, got := Candidate(tc.request); got != tc.want {
				t.Errorf("got %t, want %t", got, tc.want)
			}
		})
	}
}

func TestChoice(t *testing.T) {
	preset := func(weight int32, labels map[string]string) *settings.OpenIDConnectPresetSpec {
		return &settings.OpenIDConnectPresetSpec{Weight: weight, ShootSelector: &metav1.LabelSelector{MatchLabels: labels}}
	}
	for name, tc := range map[string]struct {
		presets map[string]*settings.OpenIDConnectPresetSpec
		want    string
	}{
		"ADM-2 the highest weight wins":            {map[string]*settings.OpenIDConnectPresetSpec{"x": preset(1, nil), "y": preset(9, nil), "z": preset(5, nil)}, "y"},
		"ADM-2 of the same weight, the later name": {map[string]*settings.OpenIDConnectPresetSpec{"x": preset(5, nil), "z": preset(5, nil), "y": preset(5, nil)}, "z"},
		"ADM-2 those that select the shoot only":   {map[string]*settings.OpenIDConnectPresetSpec{"x": preset(1, map[string]string{"a": "b"}), "y": preset(9, map[string]string{"a": "c"})}, "x"},
		"without selector it is for all":           {map[string]*settings.OpenIDConnectPresetSpec{"x": {Weight: 1}}, "x"},
		"none":                                     {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := shoot("1.31.0", nil)
			var choice Choice
			for name, spec := range tc.presets {
				spec.Server.ClientID = name
				admissiontest.WantError(t, choice.Offer(name, spec, s), "")
			}
			choice.Apply(s)
			var got string
			if server := s.Spec.Kubernetes.KubeAPIServer; server != nil {
				got = *server.OIDCConfig.ClientID
			}
			if got != tc.want {
				t.Errorf("chose %q, want %q", got, tc.want)
			}
		})
	}
	t.Run("a broken selector is told", func(t *testing.T) {
		broken := &settings.OpenIDConnectPresetSpec{ShootSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "?"}}}}
		admissiontest.WantError(t, (&Choice{}).Offer("x", broken, shoot("1.31.0", nil)), `preset "x"`)
	})
	t.Run("every field is copied", func(t *testing.T) {
		spec := &settings.OpenIDConnectPresetSpec{
			Server: settings.KubeAPIServerOpenIDConnect{
				CABundle: ptr.To("ca"), ClientID: "id", GroupsClaim: ptr.To("g"), GroupsPrefix: ptr.To("gp"), IssuerURL: "https://i",
				RequiredClaims: map[string]string{"a": "b"}, SigningAlgs: []string{"RS256"}, UsernameClaim: ptr.To("u"), UsernamePrefix: ptr.To("up"),
			},
			Client: &settings.OpenIDConnectClientAuthentication{Secret: ptr.To("s"), ExtraConfig: map[string]string{"c": "d"}},
		}
		s := shoot("1.31.0", nil)
		choice := Choice{spec: spec}
		choice.Apply(s)
		want := &core.OIDCConfig{
			CABundle: ptr.To("ca"), ClientID: ptr.To("id"), GroupsClaim: ptr.To("g"), GroupsPrefix: ptr.To("gp"), IssuerURL: ptr.To("https://i"),
			RequiredClaims: map[string]string{"a": "b"}, SigningAlgs: []string{"RS256"}, UsernameClaim: ptr.To("u"), UsernamePrefix: ptr.To("up"),
			ClientAuthentication: &core.OpenIDConnectClientAuthentication{Secret: ptr.To("s"), ExtraConfig: map[string]string{"c": "d"}},
		}
		if diff := cmp.Diff(want, s.Spec.Kubernetes.KubeAPIServer.OIDCConfig); diff != "" {
			t.Errorf("configuration (-want +got):\n%s", diff)
		}
	})
}
