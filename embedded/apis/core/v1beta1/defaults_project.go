package v1beta1

import (
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/gardener-up/gardener-up/embedded/apis/defaulting"
)

// SetDefaults_ProjectSpec completes the subjects that are not members.
func SetDefaults_ProjectSpec(obj *ProjectSpec) {
	setSubject(obj.CreatedBy)
	setSubject(obj.Owner)
}

// SetDefaults_ProjectMember makes a member without role a viewer.
func SetDefaults_ProjectMember(obj *ProjectMember) {
	setSubject(&obj.Subject)
	if obj.Role == "" && len(obj.Roles) == 0 {
		obj.Role = ProjectMemberViewer
	}
}

// SetDefaults_DualApprovalForDeletion includes service accounts.
func SetDefaults_DualApprovalForDeletion(obj *DualApprovalForDeletion) {
	defaulting.Pointer(&obj.IncludeServiceAccounts, true)
}

// setSubject sets the API group that goes with the kind.
func setSubject(subject *rbacv1.Subject) {
	if subject == nil || subject.APIGroup != "" {
		return
	}
	if subject.Kind == rbacv1.UserKind || subject.Kind == rbacv1.GroupKind {
		subject.APIGroup = rbacv1.GroupName
	}
}
