package settings

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/embedded/testissuer"
)

// gardenLogins follows providers of the garden that are added beside the one of the configuration.
func gardenLogins(t *testing.T, l logins, builtIn *testissuer.Issuer) {
	one, local := testissuer.New(t), testissuer.New(t)
	local.URL = strings.Replace(local.URL, "127.0.0.1", "localhost", 1)
	t.Run("OIDC-1 OIDC-2 OIDC-3 a provider names users of the garden", func(t *testing.T) {
		l := l.of(t)
		l.refused(l.Garden(), one.Token(t, user(nil)))
		l.apply(l.Garden(), "one", one)
		got := l.accepted(l.Garden(), one.Token(t, user(nil)))
		uid := l.Kubectl(l.Garden(), "get", "openidconnect", "one", "-o", "jsonpath={.metadata.uid}")
		if got.Username != "test-foo@bar.com" || !slices.Contains(got.Groups, "baz-employee") {
			t.Errorf("user: %+v", got)
		}
		for key, want := range map[string]string{"name": "one", "uid": uid} {
			if value := got.Extra["gardener.cloud/authenticator/"+key]; len(value) != 1 || value[0] != want {
				t.Errorf("%s is %v, want %s", key, value, want)
			}
		}
		employee := l.as(l.Garden(), one.Token(t, user(nil)))
		if r := l.TryKubectl(employee, "get", "openidconnects"); r.Code == 0 || !strings.Contains(r.Stderr, `User "test-foo@bar.com" cannot list`) {
			t.Errorf("code %d, %s%s", r.Code, r.Stdout, r.Stderr)
		}
		l.Kubectl(l.Garden(), "create", "clusterrolebinding", "employees", "--clusterrole=cluster-admin", "--group=baz-employee")
		l.Eventually(time.Minute, "the group may list providers", func() (bool, string) {
			r := l.TryKubectl(employee, "get", "openidconnects")
			return r.Code == 0, r.Stderr
		})
		l.Kubectl(l.Garden(), "delete", "clusterrolebinding", "employees")
	})
	t.Run("OIDC-4 bad tokens are refused by the garden", func(t *testing.T) {
		l := l.of(t)
		for _, bad := range []claims{{"aud": "other"}, {"tier": "silver"}, {"exp": time.Now().Add(-time.Minute).Unix()}, {"iss": builtIn.URL}} {
			l.refused(l.Garden(), one.Token(t, user(bad)))
		}
		l.refused(l.Garden(), testissuer.New(t).Token(t, user(claims{"iss": one.URL})))
	})
	t.Run("OIDC-8 the provider of the configuration of the garden stays", func(t *testing.T) {
		l := l.of(t)
		if got := l.accepted(l.Garden(), builtIn.Token(t, user(nil))); got.Username != "built-in:foo" {
			t.Errorf("user: %+v", got)
		}
	})
	t.Run("OIDC-2 the garden does not ask an issuer on this machine that the configuration does not allow", func(t *testing.T) {
		l := l.of(t)
		l.apply(l.Garden(), "local", local)
		l.Eventually(time.Minute, "the event", func() (bool, string) {
			events := l.Kubectl(l.Garden(), "get", "events", "--field-selector=involvedObject.name=local")
			return strings.Contains(events, "belongs to this machine"), events
		})
		if local.Requests() > 0 {
			t.Errorf("%d requests", local.Requests())
		}
		l.refused(l.Garden(), local.Token(t, user(nil)))
		l.Kubectl(l.Garden(), "delete", "openidconnect", "local")
	})
	t.Run("OIDC-5 only the API server of the garden may call its webhook", func(t *testing.T) {
		l := l.of(t)
		l.Kubectl(l.Garden(), "-n", project, "create", "serviceaccount", "caller")
		account := l.Kubectl(l.Garden(), "-n", project, "create", "token", "caller")
		callers(t, l.webhookOfGarden(), account, one)
	})
	t.Run("OIDC-2 the garden forgets a removed provider without a restart", func(t *testing.T) {
		l := l.of(t)
		l.Kubectl(l.Garden(), "delete", "openidconnect", "one")
		l.forgotten(l.Garden(), one.Token(t, user(nil)))
		l.accepted(l.Garden(), builtIn.Token(t, user(nil)))
	})
}

// webhookOfGarden is host:port of the webhook, which also is a part of the landscape.
func (l logins) webhookOfGarden() string {
	l.t.Helper()
	status := struct {
		Parts []struct{ Name, State, Health string }
	}{}
	l.Status(&status)
	for _, part := range status.Parts {
		if part.Name != "garden-"+webhook {
			continue
		}
		health, err := url.Parse(part.Health)
		if err != nil || health.Host == "" {
			l.t.Fatalf("%+v, %v", part, err)
		}
		return health.Host
	}
	l.t.Fatalf("no part of %+v is the webhook", status.Parts)
	return ""
}
