package integration

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	oidcv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/openidconnect/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/guardeddial"
	"github.com/gardener-up/gardener-up/embedded/oidcwebhook"
	"github.com/gardener-up/gardener-up/embedded/testissuer"
)

type claims = map[string]any

func TestKind(t *testing.T) {
	server, issuer := run(t), testissuer.New(t)
	t.Run("OIDC-1 fields that nobody sets get defaults", func(t *testing.T) {
		made := server.create(t, "defaults", issuer, nil)
		if got := made.Spec; ptr.Deref(got.UsernameClaim, "") != "sub" || ptr.Deref(got.GroupsClaim, "") != "groups" || len(got.SupportedSigningAlgs) != 1 || got.SupportedSigningAlgs[0] != "RS256" {
			t.Errorf("spec: %+v", got)
		}
	})
	for name, change := range map[string]func(*oidcv1alpha1.OpenIDConnectSpec){
		"issuerURL: without TLS":     func(s *oidcv1alpha1.OpenIDConnectSpec) { s.IssuerURL = "http://issuer.example.com" },
		"issuerURL: with a password": func(s *oidcv1alpha1.OpenIDConnectSpec) { s.IssuerURL = "https://a:b@issuer.example.com" },
		"issuerURL: with a query":    func(s *oidcv1alpha1.OpenIDConnectSpec) { s.IssuerURL = "https://issuer.example.com?a=b" },
		"clientID: missing":          func(s *oidcv1alpha1.OpenIDConnectSpec) { s.ClientID = "" },
		"supportedSigningAlgs: without signature": func(s *oidcv1alpha1.OpenIDConnectSpec) {
			s.SupportedSigningAlgs = []oidcv1alpha1.SigningAlgorithm{"none"}
		},
	} {
		t.Run("OIDC-1 refused is "+name, func(t *testing.T) {
			object := &oidcv1alpha1.OpenIDConnect{ObjectMeta: metav1.ObjectMeta{Name: "bad"}, Spec: oidcv1alpha1.OpenIDConnectSpec{IssuerURL: "https://issuer.example.com", ClientID: "a"}}
			change(&object.Spec)
			field, _, _ := strings.Cut(name, ":")
			if err := server.client.Create(t.Context(), object); err == nil || !strings.Contains(err.Error(), "spec."+field) {
				t.Errorf("error: %v", err)
			}
		})
	}
}

func TestProviders(t *testing.T) {
	server := run(t)
	t.Run("OIDC-3 the answer has name and groups with prefixes, and the provider", func(t *testing.T) {
		issuer := testissuer.New(t)
		made := server.create(t, "provider", issuer, func(s *oidcv1alpha1.OpenIDConnectSpec) {
			s.UsernameClaim, s.UsernamePrefix = ptr.To("email"), ptr.To("test-")
			s.GroupsClaim, s.GroupsPrefix = ptr.To("roles"), ptr.To("baz-")
		})
		got := server.accepted(t, issuer.Token(t, claims{"aud": "my-app", "email": "foo@bar.com", "roles": []string{"employee"}}))
		want := authenticationv1.UserInfo{Username: "test-foo@bar.com", Groups: []string{"baz-employee"}, Extra: map[string]authenticationv1.ExtraValue{
			"gardener.cloud/authenticator/name": {"provider"}, "gardener.cloud/authenticator/uid": {string(made.UID)},
		}}
		delete(got.Extra, "authentication.kubernetes.io/credential-id")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("user (-want +got):\n%s", diff)
		}
	})
	t.Run("OIDC-3 the prefix is the name of the object unless it says otherwise", func(t *testing.T) {
		issuer := testissuer.New(t)
		object := server.create(t, "named", issuer, nil)
		token := issuer.Token(t, claims{"aud": "my-app", "sub": "foo", "groups": []string{"g"}})
		if got := server.accepted(t, token); got.Username != "named/foo" || len(got.Groups) != 1 || got.Groups[0] != "named/g" {
			t.Errorf("user: %+v", got)
		}
		object.Spec.UsernamePrefix, object.Spec.GroupsPrefix = ptr.To("-"), ptr.To("-")
		if err := server.client.Update(t.Context(), object); err != nil {
			t.Fatal(err)
		}
		eventually(t, "OIDC-2 the change takes effect", func() bool {
			got := server.review(t, token)
			return got.User.Username == "foo" && len(got.User.Groups) == 1 && got.User.Groups[0] == "g"
		})
	})
	t.Run("OIDC-2 OIDC-3 providers stand beside each other, come and go", func(t *testing.T) {
		one, two := testissuer.New(t), testissuer.New(t)
		first := server.create(t, "one", one, nil)
		server.create(t, "two", two, nil)
		ofOne, ofTwo := one.Token(t, claims{"aud": "my-app", "sub": "foo"}), two.Token(t, claims{"aud": "my-app", "sub": "foo"})
		if a, b := server.accepted(t, ofOne), server.accepted(t, ofTwo); a.Username != "one/foo" || b.Username != "two/foo" {
			t.Errorf("users: %+v, %+v", a, b)
		}
		if err := server.client.Delete(t.Context(), first); err != nil {
			t.Fatal(err)
		}
		eventually(t, "tokens of the former provider are invalid", func() bool { return !server.review(t, ofOne).Authenticated })
		if !server.review(t, ofTwo).Authenticated {
			t.Error("the other provider is gone, too")
		}
	})
}

