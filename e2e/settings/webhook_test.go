package settings

import (
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/embedded/testissuer"
)

const provider = `apiVersion: authentication.gardener.cloud/v1alpha1
kind: OpenIDConnect
metadata: {name: %s}
spec:
  issuerURL: %s
  clientID: app
  usernameClaim: email
  usernamePrefix: "test-"
  groupsClaim: groups
  groupsPrefix: "baz-"
  supportedSigningAlgs: [RS256]
  requiredClaims: {tier: gold}
  caBundle: %s
`

// user is what all valid tokens claim.
func user(changes claims) claims {
	all := claims{"aud": "app", "sub": "foo", "email": "foo@bar.com", "groups": []string{"employee"}, "tier": "gold"}
	for name, value := range changes {
		all[name] = value
	}
	return all
}

func (l logins) apply(kubeconfig, name string, issuer *testissuer.Issuer) {
	l.t.Helper()
	l.Kubectl(kubeconfig, "apply", "-f", l.File(name+".yaml", fmt.Sprintf(provider, name, issuer.URL, base64.StdEncoding.EncodeToString(issuer.CA))))
}

// shootLogins follows providers of a shoot from the first to the end of the extension.
func shootLogins(t *testing.T, l logins, builtIn *testissuer.Issuer) {
	one, two, local := testissuer.New(t), testissuer.New(t), testissuer.New(t)
	local.URL = strings.Replace(local.URL, "127.0.0.1", "localhost", 1)
	pods := func(l logins) string {
		return l.Kubectl(l.Seed(), "-n", technical, "get", "pods", "-l", "app in (kubernetes,"+webhook+")", "-o", "name")
	}
	before := pods(l)
	t.Run("OIDC-6 the API server asks the webhook", func(t *testing.T) {
		got := l.of(t).Kubectl(l.Seed(), "-n", technical, "get", "deployment", "kube-apiserver", "-o", "jsonpath={.spec.template.spec.containers[0].args}")
		if !strings.Contains(got, "--authentication-token-webhook-config-file=/etc/webhook/kubeconfig") {
			t.Errorf("args: %s", got)
		}
	})
	t.Run("OIDC-1 OIDC-2 OIDC-3 a provider names users", func(t *testing.T) {
		l := l.of(t)
		l.refused(l.shoot, one.Token(t, user(nil)))
		l.apply(l.shoot, "one", one)
		got := l.accepted(l.shoot, one.Token(t, user(nil)))
		uid := l.Kubectl(l.shoot, "get", "openidconnect", "one", "-o", "jsonpath={.metadata.uid}")
		if got.Username != "test-foo@bar.com" || !slices.Contains(got.Groups, "baz-employee") {
			t.Errorf("user: %+v", got)
		}
		for key, want := range map[string]string{"name": "one", "uid": uid} {
			if value := got.Extra["gardener.cloud/authenticator/"+key]; len(value) != 1 || value[0] != want {
				t.Errorf("%s is %v, want %s", key, value, want)
			}
		}
		l.Kubectl(l.shoot, "create", "clusterrolebinding", "employees", "--clusterrole=view", "--group=baz-employee")
		employee := l.as(l.shoot, one.Token(t, user(nil)))
		l.Eventually(time.Minute, "the group may list ConfigMaps", func() (bool, string) {
			r := l.TryKubectl(employee, "get", "configmaps")
			return r.Code == 0, r.Stderr
		})
	})
	t.Run("OIDC-4 bad tokens are refused", func(t *testing.T) {
		l := l.of(t)
		for _, bad := range []claims{
			{"aud": "other"}, {"tier": "silver"}, {"tier": nil}, {"exp": time.Now().Add(-time.Minute).Unix()}, {"iss": builtIn.URL}, {"iss": two.URL},
		} {
			l.refused(l.shoot, one.Token(t, user(bad)))
		}
		l.refused(l.shoot, two.Token(t, user(claims{"iss": one.URL})))
	})
	t.Run("OIDC-8 several providers beside the built-in one", func(t *testing.T) {
		l := l.of(t)
		l.apply(l.shoot, "two", two)
		for issuer, want := range map[*testissuer.Issuer]string{one: "one", two: "two"} {
			if got := l.accepted(l.shoot, issuer.Token(t, user(nil))); got.Extra["gardener.cloud/authenticator/name"][0] != want {
				t.Errorf("user: %+v, want one of %s", got, want)
			}
		}
		if got := l.accepted(l.shoot, builtIn.Token(t, user(nil))); got.Username != "built-in:foo" {
			t.Errorf("user: %+v", got)
		}
	})
	t.Run("OIDC-2 new keys of an issuer replace the former ones", func(t *testing.T) {
		l := l.of(t)
		old := two.Token(t, user(nil))
		l.accepted(l.shoot, old)
		two.Rotate(t)
		l.accepted(l.shoot, two.Token(t, user(nil)))
		l.forgotten(l.shoot, old)
	})
	t.Run("OIDC-2 an issuer on this machine is not asked, and an event says so", func(t *testing.T) {
		l := l.of(t)
		l.apply(l.shoot, "local", local)
		l.Eventually(time.Minute, "the event", func() (bool, string) {
			events := l.Kubectl(l.shoot, "get", "events", "--field-selector=involvedObject.name=local")
			return strings.Contains(events, "belongs to this machine"), events
		})
		if local.Requests() > 0 {
			t.Errorf("%d requests", local.Requests())
		}
		l.refused(l.shoot, local.Token(t, user(nil)))
	})
	t.Run("OIDC-5 only the API server may call the webhook", func(t *testing.T) {
		l := l.of(t)
		address := l.Kubectl(l.Seed(), "-n", technical, "get", "pods", "-l", "role="+webhook, "-o", "jsonpath={.items[0].status.podIP}")
		callers(t, address+":10443", l.Kubectl(l.shoot, "create", "token", "default"), one)
	})
	t.Run("OIDC-2 a removed provider is forgotten without a restart", func(t *testing.T) {
		l := l.of(t)
		l.Kubectl(l.shoot, "delete", "openidconnect", "one")
		l.forgotten(l.shoot, one.Token(t, user(nil)))
		l.accepted(l.shoot, two.Token(t, user(nil)))
		if after := pods(l); after != before || !strings.Contains(after, webhook) {
			t.Errorf("pods before:\n%safter:\n%s", before, after)
		}
	})
	t.Run("OIDC-7 providers outlast hibernation", func(t *testing.T) {
		l := l.of(t)
		l.change(`{"spec":{"hibernation":{"enabled":true}}}`)
		l.Eventually(time.Minute, "all pods go", func() (bool, string) { // they have a grace period
			left := pods(l)
			return left == "", left
		})
		l.patch(`{"spec":{"hibernation":{"enabled":false}}}`)
		l.accepted(l.shoot, two.Token(t, user(nil)))
	})
	t.Run("OIDC-7 without the extension nothing is left of it", func(t *testing.T) {
		l := l.of(t)
		l.patch(`{"spec":{"extensions":null}}`)
		l.Eventually(time.Minute, "all objects go", func() (bool, string) {
			inside := l.Kubectl(l.shoot, "get", "crds,clusterroles,clusterrolebindings", "-o", "name") + l.Kubectl(l.shoot, "-n", "kube-system", "get", "rolebindings", "-o", "name")
			outside := l.Kubectl(l.Seed(), "-n", technical, "get", "deployments,services,managedresources,extensions,networkpolicies", "-o", "name") +
				l.Kubectl(l.Seed(), "-n", technical, "get", "secrets", "-l", "!resources.gardener.cloud/garbage-collectable-reference", "-o", "name")
			left := slices.DeleteFunc(strings.Fields(inside+outside), func(name string) bool {
				return !strings.Contains(name, "oidc") && !strings.Contains(name, "openidconnect") && !strings.Contains(name, "token-webhook")
			})
			return len(left) == 0, strings.Join(left, " ")
		})
		l.forgotten(l.shoot, two.Token(t, user(nil)))
		l.accepted(l.shoot, builtIn.Token(t, user(nil)))
	})
}

