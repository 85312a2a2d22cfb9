package monitoring

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/gardener-up/gardener-up/appliance/managers"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/observability"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/embedded/federation"
)

func pemOf(certificate *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw})
}

// gardenWith has objects and reviews tokens: "operator" may read metrics, "member" may not. reviews counts.
func gardenWith(t *testing.T, reviews *int, objects ...client.Object) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(authenticationv1.AddToScheme(scheme), authorizationv1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithInterceptorFuncs(interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, object client.Object, opts ...client.CreateOption) error {
			switch review := object.(type) {
			case *authenticationv1.TokenReview:
				*reviews++
				review.Status.Authenticated = slices.Equal(review.Spec.Audiences, []string{Audience}) && (review.Spec.Token == "operator" || review.Spec.Token == "member")
				review.Status.User.Username = review.Spec.Token
			case *authorizationv1.SubjectAccessReview:
				asked := review.Spec.NonResourceAttributes
				review.Status.Allowed = review.Spec.User == "operator" && asked.Path == "/metrics" && asked.Verb == "get"
			}
			return nil
		},
	}).Build()
}

func users(password string) corev1.Secret {
	return corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: technical, Name: "users-1", Labels: map[string]string{"name": "observability-ingress-users"}},
		Data:       map[string][]byte{"username": []byte("admin"), "password": []byte(password)},
	}
}

func TestAccess(t *testing.T) {
	reviews := 0
	config := (&cluster{secrets: []corev1.Secret{users("right")}}).serve(t)
	runtimeCluster := (&cluster{secrets: []corev1.Secret{
		{
			ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "observability-ingress-1", Labels: observability.Selector()},
			Data:       map[string][]byte{"username": []byte("admin"), "password": []byte("all")},
		},
		{
			ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "another"},
			Data:       map[string][]byte{"username": []byte("admin"), "password": []byte("other")},
		},
	}}).serve(t)
	a := &access{
		garden: gardenWith(t, &reviews, shootOn("one"), &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: "garden-dev", Name: "sun.monitoring"}, Data: map[string][]byte{"username": []byte("admin"), "password": []byte("mine")},
		}),
		seeds:   func() []managers.Seed { return []managers.Seed{fakeSeed{name: "one", config: config}} },
		runtime: func() (*rest.Config, error) { return runtimeCluster, nil },
	}
	bearer := func(token string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
	}
	basic := func(user, password string) func(*http.Request) {
		return func(r *http.Request) { r.SetBasicAuth(user, password) }
	}
	const sun = "?scope=shoot/garden-dev/sun"
	for name, tc := range map[string]struct {
		query string
		login func(*http.Request)
		want  error
	}{
		"GLT-33 nobody reads metrics without a credential":         {login: func(*http.Request) {}, want: federation.ErrUnauthenticated},
		"a token with the right reads everything":                  {login: bearer("operator")},
		"a token with the right reads one shoot":                   {query: sun, login: bearer("operator")},
		"a token without the right reads nothing":                  {login: bearer("member"), want: federation.ErrForbidden},
		"a token of nobody reads nothing":                          {login: bearer("other"), want: federation.ErrUnauthenticated},
		"an empty token is none":                                   {login: bearer(""), want: federation.ErrUnauthenticated},
		"a scope that is none is told to who may":                  {query: "?scope=x", login: bearer("operator"), want: federation.ErrNoScope},
		"a scope that is none is not told to others":               {query: "?scope=x", login: bearer("other"), want: federation.ErrUnauthenticated},
		"the password of a shoot gives access to the shoot":        {query: sun, login: basic("admin", "right")},
		"another password does not":                                {query: sun, login: basic("admin", "wrong"), want: federation.ErrUnauthenticated},
		"another user does not":                                    {query: sun, login: basic("root", "right"), want: federation.ErrUnauthenticated},
		"no password is none":                                      {query: sun, login: basic("admin", ""), want: federation.ErrUnauthenticated},
		"a password that a member wrote into the project does not": {query: sun, login: basic("admin", "mine"), want: federation.ErrUnauthenticated},
		"OPR-29 the password of the Garden gives access to all":    {login: basic("admin", "all")},
		"and to a shoot":                                           {query: sun, login: basic("admin", "all")},
		"a scope that is none is told to its user":                 {query: "?scope=x", login: basic("admin", "all"), want: federation.ErrNoScope},
		"a password of another Secret does not":                    {login: basic("admin", "other"), want: federation.ErrUnauthenticated},
		"the password of a shoot gives access to nothing else":     {login: basic("admin", "right"), want: federation.ErrUnauthenticated},
		"nor to the garden":                                        {query: "?scope=garden", login: basic("admin", "right"), want: federation.ErrUnauthenticated},
		"nor to its seed":                                          {query: "?scope=seed/one", login: basic("admin", "right"), want: federation.ErrUnauthenticated},
		"nor to a shoot that does not exist":                       {query: "?scope=shoot/garden-dev/moon", login: basic("admin", "right"), want: federation.ErrUnauthenticated},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/metrics"+tc.query, nil)
			tc.login(r)
			scope, err := a.decide(r)
			if !errors.Is(err, tc.want) {
				t.Errorf("error is %v, want %v", err, tc.want)
			}
			if err == nil && scope.String() != r.URL.Query().Get("scope") {
				t.Errorf("scope is %q", scope)
			}
		})
	}
	t.Run("a token that passed is not reviewed again at once", func(t *testing.T) {
		before := reviews
		for range 3 {
			if err := a.token(t.Context(), "operator"); err != nil {
				t.Fatal(err)
			}
		}
		if reviews != before {
			t.Errorf("%d more reviews", reviews-before)
		}
	})
}
