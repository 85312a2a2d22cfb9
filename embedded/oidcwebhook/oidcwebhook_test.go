package oidcwebhook

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	oidcv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/openidconnect/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/guardeddial"
	"github.com/gardener-up/gardener-up/embedded/testissuer"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

type claims = map[string]any

// webhook is the handler and its providers, without the server and its cluster. It may dial loopback addresses, since the
// issuers of tests have no others.
type webhook struct{ *providers }

func run(t *testing.T) webhook {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	out := webhook{newProviders(ctx, guardeddial.Rules{Hosts: []string{"127.0.0.1"}}.DialContext)}
	t.Cleanup(func() {
		cancel()
		for _, one := range out.list() {
			out.remove(one.name)
		}
	})
	return out
}

func (w webhook) create(t *testing.T, name string, issuer *testissuer.Issuer, change func(*oidcv1alpha1.OpenIDConnectSpec)) *oidcv1alpha1.OpenIDConnect {
	t.Helper()
	out := &oidcv1alpha1.OpenIDConnect{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid-" + name), Generation: 1},
		Spec:       oidcv1alpha1.OpenIDConnectSpec{IssuerURL: issuer.URL, ClientID: "my-app", CABundle: issuer.CA},
	}
	if change != nil {
		change(&out.Spec)
	}
	if err := w.set(out); err != nil {
		t.Fatal(err)
	}
	return out
}

func (w webhook) review(t *testing.T, token string) authenticationv1.TokenReviewStatus {
	t.Helper()
	body, err := json.Marshal(map[string]any{"apiVersion": "authentication.k8s.io/v1beta1", "kind": "TokenReview", "spec": map[string]any{"token": token}})
	if err != nil {
		t.Fatal(err)
	}
	answer := httptest.NewRecorder()
	review{w.providers}.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, Path, strings.NewReader(string(body))))
	out := authenticationv1.TokenReview{}
	if err := json.Unmarshal(answer.Body.Bytes(), &out); err != nil || answer.Code != http.StatusOK || out.APIVersion != "authentication.k8s.io/v1beta1" || out.Kind != "TokenReview" {
		t.Fatalf("%d %s: %v", answer.Code, answer.Body, err)
	}
	return out.Status
}

// accepted waits until a token is valid.
func (w webhook) accepted(t *testing.T, token string) authenticationv1.UserInfo {
	t.Helper()
	var last authenticationv1.TokenReviewStatus
	testwait.Until(t, "the token is valid", func() error {
		if last = w.review(t, token); !last.Authenticated {
			return errors.New(last.Error)
		}
		return nil
	})
	return last.User
}

func TestProviders(t *testing.T) {
	server := run(t)
	t.Run("OIDC-2 OIDC-3 providers stand beside each other, come and go", func(t *testing.T) {
		one, two := testissuer.New(t), testissuer.New(t)
		server.create(t, "one", one, nil)
		server.create(t, "two", two, nil)
		ofOne, ofTwo := one.Token(t, claims{"aud": "my-app", "sub": "foo", "groups": []string{"g"}}), two.Token(t, claims{"aud": "my-app", "sub": "foo"})
		a, b := server.accepted(t, ofOne), server.accepted(t, ofTwo)
		if a.Username != "one/foo" || len(a.Groups) != 1 || a.Groups[0] != "one/g" || b.Username != "two/foo" {
			t.Errorf("users: %+v, %+v", a, b)
		}
		if name, uid := b.Extra[ExtraName], b.Extra[ExtraUID]; len(name) != 1 || name[0] != "two" || len(uid) != 1 || uid[0] != "uid-two" {
			t.Errorf("extra: %v", b.Extra)
		}
		server.remove("one")
		if server.review(t, ofOne).Authenticated || !server.review(t, ofTwo).Authenticated {
			t.Error("the wrong provider is gone")
		}
	})
	t.Run("OIDC-2 an object of the same name is another provider", func(t *testing.T) {
		one, two := testissuer.New(t), testissuer.New(t)
		object := server.create(t, "same", one, nil)
		server.accepted(t, one.Token(t, claims{"aud": "my-app", "sub": "foo"}))
		object.UID, object.Spec.IssuerURL, object.Spec.CABundle = "other", two.URL, two.CA
		if err := server.set(object); err != nil {
			t.Fatal(err)
		}
		server.accepted(t, two.Token(t, claims{"aud": "my-app", "sub": "foo"}))
		if server.review(t, one.Token(t, claims{"aud": "my-app", "sub": "foo"})).Authenticated {
			t.Error("the former issuer is still trusted")
		}
	})
	t.Run("OIDC-3 two applications of one issuer have a provider each", func(t *testing.T) {
		issuer := testissuer.New(t)
		server.create(t, "app-a", issuer, func(s *oidcv1alpha1.OpenIDConnectSpec) { s.ClientID = "a" })
		server.create(t, "app-b", issuer, func(s *oidcv1alpha1.OpenIDConnectSpec) { s.ClientID = "b" })
		if got := server.accepted(t, issuer.Token(t, claims{"aud": "b", "sub": "foo"})); got.Username != "app-b/foo" {
			t.Errorf("user: %+v", got)
		}
	})
	t.Run("OIDC-2 keys are read again when the issuer has new ones", func(t *testing.T) {
		issuer := testissuer.New(t)
		server.create(t, "rotating", issuer, nil)
		server.accepted(t, issuer.Token(t, claims{"aud": "my-app", "sub": "foo"}))
		issuer.Rotate(t)
		if got := server.review(t, issuer.Token(t, claims{"aud": "my-app", "sub": "foo"})); !got.Authenticated {
			t.Errorf("status: %+v", got)
		}
	})
	t.Run("OIDC-2 keys that an issuer has withdrawn are forgotten with the first token of a new key", func(t *testing.T) {
		issuer := testissuer.New(t)
		server.create(t, "withdrawing", issuer, nil)
		old := issuer.Token(t, claims{"aud": "my-app", "sub": "foo"})
		server.accepted(t, old)
		issuer.Rotate(t)
		server.accepted(t, issuer.Token(t, claims{"aud": "my-app", "sub": "foo"}))
		testwait.Until(t, "the former key is forgotten", func() error { // the library answers a moment before it stores the new keys
			if server.review(t, old).Authenticated {
				return errors.New("its token is valid")
			}
			return nil
		})
	})
	t.Run("OIDC-2 a bad bundle leaves no provider, not even the former", func(t *testing.T) {
		issuer := testissuer.New(t)
		object := server.create(t, "bundle", issuer, nil)
		token := issuer.Token(t, claims{"aud": "my-app", "sub": "foo"})
		server.accepted(t, token)
		object.Generation, object.Spec.CABundle = 2, []byte("nonsense")
		if err := server.set(object); err == nil || !strings.Contains(err.Error(), "spec.caBundle") {
			t.Errorf("error: %v", err)
		}
		if server.review(t, token).Authenticated {
			t.Error("the former settings are still in use")
		}
	})
}