// patch changes the shoot and waits until that has taken effect.
func (l logins) patch(change string) {
	l.t.Helper()
	l.change(change)
	l.Gardener("shoot", "wait", "people", "--timeout=10m")
}

// change changes the shoot.
func (l logins) change(change string) {
	l.t.Helper()
	l.Kubectl(l.Garden(), "-n", project, "patch", "shoot", "people", "--type=merge", "-p", change)
}

// callers posts as others than the API server that the webhook at the address is for.
func callers(t *testing.T, address, account string, issuer *testissuer.Issuer) {
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
	for name, tc := range map[string]struct {
		token string
		want  int
	}{
		"a service account":        {strings.TrimSpace(account), http.StatusForbidden},
		"a user of a provider":     {issuer.Token(t, user(nil)), http.StatusForbidden},
		"somebody with bad tokens": {"nonsense", http.StatusUnauthorized},
		"somebody without a token": {"", http.StatusForbidden},
	} {
		body := `{"apiVersion":"authentication.k8s.io/v1beta1","kind":"TokenReview","spec":{"token":"` + issuer.Token(t, user(nil)) + `"}}`
		req, err := http.NewRequest(http.MethodPost, "https://"+address+"/validate-token", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if tc.token != "" {
			req.Header.Set("Authorization", "Bearer "+tc.token)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != tc.want || strings.Contains(string(text), "foo@bar.com") {
			t.Errorf("%s: status %d, want %d: %s", name, resp.StatusCode, tc.want, text)
		}
	}
}
