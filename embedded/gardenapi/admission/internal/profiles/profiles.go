// Package profiles reads the profile of a Shoot, whichever kind it has; for admission plugins.
package profiles

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
)

// Of returns what the profile of a shoot offers; for profiles of projects, what they and their parents offer together.
// The error of a profile that does not exist is the API's.
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
