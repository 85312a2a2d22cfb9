package shootvalidator

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/utils/ptr"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
)

// checkBindingAllowed lets only those choose the seed of a new shoot who may also assign existing ones.
func (p *Plugin) checkBindingAllowed(ctx context.Context, a admission.Attributes, shoot *core.Shoot) field.ErrorList {
	if shoot.Spec.SeedName == nil {
		return nil
	}
	path := field.NewPath("spec", "seedName")
	decision, _, err := p.authorizer.Authorize(ctx, authorizer.AttributesRecord{
		User: a.GetUserInfo(), Verb: "update", ResourceRequest: true, Namespace: a.GetNamespace(), Name: a.GetName(),
		APIGroup: a.GetResource().Group, APIVersion: a.GetResource().Version, Resource: a.GetResource().Resource, Subresource: "binding",
	})
	if decision == authorizer.DecisionAllow {
		return nil
	}
	if err != nil {
		return field.ErrorList{field.InternalError(path, err)}
	}
	return field.ErrorList{field.Forbidden(path, fmt.Sprintf("user %q may not update shoots/binding", a.GetUserInfo().GetName()))}
}

// applySeed completes the networks of a shoot with a seed, and checks a newly chosen seed.
func (p *Plugin) applySeed(ctx context.Context, shoot, old *core.Shoot) field.ErrorList {
	if shoot.Spec.SeedName == nil {
		return nil
	}
	chosen := old == nil || !ptr.Equal(old.Spec.SeedName, shoot.Spec.SeedName)
	if !chosen && hasNetworks(shoot) {
		return nil
	}
	path := field.NewPath("spec", "seedName")
	seed, err := initializer.Get[core.Seed](ctx, p.objects, core.Resource("seeds"), "", *shoot.Spec.SeedName)
	if apierrors.IsNotFound(err) {
		return field.ErrorList{field.NotFound(path, *shoot.Spec.SeedName)}
	}
	if err != nil {
		return field.ErrorList{field.InternalError(path, err)}
	}
	setNetworks(shoot, seed)
	switch {
	case !chosen:
		return nil
	case seed.DeletionTimestamp != nil:
		return field.ErrorList{field.Forbidden(path, fmt.Sprintf("seed %q is being deleted", seed.Name))}
	case !helper.TaintsTolerated(seed.Spec.Taints, shoot.Spec.Tolerations):
		return field.ErrorList{field.Forbidden(path, fmt.Sprintf("the shoot does not tolerate the taints of seed %q", seed.Name))}
	default:
		return nil
	}
}

func hasNetworks(shoot *core.Shoot) bool {
	n := shoot.Spec.Networking
	return n != nil && n.Services != nil && (n.Pods != nil || helper.IsWorkerless(shoot))
}

// setNetworks takes the ranges that the seed proposes, or else those that every Gardener has. A shoot without workers
// has no pods.
func setNetworks(shoot *core.Shoot, seed *core.Seed) {
	if shoot.Spec.Networking == nil {
		shoot.Spec.Networking = &core.Networking{}
	}
	proposed := ptr.Deref(seed.Spec.Networks.ShootDefaults, core.ShootNetworks{})
	n := shoot.Spec.Networking
	if n.Services == nil {
		n.Services = ptr.To(ptr.Deref(proposed.Services, core.DefaultServiceNetworkCIDR))
	}
	if n.Pods == nil && !helper.IsWorkerless(shoot) {
		n.Pods = ptr.To(ptr.Deref(proposed.Pods, core.DefaultPodNetworkCIDR))
	}
}