func TestBadTokens(t *testing.T) {
	server, issuer, stranger := run(t), testissuer.New(t), testissuer.New(t)
	server.create(t, "bad-tokens", issuer, func(s *oidcv1alpha1.OpenIDConnectSpec) {
		s.RequiredClaims = map[string]string{"tier": "gold"}
		s.UsernamePrefix, s.GroupsPrefix = ptr.To("-"), ptr.To("-")
	})
	good := func() claims {
		return claims{"aud": "my-app", "sub": "foo", "tier": "gold", "groups": []string{"g"}}
	}
	server.accepted(t, issuer.Token(t, good()))
	with := func(name string, value any) string {
		all := good()
		if all[name] = value; value == nil {
			delete(all, name)
		}
		return issuer.Token(t, all)
	}
	parts := strings.Split(issuer.Token(t, good()), ".")
	for name, token := range map[string]string{
		"is expired":                   with("exp", time.Now().Add(-time.Minute).Unix()),
		"is of another application":    with("aud", "other"),
		"lacks a required claim":       with("tier", nil),
		"has another value of a claim": with("tier", "silver"),
		"has no user":                  with("sub", nil),
		"is of an unknown issuer":      stranger.Token(t, good()),
		"is signed by someone else":    stranger.Token(t, claims{"iss": issuer.URL, "aud": "my-app", "sub": "foo", "tier": "gold"}),
		"has no signature":             parts[0] + "." + parts[1] + ".",
		"has the algorithm none":       forged(t, issuer, "none", nil),
		"is signed with a public key":  forged(t, issuer, "HS256", issuer.PublicKey(t)),
		"is too long":                  with("note", strings.Repeat("x", maxToken)),
		"is none":                      "nonsense",
		"is empty":                     "",
		"claims to be Kubernetes":      with("sub", "system:admin"),
		"claims a group of Kubernetes": with("groups", []string{"g", "system:masters"}),
		"claims to be Gardener":        with("sub", "gardener.cloud:appliance"),
		"claims a group of Gardener":   with("groups", []string{"g", "gardener.cloud:landscape:operators"}),
	} {
		t.Run("OIDC-4 invalid is a token that "+name, func(t *testing.T) {
			if got := server.review(t, token); got.Authenticated || got.User.Username != "" {
				t.Errorf("status: %+v", got)
			} else if token != "" && strings.Contains(got.Error, token) {
				t.Errorf("the error shows the token: %s", got.Error)
			}
		})
	}
}

// forged is a token that nobody with a private key has signed. Without a secret it has no signature.
func forged(t *testing.T, issuer *testissuer.Issuer, algorithm string, secret []byte) string {
	t.Helper()
	parts := strings.Split(issuer.Token(t, claims{"aud": "my-app", "sub": "foo", "tier": "gold"}), ".")
	header, err := base64.RawURLEncoding.DecodeString(parts[0])
	if err != nil {
		t.Fatal(err)
	}
	content := base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(header), "RS256", algorithm, 1))) + "." + parts[1]
	if secret == nil {
		return content + "."
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(content))
	return content + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
