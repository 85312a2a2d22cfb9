package workloadidentity

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	security "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/security"
	"github.com/gardener-up/gardener-up/embedded/internal/fewerrors"
)

// defaultValidity applies to requests without a validity. Defaulting usually sets one.
const defaultValidity = time.Hour

// Tokens configures how tokens are issued.
type Tokens struct {
	// Signer signs the tokens. Without it no tokens are issued.
	Signer *Signer
	// The validity of shorter and longer requests is changed to these bounds.
	MinExpiration, MaxExpiration time.Duration
	// Find reads the object that a token is for.
	Find func(ctx context.Context, resource schema.GroupResource, namespace, name string) (runtime.Object, error)
	// ProjectOf returns the project of a namespace, or nil.
	ProjectOf func(ctx context.Context, namespace string) (*core.Project, error)
}

// AddToken adds the subresource workloadidentities/token.
func AddToken(paths map[string]rest.Storage, identities rest.Getter, t Tokens) {
	paths["workloadidentities/token"] = &tokenREST{Tokens: t, identities: identities}
}

// tokenREST serves POST to workloadidentities/token. Nothing is stored.
type tokenREST struct {
	Tokens
	identities rest.Getter
}

func (r *tokenREST) New() runtime.Object { return &security.TokenRequest{} }
func (r *tokenREST) Destroy()            {}

// GroupVersionKind is the kind of the body, which differs from that of the parent resource.
func (r *tokenREST) GroupVersionKind(schema.GroupVersion) schema.GroupVersionKind {
	return security.SchemeGroupVersion.WithKind("TokenRequest")
}

// Create answers the request for the identity called name.
func (r *tokenREST) Create(ctx context.Context, name string, obj runtime.Object, validate rest.ValidateObjectFunc, _ *metav1.CreateOptions) (runtime.Object, error) {
	request, ok := obj.(*security.TokenRequest)
	if !ok {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the body must be a TokenRequest, not a %T", obj))
	}
	if errs := validation.ValidateTokenRequest(request); len(errs) > 0 {
		return nil, apierrors.NewInvalid(security.Kind("TokenRequest"), name, fewerrors.Of(errs))
	}
	if err := validate(ctx, obj); err != nil {
		return nil, err
	}
	if r.Signer == nil {
		return nil, apierrors.NewServiceUnavailable("this server has no key to sign tokens of WorkloadIdentities")
	}
	found, err := r.identities.Get(ctx, name, &metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	identity := found.(*security.WorkloadIdentity)
	about := map[string]reference{"workloadIdentity": referenceTo(identity)}
	if err := r.addContext(ctx, request.Spec.ContextObject, about); err != nil {
		return nil, err
	}
	token, end, err := r.Signer.sign(identity, about, r.validity(request))
	if err != nil {
		return nil, apierrors.NewInternalError(fmt.Errorf("sign token of WorkloadIdentity %s/%s: %w", identity.Namespace, name, err))
	}
	request.Status = security.TokenRequestStatus{Token: token, ExpirationTimestamp: metav1.NewTime(end)}
	return request, nil
}

func (r *tokenREST) validity(request *security.TokenRequest) time.Duration {
	wanted := defaultValidity
	if seconds := request.Spec.ExpirationSeconds; seconds != nil {
		wanted = time.Duration(*seconds) * time.Second
	}
	return min(max(wanted, r.MinExpiration), r.MaxExpiration)
}

// addContext adds the object that the token is for, and the project, shoot or seed of that object. Only requests of
// gardenlets are trusted to name such an object.
func (r *tokenREST) addContext(ctx context.Context, object *security.ContextObject, about map[string]reference) error {
	if object == nil {
		return nil
	}
	if user, ok := genericapirequest.UserFrom(ctx); !ok || !slices.Contains(user.GetGroups(), constants.SeedsGroup) {
		return apierrors.NewForbidden(security.Resource("workloadidentities/token"), "", fmt.Errorf("only gardenlets may name a context object"))
	}
	context, known := contexts[object.Kind]
	if !known || object.APIVersion != context.version.String() {
		return apierrors.NewBadRequest(fmt.Sprintf("an object of kind %s in %s cannot be the context of a token", object.Kind, object.APIVersion))
	}
	found, err := r.Find(ctx, context.version.WithResource(context.plural).GroupResource(), ptr.Deref(object.Namespace, ""), object.Name)
	if err != nil {
		return err
	}
	accessor, err := meta.Accessor(found)
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	if accessor.GetUID() != object.UID {
		return apierrors.NewConflict(security.Resource("workloadidentities"), object.Name, fmt.Errorf("the context object has UID %s", accessor.GetUID()))
	}
	about[context.claim] = referenceTo(accessor)
	return r.addOwners(ctx, found, about)
}
