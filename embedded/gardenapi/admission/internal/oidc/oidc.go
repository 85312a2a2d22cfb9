// Package oidc applies presets of OpenID Connect to shoots, for the two plugins that find presets.
package oidc

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	settings "github.com/gardener-up/gardener-up/embedded/apis/settings/v1alpha1"
)

// Candidate returns the shoot if presets apply to the request: the creation of a shoot without OpenID Connect settings.
func Candidate(a admission.Attributes) (*core.Shoot, bool) {
	shoot, ok := a.GetObject().(*core.Shoot)
	if !ok || a.GetSubresource() != "" || a.GetOperation() != admission.Create {
		return nil, false
	}
	if server := shoot.Spec.Kubernetes.KubeAPIServer; server != nil && (server.OIDCConfig != nil || server.StructuredAuthentication != nil) {
		return nil, false
	}
	return shoot, true
}

// Choice is the best preset so far. The zero value is no preset.
type Choice struct {
	name string
	spec *settings.OpenIDConnectPresetSpec
}

// Offer chooses a preset if it selects the shoot and beats the current choice: by a higher weight, or by a later name.
func (c *Choice) Offer(name string, spec *settings.OpenIDConnectPresetSpec, shoot *core.Shoot) error {
	matches, err := Selects(spec.ShootSelector, shoot.Labels)
	if err != nil {
		return fmt.Errorf("shoot selector of preset %q: %w", name, err)
	}
	if matches && (c.spec == nil || spec.Weight > c.spec.Weight || spec.Weight == c.spec.Weight && name > c.name) {
		c.name, c.spec = name, spec
	}
	return nil
}

// Selects reports whether a selector, by default one for everything, selects labels.
func Selects(selector *metav1.LabelSelector, set map[string]string) (bool, error) {
	if selector == nil {
		return true, nil
	}
	parsed, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		return false, err
	}
	return parsed.Matches(labels.Set(set)), nil
}

// Apply copies the chosen preset, if any, to the shoot.
func (c *Choice) Apply(shoot *core.Shoot) {
	if c.spec == nil {
		return
	}
	preset := c.spec.DeepCopy() // it is shared
	config := &core.OIDCConfig{
		CABundle: preset.Server.CABundle, ClientID: ptr.To(preset.Server.ClientID), GroupsClaim: preset.Server.GroupsClaim,
		GroupsPrefix: preset.Server.GroupsPrefix, IssuerURL: ptr.To(preset.Server.IssuerURL), RequiredClaims: preset.Server.RequiredClaims,
		SigningAlgs: preset.Server.SigningAlgs, UsernameClaim: preset.Server.UsernameClaim, UsernamePrefix: preset.Server.UsernamePrefix,
	}
	if preset.Client != nil {
		config.ClientAuthentication = &core.OpenIDConnectClientAuthentication{Secret: preset.Client.Secret, ExtraConfig: preset.Client.ExtraConfig}
	}
	if shoot.Spec.Kubernetes.KubeAPIServer == nil {
		shoot.Spec.Kubernetes.KubeAPIServer = &core.KubeAPIServerConfig{}
	}
	shoot.Spec.Kubernetes.KubeAPIServer.OIDCConfig = config
}
