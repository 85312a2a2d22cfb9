// Package shootexposureclass is the admission plugin that restricts the seeds of a new Shoot to those of its
// ExposureClass, by adding the class's selector and tolerations to those of the Shoot.
package shootexposureclass

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
)

// PluginName is the name of the plugin in flags and configuration files.
const PluginName = "ShootExposureClass"

// Register adds the plugin to the available plugins.
func Register(plugins *admission.Plugins) {
	plugins.Register(PluginName, func(io.Reader) (admission.Interface, error) {
		return &Plugin{initializer.NewReader(admission.Create)}, nil
	})
}

// Plugin implements the admission plugin.
type Plugin struct{ initializer.Reader }

// Admit merges the class into the shoot.
func (p *Plugin) Admit(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	shoot, ok := a.GetObject().(*core.Shoot)
	if !ok || a.GetSubresource() != "" || ptr.Deref(shoot.Spec.ExposureClassName, "") == "" {
		return nil
	}
	name := *shoot.Spec.ExposureClassName
	class, err := initializer.Get[core.ExposureClass](ctx, p.Objects, core.Resource("exposureclasses"), "", name)
	if apierrors.IsNotFound(err) {
		return admission.NewForbidden(a, field.NotFound(field.NewPath("spec", "exposureClassName"), name))
	}
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	if class.Scheduling == nil {
		return nil
	}
	if err := mergeSelector(&shoot.Spec, class.Scheduling.SeedSelector); err != nil {
		return admission.NewForbidden(a, fmt.Errorf("spec.seedSelector contradicts exposure class %q: %w", name, err))
	}
	for _, toleration := range class.Scheduling.Tolerations {
		if !slices.ContainsFunc(shoot.Spec.Tolerations, func(present core.Toleration) bool {
			return apiequality.Semantic.DeepEqual(present, toleration)
		}) {
			shoot.Spec.Tolerations = append(shoot.Spec.Tolerations, toleration)
		}
	}
	return nil
}

// mergeSelector demands what both demand.
func mergeSelector(spec *core.ShootSpec, class *core.SeedSelector) error {
	if class == nil {
		return nil
	}
	if spec.SeedSelector == nil {
		spec.SeedSelector = class.DeepCopy()
		return nil
	}
	own := spec.SeedSelector
	for key, value := range class.MatchLabels {
		if present, ok := own.MatchLabels[key]; ok && present != value {
			return fmt.Errorf("label %s must be %q and %q", key, present, value)
		}
	}
	if len(class.ProviderTypes) > 0 && len(own.ProviderTypes) > 0 && !slices.Equal(class.ProviderTypes, own.ProviderTypes) {
		return fmt.Errorf("provider types are %v and %v", own.ProviderTypes, class.ProviderTypes)
	}
	if own.MatchLabels == nil && len(class.MatchLabels) > 0 {
		own.MatchLabels = map[string]string{}
	}
	maps.Copy(own.MatchLabels, class.MatchLabels)
	for _, expression := range class.MatchExpressions {
		if !slices.ContainsFunc(own.MatchExpressions, func(present metav1.LabelSelectorRequirement) bool {
			return apiequality.Semantic.DeepEqual(present, expression)
		}) {
			own.MatchExpressions = append(own.MatchExpressions, expression)
		}
	}
	if len(own.ProviderTypes) == 0 {
		own.ProviderTypes = class.ProviderTypes
	}
	return nil
}
