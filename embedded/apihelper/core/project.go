package core

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/types"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// ProjectNamespace returns the namespace of a project that does not specify one.
func ProjectNamespace(name string, uid types.UID) string {
	sum := sha256.Sum256([]byte(uid))
	return constants.ProjectNamespacePrefix + name + "-" + hex.EncodeToString(sum[:])[:5]
}

// ProjectRoles returns all roles of a member. The legacy role comes first.
func ProjectRoles(member core.ProjectMember) []string {
	roles := make([]string, 0, len(member.Roles)+1)
	for _, role := range append([]string{member.Role}, member.Roles...) {
		if role != "" && !slices.Contains(roles, role) {
			roles = append(roles, role)
		}
	}
	return roles
}

// CanonicalizeMembers makes the owner of a project an admin and the only member with role owner. Validation reports
// duplicate members.
func CanonicalizeMembers(spec *core.ProjectSpec) {
	if spec.Owner == nil {
		return
	}
	found := false
	for i := range spec.Members {
		member := &spec.Members[i]
		if sameSubject(member.Subject, *spec.Owner) {
			found = true
			setOwnerRoles(member)
			continue
		}
		member.Roles = slices.DeleteFunc(member.Roles, func(role string) bool { return role == core.ProjectMemberOwner })
		if member.Role == core.ProjectMemberOwner {
			member.Role = firstOr(&member.Roles, core.ProjectMemberViewer)
		}
	}
	if !found {
		owner := core.ProjectMember{Subject: *spec.Owner}
		setOwnerRoles(&owner)
		spec.Members = append(spec.Members, owner)
	}
}

func setOwnerRoles(member *core.ProjectMember) {
	if member.Role == "" || member.Role == core.ProjectMemberOwner {
		member.Role = core.ProjectMemberAdmin
		member.Roles = slices.DeleteFunc(member.Roles, func(role string) bool { return role == core.ProjectMemberAdmin })
	}
	for _, role := range []string{core.ProjectMemberAdmin, core.ProjectMemberOwner} {
		if member.Role != role && !slices.Contains(member.Roles, role) {
			member.Roles = append(member.Roles, role)
		}
	}
}

// firstOr removes the first role from a list and returns it, or returns the fallback if the list is empty.
func firstOr(roles *[]string, fallback string) string {
	if len(*roles) == 0 {
		return fallback
	}
	first := (*roles)[0]
	*roles = (*roles)[1:]
	return first
}

func sameSubject(a, b rbacv1.Subject) bool {
	return a.Kind == b.Kind && a.Name == b.Name && a.Namespace == b.Namespace
}
