package seed

import (
	"context"
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/clock"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/verticalpodautoscaler"
	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	"github.com/gardener-up/gardener-up/controllers/internal/podautoscaler"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/apis/crds"
)

// autoscaler is the vertical pod autoscaler of the seed as its settings want it; nil if they want none.
func autoscaler(seed *gardencorev1beta1.Seed) *gardencorev1beta1.SeedSettingVerticalPodAutoscaler {
	if seed.Spec.Settings == nil || seed.Spec.Settings.VerticalPodAutoscaler == nil || !seed.Spec.Settings.VerticalPodAutoscaler.Enabled {
		return nil
	}
	return seed.Spec.Settings.VerticalPodAutoscaler
}

// autoscaling is the vertical pod autoscaler of a seed.
type autoscaling struct {
	cluster
	clock clock.PassiveClock
	crds  *crdInstaller
}

func (a autoscaling) own() podautoscaler.Autoscaler {
	return podautoscaler.Autoscaler{
		Client: a.client, Clock: a.clock, Owner: verticalpodautoscaler.Gardenlet, Identity: constants.SecretManagerIdentityGardenlet,
		Kinds: a.deployKinds, Write: a.applier().ApplyAll,
	}
}

// reconcile deploys the vertical pod autoscaler of the seed, or removes it. Beside another process that is the operator of a Garden it deploys none: that
// one does, or its Garden wants none.
func (a autoscaling) reconcile(ctx context.Context, seed *gardencorev1beta1.Seed, operated bool) error {
	settings := autoscaler(seed)
	if settings == nil || operated {
		return a.own().Destroy(ctx)
	}
	return a.own().Deploy(ctx, verticalpodautoscaler.ClusterValues{
		Image: a.image, PriorityClass: constants.PriorityClassNameSeedSystem700, FeatureGates: settings.FeatureGates, MaxAllowed: settings.MaxAllowed,
	})
}

// deployKinds installs the kinds, but leaves those of whoever has installed an autoscaler.
func (a autoscaling) deployKinds(ctx context.Context) error {
	wanted, err := crds.Autoscaling()
	if err != nil {
		return err
	}
	installed, err := a.crds.installed(ctx)
	if err != nil {
		return err
	}
	return a.crds.apply(ctx, slices.DeleteFunc(wanted, func(crd *apiextensionsv1.CustomResourceDefinition) bool {
		sum, found := installed[crd.Name]
		return found && sum == ""
	}), false)
}

// health is the finding for the vertical pod autoscaler of the seed, if the gardenlet has deployed it. That of somebody else is not checked.
func (a autoscaling) health(ctx context.Context) conditions.Finding {
	deployed, err := a.own().Deployed(ctx)
	if err != nil {
		return conditions.Unknown(reasonComponentsUnknown, fmt.Sprintf("The vertical pod autoscaler of the seed cannot be checked: %v", err))
	}
	finding := conditions.True(reasonComponentsRunning, "All system components are healthy.")
	for _, name := range verticalpodautoscaler.Deployments() {
		if deployed && finding.Status == gardencorev1beta1.ConditionTrue {
			finding = checks{a.client, a.clock}.deployment(ctx, name)
		}
	}
	return finding
}
