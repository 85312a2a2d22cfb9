package oidcwebhook

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/plugin/pkg/authenticator/token/oidc"
	"k8s.io/utils/ptr"

	oidcv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/openidconnect/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/guardeddial"
)

// provider verifies the tokens of one OpenIDConnect.
type provider struct {
	name       string
	uid        types.UID
	generation int64
	oidc.AuthenticatorTokenWithHealthCheck
	client *guarded
	// looked is set when the reconciler has seen the provider without keys. Nobody else uses it.
	looked bool
	// stop ends the requests to the server of the provider.
	stop func()
}

// newProvider does not wait for the server of the provider; until that has answered, no token is valid.
func newProvider(ctx context.Context, object *oidcv1alpha1.OpenIDConnect, dial Dial) (*provider, error) {
	guard, err := newGuarded(object.Spec.CABundle, dial)
	if err != nil {
		return nil, err
	}
	client := guard.client()
	ctx, cancel := context.WithCancel(ctx)
	stop := func() { cancel(); client.CloseIdleConnections() }
	verifier, err := oidc.New(ctx, oidc.Options{JWTAuthenticator: rules(object), SupportedSigningAlgs: algorithms(object), Client: client})
	if err != nil {
		stop()
		return nil, fmt.Errorf("spec: %w", err)
	}
	return &provider{name: object.Name, uid: object.UID, generation: object.Generation, AuthenticatorTokenWithHealthCheck: verifier, client: guard, stop: stop}, nil
}

// problem says why the provider verifies no tokens; nil means that it does. It tells the user of a shoot no more about the
// network of the seed than that an address is refused.
func (p *provider) problem() error {
	if p.HealthCheck() == nil {
		return nil
	}
	var refused *guardeddial.RefusedError
	if err := p.client.failure(); errors.As(err, &refused) || errors.Is(err, errNotHTTPS) || errors.Is(err, errTooLong) {
		return err
	}
	return errors.New("its issuer has not answered with a discovery document that names spec.issuerURL and with a certificate of spec.caBundle")
}

// rules are the settings of an object in the words of kube-apiserver. Names that Kubernetes or Gardener reserve are refused,
// since who may write OpenIDConnects would be an administrator of the cluster, or of the landscape, otherwise.
func rules(object *oidcv1alpha1.OpenIDConnect) apiserver.JWTAuthenticator {
	spec := object.Spec
	out := apiserver.JWTAuthenticator{
		Issuer: apiserver.Issuer{URL: spec.IssuerURL, Audiences: []string{spec.ClientID}},
		ClaimMappings: apiserver.ClaimMappings{
			Username: apiserver.PrefixedClaimOrExpression{Claim: ptr.Deref(spec.UsernameClaim, "sub"), Prefix: prefix(spec.UsernamePrefix, object.Name)},
			Groups:   apiserver.PrefixedClaimOrExpression{Claim: ptr.Deref(spec.GroupsClaim, "groups"), Prefix: prefix(spec.GroupsPrefix, object.Name)},
		},
	}
	for _, reserved := range []string{"system:", "gardener.cloud:"} {
		out.UserValidationRules = append(out.UserValidationRules,
			apiserver.UserValidationRule{Expression: "!user.username.startsWith('" + reserved + "')", Message: "names of users must not begin with " + reserved},
			apiserver.UserValidationRule{Expression: "user.groups.all(group, !group.startsWith('" + reserved + "'))", Message: "names of groups must not begin with " + reserved},
		)
	}
	for claim, value := range spec.RequiredClaims {
		out.ClaimValidationRules = append(out.ClaimValidationRules, apiserver.ClaimValidationRule{Claim: claim, RequiredValue: value})
	}
	return out
}

func prefix(configured *string, name string) *string {
	switch {
	case configured == nil:
		return ptr.To(name + "/")
	case *configured == oidcv1alpha1.NoPrefix:
		return ptr.To("")
	}
	return configured
}

func algorithms(object *oidcv1alpha1.OpenIDConnect) []string {
	var out []string
	for _, algorithm := range object.Spec.SupportedSigningAlgs {
		out = append(out, string(algorithm))
	}
	return out
}
