package shootquotavalidator

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/internal/profiles"
)

// account computes usages for one request; it reads every profile once.
type account struct {
	objects  initializer.Objects
	profiles map[profile]*core.CloudProfileSpec
}

// profile identifies a profile; CloudProfiles have no namespace.
type profile struct{ namespace, kind, name string }

func (p *Plugin) account() *account {
	return &account{p.Objects, map[profile]*core.CloudProfileSpec{}}
}

// usage counts only volumes and load balancers of a shoot whose profile is gone.
func (a *account) usage(ctx context.Context, shoot *core.Shoot) (corev1.ResourceList, error) {
	offers, err := a.offers(ctx, shoot)
	if err != nil {
		return nil, fmt.Errorf("read the profile of shoot %s/%s: %w", shoot.Namespace, shoot.Name, err)
	}
	used, err := usage(shoot, offers)
	if err != nil { // validation tells the same about the shoot in question
		return nil, exceeded{fmt.Errorf("shoot %s/%s: %w", shoot.Namespace, shoot.Name, err)}
	}
	return used, nil
}

func (a *account) offers(ctx context.Context, shoot *core.Shoot) (*core.CloudProfileSpec, error) {
	var key profile
	if ref := helper.CloudProfileReference(&shoot.Spec); ref != nil {
		key = profile{kind: ref.Kind, name: ref.Name}
		if ref.Kind == helper.KindNamespacedCloudProfile {
			key.namespace = shoot.Namespace
		}
	}
	if known, ok := a.profiles[key]; ok {
		return known, nil
	}
	offers, err := profiles.Of(ctx, a.objects, &shoot.Spec, shoot.Namespace)
	if apierrors.IsNotFound(err) {
		offers, err = &core.CloudProfileSpec{}, nil
	}
	if err == nil {
		a.profiles[key] = offers
	}
	return offers, err
}
