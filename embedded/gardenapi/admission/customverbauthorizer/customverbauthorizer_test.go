package customverbauthorizer

import (
	"context"
	"errors"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/admissiontest"
)

func project(change ...func(*core.ProjectSpec)) *core.Project {
	p := &core.Project{ObjectMeta: metav1.ObjectMeta{Name: "p"}}
	for _, f := range change {
		f(&p.Spec)
	}
	return p
}

func whitelisting(key string) func(*core.ProjectSpec) {
	return func(s *core.ProjectSpec) {
		s.Tolerations = &core.ProjectTolerations{Whitelist: []core.Toleration{{Key: key}}}
	}
}

func subject(kind, name string) rbacv1.Subject {
	return rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: kind, Name: name}
}

func member(kind, name, role string) func(*core.ProjectSpec) {
	return func(s *core.ProjectSpec) {
		s.Members = append(s.Members, core.ProjectMember{Subject: subject(kind, name), Role: role})
	}
}

func owner(name string) func(*core.ProjectSpec) {
	return func(s *core.ProjectSpec) { o := subject("User", name); s.Owner = &o }
}

func profile(change func(*core.NamespacedCloudProfileSpec)) *core.NamespacedCloudProfile {
	p := &core.NamespacedCloudProfile{ObjectMeta: metav1.ObjectMeta{Name: "n", Namespace: "garden-p"}}
	change(&p.Spec)
	return p
}

func TestValidate(t *testing.T) {
	defaults := func(s *core.ProjectSpec) {
		s.Tolerations = &core.ProjectTolerations{Defaults: []core.Toleration{{Key: "a"}}}
	}
	nothing := func(*core.NamespacedCloudProfileSpec) {}
	for name, tc := range map[string]struct {
		request admission.Attributes
		needs   string // what the request needs; empty if nothing
	}{
		"ADM-4 a whitelist of a new project":                    {admissiontest.Create(project(whitelisting("a"))), verbTolerations},
		"ADM-4 TOL-4 a changed whitelist":                       {admissiontest.Update(project(whitelisting("a")), project(whitelisting("b"))), verbTolerations},
		"ADM-4 a removed whitelist":                             {admissiontest.Update(project(), project(whitelisting("b"))), verbTolerations},
		"default tolerations are free":                          {admissiontest.Update(project(defaults), project()), ""},
		"an unchanged whitelist":                                {admissiontest.Update(project(whitelisting("a")), project(whitelisting("a"))), ""},
		"a new user":                                            {admissiontest.Update(project(member("User", "joe", "admin")), project()), verbMembers},
		"a new group":                                           {admissiontest.Update(project(member("Group", "g", "admin")), project()), verbMembers},
		"a removed user":                                        {admissiontest.Update(project(), project(member("User", "joe", "admin"))), verbMembers},
		"another role of a user":                                {admissiontest.Update(project(member("User", "joe", "admin")), project(member("User", "joe", "viewer"))), verbMembers},
		"a service account":                                     {admissiontest.Update(project(member("ServiceAccount", "robot", "admin")), project()), ""},
		"a service account in the form of a user":               {admissiontest.Update(project(member("User", "system:serviceaccount:a:b", "admin")), project()), ""},
		"the owner becomes a member":                            {admissiontest.Update(project(owner("joe"), member("User", "joe", "owner")), project(owner("joe"))), ""},
		"who creates a project may be a member":                 {admissiontest.Create(project(member("User", admissiontest.User, "admin"))), ""},
		"who creates a project may not invite others":           {admissiontest.Create(project(member("User", "joe", "admin"))), verbMembers},
		"other Kubernetes versions of a project's profile":      {admissiontest.Create(profile(func(s *core.NamespacedCloudProfileSpec) { s.Kubernetes = &core.KubernetesSettings{} })), verbKubernetes},
		"other images of a project's profile":                   {admissiontest.Update(profile(func(s *core.NamespacedCloudProfileSpec) { s.MachineImages = []core.MachineImage{{Name: "a"}} }), profile(nothing)), verbMachineImages},
		"another provider configuration of a project's profile": {admissiontest.Create(profile(func(s *core.NamespacedCloudProfileSpec) { s.ProviderConfig = &runtime.RawExtension{Raw: []byte("{}")} })), verbProviderConfig},
		"machine types of a project's profile are free":         {admissiontest.Create(profile(func(s *core.NamespacedCloudProfileSpec) { s.MachineTypes = []core.MachineType{{Name: "a"}} })), ""},
		"subresources cannot change what is protected":          {admissiontest.UpdateSub(project(whitelisting("a")), project(), "status"), ""},
		"other kinds":                                           {admissiontest.Create(&core.Seed{}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := admissiontest.New[*Plugin](Register)
			p.Authorizer = admissiontest.Allow{}
			admissiontest.WantError(t, admissiontest.Admit(p, tc.request), tc.needs)
			if tc.needs != "" {
				p.Authorizer = admissiontest.Allow{tc.needs + " " + tc.request.GetResource().Resource}
				admissiontest.WantError(t, admissiontest.Admit(p, tc.request), "")
			}
		})
	}
	t.Run("a failed question is an internal error", func(t *testing.T) {
		fails := authorizer.AuthorizerFunc(func(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
			return authorizer.DecisionNoOpinion, "", errors.New("boom")
		})
		p := admissiontest.New[*Plugin](Register)
		p.Authorizer = fails
		admissiontest.WantError(t, admissiontest.Admit(p, admissiontest.Create(project(whitelisting("a")))), "Internal error")
	})
	t.Run("it needs an authorizer", func(t *testing.T) {
		p := admissiontest.New[*Plugin](Register)
		admissiontest.WantError(t, admissiontest.Admit(p, admissiontest.Create(project())), "no authorizer")
	})
}
