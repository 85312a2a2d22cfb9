package resourcereferencemanager

import (
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

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
