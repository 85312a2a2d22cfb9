package settings

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	settings "github.com/gardener-up/gardener-up/embedded/apis/settings/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apivalidation/internal/mistakes"
)

func TestPresetContract(t *testing.T) {
	R := mistakes.R
	valid := func() *settings.OpenIDConnectPreset {
		preset := &settings.OpenIDConnectPreset{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "garden-a"}, Spec: settings.OpenIDConnectPresetSpec{
			Weight: 1, Server: settings.KubeAPIServerOpenIDConnect{ClientID: "a", IssuerURL: "https://issuer"},
		}}
		settings.SetObjectDefaults_OpenIDConnectPreset(preset)
		return preset
	}
	mistakes.Check(t, valid, ValidateOpenIDConnectPreset,
		R("API-36 a preset has a client", "spec.server.clientID", `""`),
		R("API-36 an issuer is reached by https", "spec.server.issuerURL", `"http://a"`),
		R("API-36 certificates are in PEM", "spec.server.caBundle", `"x"`),
		R("API-36 claims have values", "spec.server.requiredClaims", `{"a":""}`, "spec.server.requiredClaims[a]"),
		R("API-36 a claim of groups says something", "spec.server.groupsClaim", `""`),
		R("API-36 a prefix of groups says something", "spec.server.groupsPrefix", `""`),
		R("API-36 a claim of users says something", "spec.server.usernameClaim", `""`),
		R("API-36 a prefix of users says something", "spec.server.usernamePrefix", `""`),
		R("API-36 algorithms are known and named once", "spec.server.signingAlgs", `["RS256","none","RS256"]`, "spec.server.signingAlgs[1]", "spec.server.signingAlgs[2]"),
		R("API-36 what a preset provides is not said twice", "spec.client", `{"extraConfig":{"client-id":"a"}}`, "spec.client.extraConfig[client-id]"),
		R("API-36 a selector is one", "spec.shootSelector", `{"matchLabels":{"a b":"c"}}`, "spec.shootSelector.matchLabels"),
		R("API-36 a weight is at least 1", "spec.weight", `0`),
		R("API-36 a weight is 100 at most", "spec.weight", `101`),
	)
	cluster := func() *settings.ClusterOpenIDConnectPreset {
		return &settings.ClusterOpenIDConnectPreset{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Spec: settings.ClusterOpenIDConnectPresetSpec{OpenIDConnectPresetSpec: valid().Spec}}
	}
	mistakes.Check(t, cluster, ValidateClusterOpenIDConnectPreset,
		R("API-36 a selector of projects is one", "spec.projectSelector", `{"matchLabels":{"a b":"c"}}`, "spec.projectSelector.matchLabels"),
		R("API-36 presets of the cluster are checked, too", "spec.weight", `0`),
	)
}
