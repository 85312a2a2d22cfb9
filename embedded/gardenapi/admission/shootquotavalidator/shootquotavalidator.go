// Package shootquotavalidator is the admission plugin that enforces the Quotas of credentials: sums of machines, volumes
// and load balancers, and the lifetime of shoots. ResourceQuotas limit numbers of objects.
package shootquotavalidator

import (
	"context"
	"errors"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/utils/clock"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/internal/bindings"
)

// PluginName is the name of the plugin in flags and configuration files.
const PluginName = "ShootQuotaValidator"

// Register adds the plugin to the available plugins.
func Register(plugins *admission.Plugins) {
	plugins.Register(PluginName, func(io.Reader) (admission.Interface, error) {
		return New(clock.RealClock{}), nil
	})
}

// New makes a plugin.
func New(clock clock.PassiveClock) *Plugin {
	return &Plugin{initializer.NewReader(admission.Create, admission.Update), clock}
}

// Plugin implements the admission plugin.
type Plugin struct {
	initializer.Reader
	clock clock.PassiveClock
}

// exceeded are the metrics that are.
type exceeded struct{ error }

// Admit refuses shoots that exceed a Quota, and records when the lifetime of a shoot ends.
func (p *Plugin) Admit(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	shoot, ok := a.GetObject().(*core.Shoot)
	if !ok || a.GetSubresource() != "" || shoot.DeletionTimestamp != nil {
		return nil
	}
	old, _ := a.GetOldObject().(*core.Shoot)
	err := p.admit(ctx, shoot, old)
	if refused := (exceeded{}); errors.As(err, &refused) {
		return admission.NewForbidden(a, refused.error)
	}
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	return nil
}

func (p *Plugin) admit(ctx context.Context, shoot, old *core.Shoot) error {
	reference := bindings.Of(&shoot.Spec)
	if reference.Name == "" {
		return exceededOf(applyLifetime(shoot, nil, p.clock.Now()))
	}
	binding, err := bindings.Get(ctx, p.Objects, shoot.Namespace, reference)
	if apierrors.IsNotFound(err) {
		return nil // ResourceReferenceManager refuses such shoots
	}
	if err != nil {
		return fmt.Errorf("read binding %q: %w", reference.Name, err)
	}
	var days *int32
	var growth corev1.ResourceList // computed when the first quota needs it
	for _, ref := range binding.Quotas {
		quota, err := initializer.Get[core.Quota](ctx, p.Objects, core.Resource("quotas"), ref.Namespace, ref.Name)
		if apierrors.IsNotFound(err) {
			return exceeded{fmt.Errorf("quota %s/%s of binding %q does not exist", ref.Namespace, ref.Name, reference.Name)}
		}
		if err != nil {
			return fmt.Errorf("read quota %s/%s: %w", ref.Namespace, ref.Name, err)
		}
		if one := quota.Spec.ClusterLifetimeDays; one != nil && (days == nil || *one < *days) {
			days = one
		}
		if growth == nil {
			if growth, err = p.growth(ctx, shoot, old); err != nil {
				return err
			}
		}
		if err := p.check(ctx, shoot, growth, quota, ref); err != nil {
			return err
		}
	}
	return exceededOf(applyLifetime(shoot, days, p.clock.Now()))
}

func exceededOf(err error) error {
	if err != nil {
		return exceeded{err}
	}
	return nil
}

// growth is the usage of the metrics that the shoot uses more of than before. Using less is always allowed.
func (p *Plugin) growth(ctx context.Context, shoot, old *core.Shoot) (corev1.ResourceList, error) {
	account := p.account()
	wanted, err := account.usage(ctx, shoot)
	if err != nil || old == nil {
		return wanted, err
	}
	had, err := account.usage(ctx, old)
	if err != nil {
		return nil, err
	}
	for metric, amount := range wanted {
		if before := had[metric]; amount.Cmp(before) <= 0 {
			delete(wanted, metric)
		}
	}
	return wanted, nil
}

// check adds up all shoots that share a quota.
func (p *Plugin) check(ctx context.Context, shoot *core.Shoot, growth corev1.ResourceList, quota *core.Quota, ref corev1.ObjectReference) error {
	limited := sets.New[corev1.ResourceName]()
	for metric := range quota.Spec.Metrics {
		if _, grows := growth[metric]; grows {
			limited.Insert(metric)
		}
	}
	if len(limited) == 0 {
		return nil
	}
	total, err := p.others(ctx, shoot, quota, ref)
	if err != nil {
		return err
	}
	var errs []error
	for _, metric := range sets.List(limited) {
		limit, used, wanted := quota.Spec.Metrics[metric], total[metric], growth[metric]
		sum := used.DeepCopy()
		sum.Add(wanted)
		if sum.Cmp(limit) > 0 {
			errs = append(errs, fmt.Errorf("quota %s/%s is exceeded: %s: %s wanted, %s used by other shoots, %s allowed",
				quota.Namespace, quota.Name, metric, text(wanted), text(used), text(limit)))
		}
	}
	return exceededOf(errors.Join(errs...))
}

func text(quantity resource.Quantity) string { return quantity.String() }

// others is the usage of all other shoots whose bindings refer to the quota: in the same project if that is the scope of
// the quota, or else wherever the credentials are used.
func (p *Plugin) others(ctx context.Context, shoot *core.Shoot, quota *core.Quota, ref corev1.ObjectReference) (corev1.ResourceList, error) {
	namespace := ""
	if quota.Spec.Scope.Kind == "Project" {
		namespace = shoot.Namespace
	}
	sharing, err := bindings.WithQuota(ctx, p.Objects, namespace, ref)
	if err != nil {
		return nil, err
	}
	var others []*core.Shoot
	err = p.Objects.Each(ctx, core.Resource("shoots"), namespace, func(obj runtime.Object) bool {
		other := obj.(*core.Shoot)
		isSelf := other.Namespace == shoot.Namespace && other.Name == shoot.Name
		if !isSelf && sharing[bindings.Key{Namespace: other.Namespace, Reference: bindings.Of(&other.Spec)}] {
			others = append(others, other)
		}
		return true
	})
	if err != nil {
		return nil, fmt.Errorf("read shoots: %w", err)
	}
	total, account := corev1.ResourceList{}, p.account()
	for _, other := range others {
		used, err := account.usage(ctx, other)
		if err != nil {
			return nil, err
		}
		for metric, amount := range used {
			add(total, metric, amount, 1)
		}
	}
	return total, nil
}