func TestCallers(t *testing.T) {
	server := run(t)
	kube, err := kubernetes.NewForConfig(env.Config)
	if err != nil {
		t.Fatal(err)
	}
	token := func(name string) string {
		account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}}
		if _, err := kube.CoreV1().ServiceAccounts("default").Create(t.Context(), account, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		made, err := kube.CoreV1().ServiceAccounts("default").CreateToken(t.Context(), name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return made.Status.Token
	}
	caller, other := token("caller"), token("other")
	meta := metav1.ObjectMeta{Name: "caller"}
	if _, err := kube.RbacV1().ClusterRoles().Create(t.Context(), &rbacv1.ClusterRole{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{NonResourceURLs: []string{oidcwebhook.Path}, Verbs: []string{"post"}}}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := kube.RbacV1().ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "caller"},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: "caller", Namespace: "default"}},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	const body = `{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":"x"}}`
	t.Run("OIDC-5 who may post gets an answer", func(t *testing.T) {
		eventually(t, "the caller is allowed", func() bool { code, _ := server.post(t, caller, body); return code == http.StatusOK })
	})
	t.Run("OIDC-5 another service account is forbidden", func(t *testing.T) {
		if code, answer := server.post(t, other, body); code != http.StatusForbidden {
			t.Errorf("%d %s", code, answer)
		}
	})
	t.Run("OIDC-5 a caller with a bad token is unknown", func(t *testing.T) {
		if code, answer := server.post(t, "nonsense", body); code != http.StatusUnauthorized {
			t.Errorf("%d %s", code, answer)
		}
	})
	t.Run("OIDC-3 other documents are refused", func(t *testing.T) {
		// One byte too long: the server reads it to the end, so that no rest of it resets the connection before the answer arrives.
		const head, tail = `{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":"`, `"}}`
		long := head + strings.Repeat("x", 1<<20+1-len(head)-len(tail)) + tail
		for _, bad := range []string{"", "[]", `{"kind":"Secret","apiVersion":"v1"}`, `{"kind":"TokenReview","apiVersion":"authentication.k8s.io/v2"}`, long} {
			if code, answer := server.post(t, "", bad); code != http.StatusBadRequest {
				t.Errorf("%.40q: %d %s", bad, code, answer)
			}
		}
	})
}

func TestAddresses(t *testing.T) {
	t.Run("OIDC-2 an issuer on this machine is not dialled", func(t *testing.T) {
		refused := make(chan error, 100)
		server := runWith(t, func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := guardeddial.Rules{}.DialContext(ctx, network, address)
			refused <- err
			return conn, err
		})
		issuer := testissuer.New(t)
		server.create(t, "loopback", issuer, nil)
		if err := <-refused; err == nil || !strings.Contains(err.Error(), "belongs to this machine") {
			t.Errorf("error: %v", err)
		}
		if issuer.Requests() > 0 || server.review(t, issuer.Token(t, claims{"aud": "my-app", "sub": "foo"})).Authenticated {
			t.Error("the issuer was asked")
		}
	})
	t.Run("OIDC-2 a bundle without certificates makes no provider, and an event says so", func(t *testing.T) {
		server, issuer := run(t), testissuer.New(t)
		object := server.create(t, "bundle", issuer, func(s *oidcv1alpha1.OpenIDConnectSpec) { s.CABundle = []byte("nonsense") })
		kube, err := kubernetes.NewForConfig(env.Config)
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, "there is an event", func() bool {
			events, err := kube.EventsV1().Events("default").List(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, event := range events.Items {
				if event.Regarding.UID == object.UID && strings.Contains(event.Note, "spec.caBundle") {
					return true
				}
			}
			return false
		})
		object.Spec.CABundle = issuer.CA
		if err := server.client.Patch(t.Context(), object, client.Merge); err != nil {
			t.Fatal(err)
		}
		server.accepted(t, issuer.Token(t, claims{"aud": "my-app", "sub": "foo"}))
	})
}
