// Package resourcereferencemanager is the admission plugin for what an object says about others: it notes who
// created Shoots and Projects and who owns them. Whether what a Shoot refers to in its profile exists is for ShootValidator.
package resourcereferencemanager

import (
	"context"
	"io"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// PluginName in flags.
const PluginName = "ResourceReferenceManager"

// Register adds the plugin to those that can be chosen.
func Register(plugins *admission.Plugins) {
	plugins.Register(PluginName, func(io.Reader) (admission.Interface, error) {
		return &Plugin{admission.NewHandler(admission.Create)}, nil
	})
}

// Plugin is the plugin.
type Plugin struct {
	*admission.Handler
}

// Admit notes the requester on new Shoots and Projects.
func (*Plugin) Admit(_ context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	if a.GetSubresource() != "" {
		return nil
	}
	switch object := a.GetObject().(type) {
	case *core.Shoot:
		if object.Annotations == nil {
			object.Annotations = map[string]string{}
		}
		object.Annotations[constants.GardenCreatedBy] = a.GetUserInfo().GetName()
	case *core.Project:
		setOwner(object, a.GetUserInfo())
	}
	return nil
}

// setOwner makes the requester the owner unless the project or a member's role names one. The strategy makes the
// owner a member.
func setOwner(project *core.Project, requester user.Info) {
	subject := subjectOf(requester)
	project.Spec.CreatedBy = &subject
	if project.Spec.Owner != nil {
		return
	}
	project.Spec.Owner = subject.DeepCopy()
	for _, member := range project.Spec.Members {
		for _, role := range helper.ProjectRoles(member) {
			if role == core.ProjectMemberOwner {
				project.Spec.Owner = member.Subject.DeepCopy()
				return
			}
		}
	}
}

func subjectOf(requester user.Info) rbacv1.Subject {
	if namespace, name, err := serviceaccount.SplitUsername(requester.GetName()); err == nil {
		return rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: name}
	}
	return rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: requester.GetName()}
}
