// Package profiles reads the profile of a Shoot, of either kind. It is for admission plugins.
package profiles

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
)

// Of returns the profile of a shoot. A NamespacedCloudProfile is returned merged with its parent. If the profile does not exist, the
// error is the NotFound error of the API.
func Of(ctx context.Context, objects initializer.Objects, spec *core.ShootSpec, namespace string) (*core.CloudProfileSpec, error) {
	ref := helper.CloudProfileReference(spec)
	if ref == nil {
		return nil, apierrors.NewNotFound(core.Resource("cloudprofiles"), "")
	}
	if ref.Kind == helper.KindNamespacedCloudProfile {
		profile, err := initializer.Get[core.NamespacedCloudProfile](ctx, objects, core.Resource("namespacedcloudprofiles"), namespace, ref.Name)
		if err != nil {
			return nil, err
		}
		return &profile.Status.CloudProfileSpec, nil
	}
	profile, err := initializer.Get[core.CloudProfile](ctx, objects, core.Resource("cloudprofiles"), "", ref.Name)
	if err != nil {
		return nil, err
	}
	return &profile.Spec, nil
}
