package shoot

import (
	"context"
	"fmt"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/client-go/kubernetes"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// viewers distinguishes viewers of the whole landscape from viewers of one project. The former may read every Secret of
// the garden.
type viewers struct {
	garden kubernetes.Interface
}

// of returns the group of a user in shoots.
func (v viewers) of(ctx context.Context, user user.Info) (string, error) {
	extra := map[string]authorizationv1.ExtraValue{}
	for key, values := range user.GetExtra() {
		extra[key] = values
	}
	review, err := v.garden.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{
		Spec: authorizationv1.SubjectAccessReviewSpec{
			User: user.GetName(), Groups: user.GetGroups(), UID: user.GetUID(), Extra: extra,
			ResourceAttributes: &authorizationv1.ResourceAttributes{Version: "v1", Resource: "secrets", Verb: "list"},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("ask whether %q may list the Secrets of the garden: %w", user.GetName(), err)
	}
	if review.Status.Allowed {
		return constants.ShootGroupSystemViewers, nil
	}
	return constants.ShootGroupProjectViewers, nil
}
