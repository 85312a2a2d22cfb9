package oidcwebhook

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	oidcv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/openidconnect/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/guardeddial"
	"github.com/gardener-up/gardener-up/embedded/testissuer"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

func TestOddIssuers(t *testing.T) {
	served := func(t *testing.T, handler http.Handler) *testissuer.Issuer {
		t.Helper()
		server := httptest.NewTLSServer(handler)
		t.Cleanup(server.Close)
		return &testissuer.Issuer{URL: server.URL, CA: testissuer.Certificate(server)}
	}
	t.Run("OIDC-2 an issuer that does not answer holds up neither others nor requests", func(t *testing.T) {
		server, end := run(t), make(chan struct{})
		defer close(end)
		slow := served(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-end }))
		good := testissuer.New(t)
		server.create(t, "a-slow", slow, nil)
		server.create(t, "good", good, nil)
		start := time.Now()
		server.accepted(t, good.Token(t, claims{"aud": "my-app", "sub": "foo"}))
		if server.review(t, good.Token(t, claims{"iss": slow.URL, "aud": "my-app", "sub": "foo"})).Authenticated {
			t.Error("a token of an issuer without keys is valid")
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("took %s", took)
		}
	})
	t.Run("OIDC-2 an issuer whose keys do not come holds a request for a limited time", func(t *testing.T) {
		server, issuer, end := run(t), testissuer.New(t), make(chan struct{})
		slow := served(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			if req.URL.Path == "/keys" {
				<-end
			}
			issuer.ServeHTTP(w, req)
		}))
		defer close(end)
		issuer.URL = slow.URL // in its documents and tokens
		object := server.create(t, "slow-keys", slow, nil)
		testwait.Until(t, "the provider is ready", func() error { return server.get(object.Name).HealthCheck() })
		start := time.Now()
		if server.review(t, issuer.Token(t, claims{"aud": "my-app", "sub": "foo"})).Authenticated {
			t.Error("a token is valid without keys")
		}
		if took := time.Since(start); took < timeout/2 || took > 2*timeout {
			t.Errorf("took %s, want %s", took, timeout)
		}
	})
	t.Run("OIDC-2 documents of another issuer make no provider", func(t *testing.T) {
		server, victim := run(t), testissuer.New(t)
		mirror := served(t, victim)
		object := server.create(t, "mirror", mirror, nil)
		testwait.Until(t, "the issuer is asked", func() error {
			if victim.Requests() == 0 {
				return errors.New("no request")
			}
			return nil
		})
		for _, name := range []string{victim.URL, mirror.URL} {
			if server.review(t, victim.Token(t, claims{"iss": name, "aud": "my-app", "sub": "foo"})).Authenticated {
				t.Errorf("a token of %s is valid", name)
			}
		}
		if err := server.get(object.Name).problem(); err == nil || !strings.Contains(err.Error(), "spec.issuerURL") {
			t.Errorf("problem: %v", err)
		}
	})
	t.Run("OIDC-2 a problem tells nothing of the network", func(t *testing.T) {
		server := run(t)
		for name, url := range map[string]string{"closed": "https://127.0.0.1:1", "unknown": "https://127.0.0.1.invalid"} {
			object := server.create(t, name, &testissuer.Issuer{URL: url, CA: testissuer.New(t).CA}, nil)
			provider := server.get(object.Name)
			testwait.Until(t, name, func() error {
				if provider.client.failure() == nil {
					return errors.New("it does not fail")
				}
				return nil
			})
			if err := provider.problem(); err == nil || strings.Contains(err.Error(), "connection") || strings.Contains(err.Error(), "no such host") || strings.Contains(err.Error(), "dial") {
				t.Errorf("%s: problem: %v", name, err)
			}
		}
	})
}

func TestProvidersOfAttackers(t *testing.T) {
	provider := func(t *testing.T, url string, ca []byte, dial Dial) error {
		t.Helper()
		guard, err := newGuarded(ca, dial)
		if err != nil {
			t.Fatal(err)
		}
		client := guard.client()
		defer client.CloseIdleConnections()
		resp, err := client.Get(url)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		return json.NewDecoder(resp.Body).Decode(&map[string]any{})
	}
	trusted := guardeddial.Rules{Hosts: []string{"127.0.0.1"}}.DialContext
	t.Run("OIDC-2 this machine is not dialled", func(t *testing.T) {
		issuer := testissuer.New(t)
		err := provider(t, issuer.URL, issuer.CA, guardeddial.Rules{}.DialContext)
		if err == nil || !strings.Contains(err.Error(), "belongs to this machine") || issuer.Requests() > 0 {
			t.Errorf("error: %v", err)
		}
	})
	t.Run("OIDC-2 keys by http are not read", func(t *testing.T) {
		plain := httptest.NewServer(http.NotFoundHandler())
		defer plain.Close()
		if err := provider(t, plain.URL, nil, trusted); err == nil || !strings.Contains(err.Error(), "not https") {
			t.Errorf("error: %v", err)
		}
	})
	t.Run("OIDC-2 endless answers are cut off", func(t *testing.T) {
		endless := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for _, err := w.Write([]byte(`{"a":"`)); err == nil; _, err = w.Write([]byte(strings.Repeat("x", 1<<16))) {
			}
		}))
		defer endless.Close()
		ca := testissuer.Certificate(endless)
		if err := provider(t, endless.URL, ca, trusted); err == nil || !strings.Contains(err.Error(), "too long") {
			t.Errorf("error: %v", err)
		}
	})
}

func TestExample(t *testing.T) {
	raw, err := os.ReadFile("../../examples/identity/openidconnect.yaml")
	if err != nil {
		t.Fatal(err)
	}
	object := &oidcv1alpha1.OpenIDConnect{}
	if err := yaml.UnmarshalStrict(raw, object); err != nil {
		t.Fatal(err)
	}
	refuse := func(context.Context, string, string) (net.Conn, error) { return nil, net.ErrClosed }
	made, err := newProvider(t.Context(), object, refuse)
	if err != nil {
		t.Fatal(err)
	}
	made.stop()
}
