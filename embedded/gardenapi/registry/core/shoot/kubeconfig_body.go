package shoot

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/user"

	authentication "github.com/gardener-up/gardener-up/embedded/apis/authentication/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/authentication"
)

// kubeconfigBody reads and writes the body of one kind of request.
type kubeconfigBody struct {
	kind       string
	empty      func() runtime.Object
	check      func(runtime.Object) field.ErrorList
	expiration func(runtime.Object) *int64
	answer     func(runtime.Object, []byte, metav1.Time)
	// identity returns the user and the groups of the certificate.
	identity      func(ctx context.Context, user user.Info) (commonName, organization string, err error)
	maxExpiration time.Duration
}

func adminBody(max time.Duration) kubeconfigBody {
	return kubeconfigBody{
		kind:  "AdminKubeconfigRequest",
		empty: func() runtime.Object { return &authentication.AdminKubeconfigRequest{} },
		check: func(o runtime.Object) field.ErrorList {
			return validation.ValidateAdminKubeconfigRequest(o.(*authentication.AdminKubeconfigRequest))
		},
		expiration: func(o runtime.Object) *int64 {
			return o.(*authentication.AdminKubeconfigRequest).Spec.ExpirationSeconds
		},
		answer: func(o runtime.Object, kubeconfig []byte, end metav1.Time) {
			o.(*authentication.AdminKubeconfigRequest).Status = authentication.AdminKubeconfigRequestStatus{
				Kubeconfig: kubeconfig, ExpirationTimestamp: end, KubeConfig: kubeconfig,
			}
		},
		identity: func(_ context.Context, user user.Info) (string, string, error) {
			return user.GetName(), "system:masters", nil
		},
		maxExpiration: max,
	}
}

func viewerBody(max time.Duration, groups viewers) kubeconfigBody {
	return kubeconfigBody{
		kind:  "ViewerKubeconfigRequest",
		empty: func() runtime.Object { return &authentication.ViewerKubeconfigRequest{} },
		check: func(o runtime.Object) field.ErrorList {
			return validation.ValidateViewerKubeconfigRequest(o.(*authentication.ViewerKubeconfigRequest))
		},
		expiration: func(o runtime.Object) *int64 {
			return o.(*authentication.ViewerKubeconfigRequest).Spec.ExpirationSeconds
		},
		answer: func(o runtime.Object, kubeconfig []byte, end metav1.Time) {
			o.(*authentication.ViewerKubeconfigRequest).Status = authentication.ViewerKubeconfigRequestStatus{Kubeconfig: kubeconfig, ExpirationTimestamp: end}
		},
		identity: func(ctx context.Context, user user.Info) (string, string, error) {
			group, err := groups.of(ctx, user)
			return constants.ShootViewerUserNamePrefix + user.GetName(), group, err
		},
		maxExpiration: max,
	}
}
