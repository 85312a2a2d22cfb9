// Package customverbauthorizer is the admission plugin for changes of single fields that need an extra permission, besides
// the permission to change the object. The permissions are custom verbs, which RBAC can grant.
package customverbauthorizer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
)

// PluginName is the name of the plugin in flags and configuration files.
const PluginName = "CustomVerbAuthorizer"

const (
	verbTolerations    = "modify-spec-tolerations-whitelist"
	verbMembers        = "manage-members"
	verbKubernetes     = "modify-spec-kubernetes"
	verbMachineImages  = "modify-spec-machineimages"
	verbProviderConfig = "modify-spec-providerconfig"
)

// Register adds the plugin to the available plugins.
func Register(plugins *admission.Plugins) {
	plugins.Register(PluginName, func(io.Reader) (admission.Interface, error) {
		return &Plugin{Handler: admission.NewHandler(admission.Create, admission.Update)}, nil
	})
}

// Plugin implements the admission plugin.
type Plugin struct {
	*admission.Handler
	initializer.Access
}

// ValidateInitialization reports whether the plugin has all its dependencies.
func (p *Plugin) ValidateInitialization() error {
	if p.Authorizer == nil {
		return errors.New("no authorizer")
	}
	return nil
}

// Validate refuses changes without the permission.
func (p *Plugin) Validate(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	if a.GetSubresource() != "" {
		return nil
	}
	for _, verb := range Verbs(a.GetObject(), a.GetOldObject(), a.GetUserInfo().GetName()) {
		allowed, err := p.May(ctx, a.GetUserInfo(), initializer.Question{
			Verb: verb, Group: a.GetResource().Group, Version: a.GetResource().Version, Resource: a.GetResource().Resource,
			Namespace: a.GetNamespace(), Name: a.GetName(),
		})
		if err != nil {
			return apierrors.NewInternalError(err)
		}
		if !allowed {
			return admission.NewForbidden(a, fmt.Errorf("user %q needs the verb %q for %s", a.GetUserInfo().GetName(), verb, a.GetResource().Resource))
		}
	}
	return nil
}

// Verbs returns the custom verbs that the user needs for a change. old is nil for new objects.
func Verbs(object, old runtime.Object, requester string) []string {
	switch o := object.(type) {
	case *core.Project:
		before, _ := old.(*core.Project)
		return ofProject(o, before, requester)
	case *core.NamespacedCloudProfile:
		before, _ := old.(*core.NamespacedCloudProfile)
		return ofProfile(o, before)
	default:
		return nil
	}
}

func ofProject(project, old *core.Project, requester string) []string {
	var before core.ProjectSpec
	skip := map[rbacv1.Subject]bool{} // the server itself makes the owner a member
	if project.Spec.Owner != nil {
		skip[*project.Spec.Owner] = true
	}
	if old != nil {
		before = old.Spec
	} else {
		skip[rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: requester}] = true
	}
	var verbs []string
	if !apiequality.Semantic.DeepEqual(whitelist(project.Spec), whitelist(before)) {
		verbs = append(verbs, verbTolerations)
	}
	if !maps.Equal(people(project.Spec, skip), people(before, skip)) {
		verbs = append(verbs, verbMembers)
	}
	return verbs
}

func whitelist(spec core.ProjectSpec) []core.Toleration {
	if spec.Tolerations == nil {
		return nil
	}
	return spec.Tolerations.Whitelist
}

// people returns the users and groups among the members, with their roles. It leaves out service accounts: users who may
// manage the service accounts of a project may make them members.
func people(spec core.ProjectSpec, skip map[rbacv1.Subject]bool) map[rbacv1.Subject]string {
	out := map[rbacv1.Subject]string{}
	for _, member := range spec.Members {
		person := member.Kind == rbacv1.UserKind && !strings.HasPrefix(member.Name, serviceaccount.ServiceAccountUsernamePrefix) || member.Kind == rbacv1.GroupKind
		if person && !skip[member.Subject] {
			roles := helper.ProjectRoles(member)
			slices.Sort(roles)
			out[member.Subject] = strings.Join(slices.Compact(roles), ",")
		}
	}
	return out
}

// ofProfile returns the verbs for what a NamespacedCloudProfile adds to or changes in its parent.
func ofProfile(profile, old *core.NamespacedCloudProfile) []string {
	var before core.NamespacedCloudProfileSpec
	if old != nil {
		before = old.Spec
	}
	var verbs []string
	for _, one := range []struct {
		verb       string
		value, was any
	}{
		{verbKubernetes, profile.Spec.Kubernetes, before.Kubernetes},
		{verbMachineImages, profile.Spec.MachineImages, before.MachineImages},
		{verbProviderConfig, profile.Spec.ProviderConfig, before.ProviderConfig},
	} {
		if !apiequality.Semantic.DeepEqual(one.value, one.was) {
			verbs = append(verbs, one.verb)
		}
	}
	return verbs
}
