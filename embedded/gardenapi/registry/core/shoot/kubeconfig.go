package shoot

import (
	"context"
	"fmt"
	"net"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/client-go/kubernetes"

	authentication "github.com/gardener-up/gardener-up/embedded/apis/authentication/v1alpha1"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/internal/fewerrors"
)

// defaultValidity applies to requests without a validity. Defaulting usually sets one.
const defaultValidity = time.Hour

// Kubeconfigs configures how kubeconfigs for shoots are issued.
type Kubeconfigs struct {
	Enabled bool
	// Garden holds the CA bundles of shoots.
	Garden    kubernetes.Interface
	FrontDoor FrontDoor
	// The validity of longer requests is reduced to these.
	AdminMaxExpiration, ViewerMaxExpiration time.Duration
}

// FrontDoor is the address that users dial instead of the advertised addresses.
type FrontDoor struct {
	// Address is host:port. It is empty if users can dial the advertised addresses.
	Address string
	// Host returns the host of the front door for the host of an advertised address, or "" for that of Address. May be nil.
	Host func(name string) string
}

// of returns the address to dial for the host of an advertised address.
func (d FrontDoor) of(name string) string {
	_, port, err := net.SplitHostPort(d.Address)
	if err != nil || d.Host == nil {
		return d.Address
	}
	if host := d.Host(name); host != "" {
		return net.JoinHostPort(host, port)
	}
	return d.Address
}

// kubeconfigREST serves POST to shoots/adminkubeconfig or shoots/viewerkubeconfig. Nothing is stored.
type kubeconfigREST struct {
	kubeconfigBody
	authorities authorities
	shoots      rest.Getter
	frontDoor   FrontDoor
}

func (r *kubeconfigREST) New() runtime.Object { return r.empty() }
func (r *kubeconfigREST) Destroy()            {}

// GroupVersionKind is the kind of the body, which differs from that of the parent resource.
func (r *kubeconfigREST) GroupVersionKind(schema.GroupVersion) schema.GroupVersionKind {
	return authentication.SchemeGroupVersion.WithKind(r.kind)
}

// Create answers the request for the shoot called name.
func (r *kubeconfigREST) Create(ctx context.Context, name string, obj runtime.Object, validate rest.ValidateObjectFunc, _ *metav1.CreateOptions) (runtime.Object, error) {
	if errs := r.check(obj); len(errs) > 0 {
		return nil, apierrors.NewInvalid(authentication.Kind(r.kind), name, fewerrors.Of(errs))
	}
	if err := validate(ctx, obj); err != nil {
		return nil, err
	}
	user, ok := genericapirequest.UserFrom(ctx)
	if !ok {
		return nil, apierrors.NewUnauthorized("the request has no user")
	}
	found, err := r.shoots.Get(ctx, name, &metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	shoot := found.(*core.Shoot)
	if len(shoot.Status.AdvertisedAddresses) == 0 {
		path := field.NewPath("status", "status")
		return nil, apierrors.NewInvalid(core.Kind("Shoot"), name, field.ErrorList{field.Invalid(path, "", "the shoot has no advertised addresses yet")})
	}
	bundle, err := r.authorities.server(ctx, shoot)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	ca, err := r.authorities.client(ctx, shoot)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	commonName, organization, err := r.identity(ctx, user)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	client, err := issue(ca, commonName, organization, r.validity(obj))
	if err != nil {
		return nil, apierrors.NewInternalError(fmt.Errorf("issue client certificate: %w", err))
	}
	kubeconfig, err := newKubeconfig(shoot, bundle, client, r.frontDoor)
	if err != nil {
		return nil, apierrors.NewInternalError(fmt.Errorf("write kubeconfig: %w", err))
	}
	r.answer(obj, kubeconfig, metav1.NewTime(client.notAfter))
	return obj, nil
}

func (r *kubeconfigREST) validity(obj runtime.Object) time.Duration {
	wanted := defaultValidity
	if seconds := r.expiration(obj); seconds != nil {
		wanted = time.Duration(*seconds) * time.Second
	}
	return min(wanted, r.maxExpiration)
}
