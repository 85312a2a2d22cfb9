package project

import (
	"context"
	"slices"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

func strategy() resource.Strategy[*core.Project] {
	return resource.Strategy[*core.Project]{
		UnconditionalUpdate: true,
		Spec:                resource.Field(func(o *core.Project) *core.ProjectSpec { return &o.Spec }),
		Status:              resource.Field(func(o *core.Project) *core.ProjectStatus { return &o.Status }),
		PrepareCreate:       func(_ context.Context, p *core.Project) { setOwner(p) },
		PrepareUpdate: func(_ context.Context, p, _ *core.Project) bool {
			setOwner(p)
			return false
		},
	}
}

// setOwner makes the owner a member with the roles owner and admin, and takes the role owner from everybody else.
// Without an owner the first member with that role becomes it.
func setOwner(p *core.Project) {
	if p.Spec.Owner == nil {
		i := slices.IndexFunc(p.Spec.Members, func(m core.ProjectMember) bool { return hasRole(m, core.ProjectMemberOwner) })
		if i < 0 {
			return
		}
		owner := p.Spec.Members[i].Subject
		p.Spec.Owner = &owner
	}
	found := false
	for i := range p.Spec.Members {
		member := &p.Spec.Members[i]
		if !found && member.Subject == *p.Spec.Owner {
			found = true
			addOwnerRoles(member)
		} else {
			dropRole(member, core.ProjectMemberOwner)
		}
	}
	if !found {
		p.Spec.Members = append(p.Spec.Members, core.ProjectMember{
			Subject: *p.Spec.Owner, Role: core.ProjectMemberAdmin, Roles: []string{core.ProjectMemberOwner},
		})
	}
}

func hasRole(m core.ProjectMember, role string) bool {
	return m.Role == role || slices.Contains(m.Roles, role)
}

func addOwnerRoles(m *core.ProjectMember) {
	for _, role := range []string{core.ProjectMemberAdmin, core.ProjectMemberOwner} {
		switch {
		case hasRole(*m, role):
		case m.Role == "":
			m.Role = role
		default:
			m.Roles = append(m.Roles, role)
		}
	}
}

// dropRole keeps a member without any role: validation then tells that it is of no use.
func dropRole(m *core.ProjectMember, role string) {
	m.Roles = slices.DeleteFunc(m.Roles, func(r string) bool { return r == role })
	if m.Role != role {
		return
	}
	m.Role = ""
	if len(m.Roles) > 0 {
		m.Role, m.Roles = m.Roles[0], m.Roles[1:]
	}
}
