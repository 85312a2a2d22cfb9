package project

import (
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

const (
	systemPrefix             = "gardener.cloud:system:"
	extensionRolePrefix      = "gardener.cloud:extension:project:"
	roleExtensionProjectRole = "extension-project-role"
	aggregateToExtensionRole = "rbac.gardener.cloud/aggregate-to-extension-role"
)

// Roles returns all RBAC objects of a project: cluster roles that cover only the Project and its namespace, their
// bindings, and role bindings in the namespace. A role without members gets an empty binding, so only extension roles
// ever have to be removed; see ExtensionRoleSelector.
func Roles(project *gardencorev1beta1.Project, namespace string) []client.Object {
	var (
		owner    = ownerOf(project)
		admins   = withRole(project, gardencorev1beta1.ProjectMemberAdmin, gardencorev1beta1.ProjectMemberOwner)
		viewers  = withRole(project, gardencorev1beta1.ProjectMemberViewer)
		managers = withRole(project, gardencorev1beta1.ProjectMemberUserAccessManager)
		accounts = unique(append(slices.Clone(owner), withRole(project, gardencorev1beta1.ProjectMemberOwner, gardencorev1beta1.ProjectMemberServiceAccountManager)...))
	)
	b := roleBuilder{project: project, namespace: namespace}
	b.clusterRole("project", owner, "get", "patch", "update", "delete", "manage-members")
	b.clusterRole("project-member", admins, "get", "patch", "update", "delete")
	b.clusterRoleWithoutNamespace("project-uam", managers, "get", "patch", "update", "manage-members")
	b.clusterRole("project-viewer", viewers, "get")
	b.roleBinding("project-member", admins)
	b.roleBinding("project-viewer", viewers)
	b.roleBinding("project-serviceaccountmanager", accounts)
	for _, role := range extensionRoles(project) {
		b.extensionRole(role, withRole(project, gardencorev1beta1.ProjectMemberExtensionPrefix+role))
	}
	return b.objects
}

// ExtensionRoleSelector selects the extension roles and bindings of a project, including those that are no longer
// needed.
func ExtensionRoleSelector(project string) client.MatchingLabels {
	return client.MatchingLabels{labelRole: roleExtensionProjectRole, labelProjectName: project}
}

type roleBuilder struct {
	project   *gardencorev1beta1.Project
	namespace string
	objects   []client.Object
}

func (b *roleBuilder) clusterRole(kind string, subjects []rbacv1.Subject, verbs ...string) {
	b.clusterRoleWithRules(kind, subjects,
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"namespaces"}, ResourceNames: []string{b.namespace}, Verbs: []string{"get"}},
		b.projectRule(verbs))
}

func (b *roleBuilder) clusterRoleWithoutNamespace(kind string, subjects []rbacv1.Subject, verbs ...string) {
	b.clusterRoleWithRules(kind, subjects, b.projectRule(verbs))
}

func (b *roleBuilder) projectRule(verbs []string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{
		APIGroups: []string{gardencorev1beta1.GroupName}, Resources: []string{"projects"},
		ResourceNames: []string{b.project.Name}, Verbs: verbs,
	}
}

func (b *roleBuilder) clusterRoleWithRules(kind string, subjects []rbacv1.Subject, rules ...rbacv1.PolicyRule) {
	name := systemPrefix + kind + ":" + b.project.Name
	b.objects = append(b.objects,
		&rbacv1.ClusterRole{ObjectMeta: b.meta(name, ""), Rules: rules},
		&rbacv1.ClusterRoleBinding{ObjectMeta: b.meta(name, ""), RoleRef: clusterRoleRef(name), Subjects: subjects})
}

func (b *roleBuilder) roleBinding(kind string, subjects []rbacv1.Subject) {
	name := systemPrefix + kind
	b.objects = append(b.objects,
		&rbacv1.RoleBinding{ObjectMeta: b.meta(name, b.namespace), RoleRef: clusterRoleRef(name), Subjects: subjects})
}

func (b *roleBuilder) extensionRole(role string, subjects []rbacv1.Subject) {
	name := extensionRolePrefix + b.project.Name + ":" + role
	clusterRole := &rbacv1.ClusterRole{
		ObjectMeta: b.meta(name, ""),
		AggregationRule: &rbacv1.AggregationRule{ClusterRoleSelectors: []metav1.LabelSelector{
			{MatchLabels: map[string]string{aggregateToExtensionRole: role}},
		}},
	}
	binding := &rbacv1.RoleBinding{ObjectMeta: b.meta(name, b.namespace), RoleRef: clusterRoleRef(name), Subjects: subjects}
	clusterRole.Labels = ExtensionRoleSelector(b.project.Name)
	binding.Labels = ExtensionRoleSelector(b.project.Name)
	b.objects = append(b.objects, clusterRole, binding)
}

func (b *roleBuilder) meta(name, namespace string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: namespace, OwnerReferences: []metav1.OwnerReference{ownerReference(b.project)}}
}

func clusterRoleRef(name string) rbacv1.RoleRef {
	return rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name}
}

func ownerOf(project *gardencorev1beta1.Project) []rbacv1.Subject {
	if project.Spec.Owner == nil {
		return nil
	}
	return []rbacv1.Subject{*project.Spec.Owner}
}

// withRole returns the members with at least one of the roles, without duplicates.
func withRole(project *gardencorev1beta1.Project, roles ...string) []rbacv1.Subject {
	var subjects []rbacv1.Subject
	for _, member := range project.Spec.Members {
		if slices.ContainsFunc(rolesOf(member), func(role string) bool { return slices.Contains(roles, role) }) {
			subjects = append(subjects, member.Subject)
		}
	}
	return unique(subjects)
}

// extensionRoles returns the names after "extension:" in the roles of all members, sorted.
func extensionRoles(project *gardencorev1beta1.Project) []string {
	var names []string
	for _, member := range project.Spec.Members {
		for _, role := range rolesOf(member) {
			if name, isExtension := strings.CutPrefix(role, gardencorev1beta1.ProjectMemberExtensionPrefix); isExtension {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func rolesOf(member gardencorev1beta1.ProjectMember) []string {
	if member.Role == "" {
		return member.Roles
	}
	return append([]string{member.Role}, member.Roles...)
}

func unique(subjects []rbacv1.Subject) []rbacv1.Subject {
	var result []rbacv1.Subject
	for _, subject := range subjects {
		if !slices.Contains(result, subject) {
			result = append(result, subject)
		}
	}
	return result
}
