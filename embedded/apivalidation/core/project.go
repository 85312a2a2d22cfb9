package core

import (
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	corehelper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Maximum lengths of names, so that technical IDs and role names are not too long.
const (
	longestProjectName   = 10
	longestExtensionRole = 20
)

// ValidateProject validates a new Project.
func ValidateProject(project *core.Project) field.ErrorList {
	errs := validateObjectMeta(&project.ObjectMeta, false, validateName)
	if len(project.Name) > longestProjectName {
		errs = append(errs, field.TooLong(field.NewPath("metadata", "name"), project.Name, longestProjectName))
	}
	return append(errs, validateProjectSpec(&project.Spec, field.NewPath("spec"))...)
}

// ValidateProjectUpdate validates a change.
func ValidateProjectUpdate(project, old *core.Project) field.ErrorList {
	path := field.NewPath("spec")
	errs := validateObjectMetaUpdate(&project.ObjectMeta, &old.ObjectMeta)
	errs = append(errs, immutableOnceSet(project.Spec.CreatedBy, old.Spec.CreatedBy, path.Child("createdBy"))...)
	errs = append(errs, immutableOnceSet(project.Spec.Namespace, old.Spec.Namespace, path.Child("namespace"))...)
	if old.Spec.Owner != nil && project.Spec.Owner == nil {
		errs = append(errs, field.Forbidden(path.Child("owner"), "must not be unset"))
	}
	return append(errs, ValidateProject(project)...)
}

// ValidateProjectStatusUpdate validates a change of the status.
func ValidateProjectStatusUpdate(project, old *core.Project) field.ErrorList {
	errs := validateObjectMetaUpdate(&project.ObjectMeta, &old.ObjectMeta)
	if old.Status.Phase != "" && project.Status.Phase == "" {
		errs = append(errs, field.Forbidden(field.NewPath("status", "phase"), "must not be unset"))
	}
	return errs
}

func validateProjectSpec(spec *core.ProjectSpec, path *field.Path) field.ErrorList {
	errs := validateProjectNamespace(spec.Namespace, path.Child("namespace"))
	for name, text := range map[string]*string{"description": spec.Description, "purpose": spec.Purpose} {
		if text != nil && *text == "" {
			errs = append(errs, field.Required(path.Child(name), "must not be empty if present"))
		}
	}
	for name, subject := range map[string]*rbacv1.Subject{"owner": spec.Owner, "createdBy": spec.CreatedBy} {
		if subject != nil {
			errs = append(errs, validateSubject(*subject, path.Child(name))...)
		}
	}
	errs = append(errs, validateMembers(spec.Members, path.Child("members"))...)
	if spec.Tolerations != nil {
		at := path.Child("tolerations")
		errs = append(errs, validateTolerations(spec.Tolerations.Defaults, at.Child("defaults"))...)
		errs = append(errs, validateTolerations(spec.Tolerations.Whitelist, at.Child("whitelist"))...)
		errs = append(errs, validateWhitelisted(spec.Tolerations, at.Child("defaults"))...)
	}
	for i, approval := range spec.DualApprovalForDeletion {
		errs = append(errs, metav1validation.ValidateLabelSelector(&approval.Selector, metav1validation.LabelSelectorValidationOptions{},
			path.Child("dualApprovalForDeletion").Index(i).Child("selector"))...)
		errs = append(errs, oneOf(approval.Resource, path.Child("dualApprovalForDeletion").Index(i).Child("resource"), "shoots")...)
	}
	return errs
}

// validateProjectNamespace validates the namespace of a project. The admission plugin ProjectValidator checks the prefix
// for new projects.
func validateProjectNamespace(namespace *string, path *field.Path) field.ErrorList {
	if namespace == nil {
		return nil
	}
	var errs field.ErrorList
	for _, problem := range apivalidation.ValidateNamespaceName(*namespace, false) {
		errs = append(errs, field.Invalid(path, *namespace, problem))
	}
	return errs
}

func validateMembers(members []core.ProjectMember, path *field.Path) field.ErrorList {
	errs := unique(members, path, func(m core.ProjectMember) string {
		return strings.Trim(m.Kind+" "+m.Namespace+"/"+m.Name, "/")
	}, "")
	owners := 0
	for i, member := range members {
		at := path.Index(i)
		errs = append(errs, validateSubject(member.Subject, at)...)
		errs = append(errs, uniqueText(member.Roles, at.Child("roles"))...)
		if slices.Contains(member.Roles, member.Role) {
			errs = append(errs, field.Duplicate(at.Child("roles"), member.Role))
		}
		for _, role := range corehelper.ProjectRoles(member) {
			errs = append(errs, validateRole(role, at.Child("roles"))...)
			if role == core.ProjectMemberOwner {
				owners++
			}
		}
	}
	if owners > 1 {
		errs = append(errs, field.Forbidden(path, "only one member can have the role owner"))
	}
	return errs
}

func validateRole(role string, path *field.Path) field.ErrorList {
	extension, ok := strings.CutPrefix(role, core.ProjectMemberExtensionPrefix)
	if !ok {
		return oneOf(role, path, core.ProjectMemberOwner, core.ProjectMemberAdmin, core.ProjectMemberViewer,
			core.ProjectMemberUserAccessManager, core.ProjectMemberServiceAccountManager)
	}
	return validateDNSLabel(extension, longestExtensionRole, path)
}

func validateSubject(subject rbacv1.Subject, path *field.Path) field.ErrorList {
	errs := required(subject.Name, path.Child("name"), "must not be empty")
	switch subject.Kind {
	case rbacv1.ServiceAccountKind:
		errs = append(errs, required(subject.Namespace, path.Child("namespace"), "must be set for a service account")...)
		for _, problem := range validation.IsDNS1123Subdomain(subject.Name) {
			errs = append(errs, field.Invalid(path.Child("name"), subject.Name, problem))
		}
		if subject.APIGroup != "" {
			errs = append(errs, field.NotSupported(path.Child("apiGroup"), subject.APIGroup, []string{""}))
		}
	case rbacv1.UserKind, rbacv1.GroupKind:
		errs = append(errs, oneOf(subject.APIGroup, path.Child("apiGroup"), rbacv1.GroupName)...)
	default:
		errs = append(errs, oneOf(subject.Kind, path.Child("kind"), rbacv1.ServiceAccountKind, rbacv1.UserKind, rbacv1.GroupKind)...)
	}
	return errs
}

// validateWhitelisted reports default tolerations that are not in the whitelist of the project.
func validateWhitelisted(tolerations *core.ProjectTolerations, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, toleration := range tolerations.Defaults {
		taint := core.SeedTaint(toleration)
		if !corehelper.TaintsTolerated([]core.SeedTaint{taint}, tolerations.Whitelist) {
			errs = append(errs, field.Forbidden(path.Index(i), "must be in the whitelist"))
		}
	}
	return errs
}
