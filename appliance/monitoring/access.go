package monitoring

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/managers"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/observability"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/federation"
)

// access decides who sees what.
type access struct {
	garden  client.Client
	seeds   func() []managers.Seed
	runtime func() (*rest.Config, error)

	mu     sync.Mutex
	passed map[[sha256.Size]byte]time.Time // tokens that were allowed, until when they are not asked for again
}

// Bounds of the memory for tokens. A token that is revoked works for a moment.
const (
	passFor    = 10 * time.Second
	mostPassed = 100
)

// decide is federation.Access. Who has no valid credential learns nothing, not even whether the scope exists.
func (a *access) decide(r *http.Request) (federation.Scope, error) {
	scope, invalid := federation.ParseScope(r.URL.Query().Get("scope"))
	if user, password, basic := r.BasicAuth(); basic {
		failed := federation.ErrUnauthenticated
		if invalid == nil && scope.Kind == federation.Shoot {
			if failed = a.password(r.Context(), scope, user, password); failed == nil {
				return scope, nil
			}
		}
		switch err := a.operator(r.Context(), user, password); {
		case err == nil:
			return scope, invalid
		case errors.Is(failed, federation.ErrUnauthenticated):
			return scope, err
		}
		return scope, failed
	}
	token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !bearer || token == "" {
		return scope, federation.ErrUnauthenticated
	}
	if err := a.token(r.Context(), token); err != nil {
		return scope, err
	}
	return scope, invalid
}

func (a *access) token(ctx context.Context, token string) error {
	sum := sha256.Sum256([]byte(token))
	if a.remembered(sum) {
		return nil
	}
	review := &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token, Audiences: []string{Audience}}}
	if err := a.garden.Create(ctx, review); err != nil {
		return fmt.Errorf("review a token: %w", err)
	}
	if !review.Status.Authenticated {
		return federation.ErrUnauthenticated
	}
	user := review.Status.User
	question := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: user.Username, UID: user.UID, Groups: user.Groups, Extra: extra(user.Extra),
		NonResourceAttributes: &authorizationv1.NonResourceAttributes{Path: metricsPath, Verb: "get"},
	}}
	if err := a.garden.Create(ctx, question); err != nil {
		return fmt.Errorf("ask for the rights of a token: %w", err)
	}
	if !question.Status.Allowed {
		return federation.ErrForbidden
	}
	a.remember(sum)
	return nil
}

func extra(of map[string]authenticationv1.ExtraValue) map[string]authorizationv1.ExtraValue {
	out := map[string]authorizationv1.ExtraValue{}
	for key, values := range of {
		out[key] = authorizationv1.ExtraValue(values)
	}
	return out
}

func (a *access) remembered(sum [sha256.Size]byte) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return time.Now().Before(a.passed[sum])
}

func (a *access) remember(sum [sha256.Size]byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.passed == nil || len(a.passed) >= mostPassed {
		a.passed = map[[sha256.Size]byte]time.Time{}
	}
	a.passed[sum] = time.Now().Add(passFor)
}

// password compares with the Secret in the seed. Its copy in the project can be overwritten by members of the project, some of whom may
// not see the shoot.
func (a *access) password(ctx context.Context, scope federation.Scope, user, password string) error {
	shoot := &gardencorev1beta1.Shoot{}
	if err := a.garden.Get(ctx, client.ObjectKey{Namespace: scope.Namespace, Name: scope.Name}, shoot); apierrors.IsNotFound(err) {
		return federation.ErrUnauthenticated
	} else if err != nil {
		return fmt.Errorf("read the shoot: %w", err)
	}
	config, err := configOf(a.seeds(), seedOf(shoot))
	if err != nil || shoot.Status.TechnicalID == "" {
		return federation.ErrUnauthenticated
	}
	return stored{config: config, namespace: shoot.Status.TechnicalID, labels: "managed-by=secrets-manager,name=" + constants.SecretNameObservabilityIngressUsers}.compare(ctx, user, password)
}

// operator compares with the password that the operator of the Garden keeps for everything.
func (a *access) operator(ctx context.Context, user, password string) error {
	config, err := a.runtime()
	if err != nil {
		return fmt.Errorf("reach the runtime cluster: %w", err)
	}
	return stored{config: config, namespace: constants.GardenNamespace, labels: labels.SelectorFromSet(observability.Selector()).String()}.compare(ctx, user, password)
}

// stored are the Secrets with passwords that give access.
type stored struct {
	config            *rest.Config
	namespace, labels string
}

func (s stored) compare(ctx context.Context, user, password string) error {
	cluster, err := kubernetes.NewForConfig(s.config)
	if err != nil {
		return err
	}
	secrets, err := cluster.CoreV1().Secrets(s.namespace).List(ctx, metav1.ListOptions{LabelSelector: s.labels})
	if err != nil {
		return fmt.Errorf("read the password for metrics: %w", err)
	}
	for _, secret := range secrets.Items { // two while one replaces the other
		if same(secret.Data["username"], user) && same(secret.Data["password"], password) {
			return nil
		}
	}
	return federation.ErrUnauthenticated
}

// same compares without telling by the time it takes how much is the same.
func same(want []byte, got string) bool {
	a, b := sha256.Sum256(want), sha256.Sum256([]byte(got))
	return len(want) > 0 && subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

var errNotServed = errors.New("this landscape does not serve the seed")

func configOf(seeds []managers.Seed, name string) (*rest.Config, error) {
	for _, seed := range seeds {
		if seed.Name() == name {
			return seed.Config()
		}
	}
	return nil, errNotServed
}

// seedOf is the seed that has the control plane of a shoot.
func seedOf(shoot *gardencorev1beta1.Shoot) string {
	if shoot.Status.SeedName != nil {
		return *shoot.Status.SeedName
	}
	return ""
}
