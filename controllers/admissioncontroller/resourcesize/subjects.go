package resourcesize

import (
	"slices"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	rbacv1 "k8s.io/api/rbac/v1"
)

const accountPrefix = "system:serviceaccount:"

// unrestricted reports whether the user may write larger objects.
func (h Handler) unrestricted(user authenticationv1.UserInfo) bool {
	return slices.ContainsFunc(h.Limits.UnrestrictedSubjects, func(subject rbacv1.Subject) bool {
		switch subject.Kind {
		case rbacv1.UserKind:
			return matches(subject.Name, user.Username)
		case rbacv1.GroupKind:
			return slices.ContainsFunc(user.Groups, func(group string) bool { return matches(subject.Name, group) })
		case rbacv1.ServiceAccountKind:
			account, isAccount := strings.CutPrefix(user.Username, accountPrefix)
			namespace, name, _ := strings.Cut(account, ":")
			return isAccount && matches(subject.Namespace, namespace) && matches(subject.Name, name)
		}
		return false
	})
}

// matches compares a name with a pattern in which each * stands for any text.
func matches(pattern, name string) bool {
	first, rest, found := strings.Cut(pattern, "*")
	if !found {
		return pattern == name
	}
	name, begins := strings.CutPrefix(name, first)
	if !begins {
		return false
	}
	for {
		if matches(rest, name) {
			return true
		}
		if name == "" {
			return false
		}
		name = name[1:]
	}
}
