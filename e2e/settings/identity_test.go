package settings

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/gardener-up/gardener-up/e2e/framework"
	"github.com/gardener-up/gardener-up/embedded/testissuer"
)

const (
	project   = "garden-local"
	technical = "shoot--local--people"
	webhook   = "oidc-webhook-authenticator"
)

// authentication are the built-in providers of an API server.
const authentication = `apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
jwt:
- issuer: {url: %q, audiences: [app], certificateAuthority: %q}
  claimMappings: {username: {claim: sub, prefix: "built-in:"}, groups: {claim: groups, prefix: "built-in:"}}
`

// people is a cluster without machines: the webhook runs in its control plane.
const people = `apiVersion: core.gardener.cloud/v1beta1
kind: Shoot
metadata: {name: people, namespace: garden-local}
spec:
  cloudProfile: {kind: CloudProfile, name: local}
  region: local
  extensions: [{type: shoot-oidc-service}]
  kubernetes: {version: %s, kubeAPIServer: {structuredAuthentication: {configMapName: built-in}, structuredAuthorization: {configMapName: authorizers, kubeconfigs: [{authorizerName: team, secretName: team}]}}}
  provider: {type: local}
`

type claims = map[string]any

// logins is a landscape whose users have tokens of identity providers.
type logins struct {
	*framework.Landscape
	t *testing.T
	// shoot is a kubeconfig of an administrator of the cluster.
	shoot string
}

func TestIdentityProviders(t *testing.T) {
	builtIn := testissuer.New(t)
	l := logins{Landscape: framework.New(t), t: t}
	file := l.File("authentication.yaml", fmt.Sprintf(authentication, builtIn.URL, builtIn.CA))
	text, err := os.ReadFile(l.Config)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Write(l.Config, string(text)+"garden: {authenticationFile: "+file+", openIDConnectWebhook: {enabled: true, allowedIssuerHosts: [127.0.0.1]}}\n"); err != nil {
		t.Fatal(err)
	}
	l.Gardener("up")
	t.Run("people log in to the garden with tokens of their issuer", func(t *testing.T) {
		gardenLogin(t, l.of(t), builtIn)
	})
	gardenLogins(t, l, builtIn)
	t.Run("the garden takes over a change of its providers without a restart", func(t *testing.T) {
		l, other := l.of(t), testissuer.New(t)
		l.File("authentication.yaml", fmt.Sprintf(authentication, other.URL, other.CA))
		l.Eventually(2*time.Minute, "the new provider names users", func() (bool, string) {
			user, failure := l.try(l.Garden(), other.Token(t, claims{"aud": "app", "sub": "eve"}))
			return user.Username == "built-in:eve", failure
		})
		l.forgotten(l.Garden(), builtIn.Token(t, claims{"aud": "app", "sub": "ada"}))
	})
	l.File("authentication.yaml", fmt.Sprintf(authentication, builtIn.URL, builtIn.CA)) // as the shoot gets it
	l.Kubectl(l.Garden(), "annotate", "seed", "local", "authentication.gardener.cloud/allowed-issuer-hosts=127.0.0.1")
	l.Kubectl(l.Garden(), "-n", project, "create", "configmap", "built-in", "--from-file=config.yaml="+file)
	addAuthorizer(l, newAuthorizer(t))
	version := strings.Fields(l.Kubectl(l.Garden(), "get", "cloudprofile", "local", "-o", "jsonpath={.spec.kubernetes.versions[*].version}"))[0]
	l.Kubectl(l.Garden(), "create", "-f", l.File("shoot.yaml", fmt.Sprintf(people, version)))
	l.Gardener("shoot", "wait", "people", "--timeout=10m")
	l.shoot = l.Shoot(project, "people")
	t.Run("API-18 a webhook of the user authorizes requests beside RBAC", func(t *testing.T) { authorized(t, l.of(t)) })
	shootLogins(t, l, builtIn)
}

// gardenLogin expects that a provider of the configuration names users, who may do what the garden allows them.
func gardenLogin(t *testing.T, l logins, issuer *testissuer.Issuer) {
	token := issuer.Token(t, claims{"aud": "app", "sub": "ada", "groups": []string{"people"}})
	if got := l.accepted(l.Garden(), token); got.Username != "built-in:ada" || !slices.Contains(got.Groups, "built-in:people") {
		t.Errorf("user: %+v", got)
	}
	ada := l.as(l.Garden(), token)
	if r := l.TryKubectl(ada, "get", "secrets", "-A"); r.Code == 0 || !strings.Contains(r.Stderr, `User "built-in:ada" cannot list resource "secrets"`) {
		t.Errorf("code %d, %s%s", r.Code, r.Stdout, r.Stderr)
	}
	l.Kubectl(l.Garden(), "create", "clusterrolebinding", "people", "--clusterrole=cluster-admin", "--group=built-in:people")
	l.Eventually(time.Minute, "the group may list secrets", func() (bool, string) {
		r := l.TryKubectl(ada, "get", "secrets", "-A")
		return r.Code == 0, r.Stderr
	})
	l.refused(l.Garden(), issuer.Token(t, claims{"aud": "other", "sub": "ada"}))
	l.refused(l.Garden(), testissuer.New(t).Token(t, claims{"iss": issuer.URL, "aud": "app", "sub": "ada"}))
}

// of is for a subtest.
func (l logins) of(t *testing.T) logins {
	l.Landscape, l.t = l.For(t), t
	return l
}

// as writes a kubeconfig with a token in place of another credential.
func (l logins) as(kubeconfig, token string) string {
	l.t.Helper()
	config, err := clientcmd.LoadFromFile(kubeconfig)
	if err != nil {
		l.t.Fatal(err)
	}
	for name := range config.AuthInfos {
		config.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: token}
	}
	text, err := clientcmd.Write(*config)
	if err != nil {
		l.t.Fatal(err)
	}
	return l.File("as.yaml", string(text))
}

// try asks a cluster whose token it is.
func (l logins) try(kubeconfig, token string) (authenticationv1.UserInfo, string) {
	l.t.Helper()
	r := l.TryKubectl(l.as(kubeconfig, token), "auth", "whoami", "-o", "json")
	if r.Code != 0 {
		return authenticationv1.UserInfo{}, r.Stdout + r.Stderr
	}
	out := authenticationv1.SelfSubjectReview{}
	if err := json.Unmarshal([]byte(r.Stdout), &out); err != nil {
		l.t.Fatalf("%v: %s", err, r.Stdout)
	}
	return out.Status.UserInfo, ""
}

// accepted waits until the token is valid.
func (l logins) accepted(kubeconfig, token string) authenticationv1.UserInfo {
	l.t.Helper()
	var user authenticationv1.UserInfo
	l.Eventually(time.Minute, "the token is valid", func() (bool, string) {
		var failure string
		user, failure = l.try(kubeconfig, token)
		return failure == "", failure
	})
	return user
}

// refused expects that the token is invalid now.
func (l logins) refused(kubeconfig, token string) {
	l.t.Helper()
	if user, failure := l.try(kubeconfig, token); !strings.Contains(failure, "Unauthorized") {
		l.t.Errorf("the token is valid for %+v: %s", user, failure)
	}
}

// forgotten waits until the token is invalid: the API server remembers valid tokens for 10 seconds.
func (l logins) forgotten(kubeconfig, token string) {
	l.t.Helper()
	l.Eventually(time.Minute, "the token is invalid", func() (bool, string) {
		user, failure := l.try(kubeconfig, token)
		return strings.Contains(failure, "Unauthorized"), fmt.Sprintf("%+v %s", user, failure)
	})
}
