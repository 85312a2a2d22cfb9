package deletionconfirmation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/utils/ptr"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/projects"
)

// Projects may demand that one person confirms the deletion of a shoot and another one deletes it. The note of who
// confirmed is this plugin's: users can neither write nor keep it.

// Admit records the user who confirms the deletion of a shoot, if the deletion needs two people. It removes the record
// together with the confirmation.
func (p *Plugin) Admit(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	shoot, ok := a.GetObject().(*core.Shoot)
	if !ok || a.GetSubresource() != "" {
		return nil
	}
	var before map[string]string
	if old, updating := a.GetOldObject().(*core.Shoot); updating {
		before = old.Annotations
	}
	confirmed, was := helper.DeletionIsConfirmed(shoot.Annotations), helper.DeletionIsConfirmed(before)
	by, noted := before[constants.DeletionConfirmedBy]
	if confirmed && !was {
		rule, err := p.twoPeople(ctx, a.GetNamespace(), shoot)
		if err != nil {
			return err
		}
		by, noted = a.GetUserInfo().GetName(), rule != nil
	}
	if confirmed && noted {
		shoot.Annotations[constants.DeletionConfirmedBy] = by
	} else {
		delete(shoot.Annotations, constants.DeletionConfirmedBy)
	}
	return nil
}

// checkTwoPeople refuses a deletion by the user who confirmed it, if the project demands two people.
func (p *Plugin) checkTwoPeople(ctx context.Context, a admission.Attributes, shoot *core.Shoot) error {
	rule, err := p.twoPeople(ctx, shoot.Namespace, shoot)
	if err != nil || rule == nil {
		return err
	}
	who := a.GetUserInfo().GetName()
	if strings.HasPrefix(who, serviceaccount.ServiceAccountUsernamePrefix) && !ptr.Deref(rule.IncludeServiceAccounts, true) {
		return nil
	}
	var problem error
	switch by := shoot.Annotations[constants.DeletionConfirmedBy]; by {
	case "":
		problem = fmt.Errorf("the project demands two people: the annotation %s must be set anew by somebody else", constants.ConfirmationDeletion)
	case who:
		problem = fmt.Errorf("the project demands two people: %q has confirmed the deletion, so somebody else must delete", who)
	default:
		return nil
	}
	return apierrors.NewForbidden(a.GetResource().GroupResource(), shoot.Name, problem)
}

// twoPeople returns the rule of the project that applies to a shoot, or nil if one person may delete the shoot.
func (p *Plugin) twoPeople(ctx context.Context, namespace string, shoot *core.Shoot) (*core.DualApprovalForDeletion, error) {
	project, err := projects.Of(ctx, p.objects, namespace)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	if project == nil {
		return nil, nil
	}
	i := slices.IndexFunc(project.Spec.DualApprovalForDeletion, func(rule core.DualApprovalForDeletion) bool {
		selector, err := metav1.LabelSelectorAsSelector(&rule.Selector)
		return err == nil && rule.Resource == "shoots" && selector.Matches(labels.Set(shoot.Labels)) // validation refuses other selectors
	})
	if i < 0 {
		return nil, nil
	}
	return &project.Spec.DualApprovalForDeletion[i], nil
}
