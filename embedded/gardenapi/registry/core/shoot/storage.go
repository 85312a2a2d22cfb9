// Package shoot stores shoots, assigns them to seeds and issues kubeconfigs for them.
package shoot

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/internal/cells"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

// Definition of the kind Shoot.
func Definition(rules Rules) resource.Definition[*core.Shoot] {
	return resource.Definition[*core.Shoot]{
		GroupVersion: core.SchemeGroupVersion,
		Kind:         "Shoot",
		Plural:       "shoots",
		Singular:     "shoot",
		Categories:   []string{"all"},
		New:          func() *core.Shoot { return &core.Shoot{} },
		NewList:      func() runtime.Object { return &core.ShootList{} },
		Strategy:     rules.strategy(),
		Columns:      columns(),
		Fields: map[string]func(*core.Shoot) string{
			"spec.seedName":          func(s *core.Shoot) string { return cells.String(s.Spec.SeedName) },
			"status.seedName":        func(s *core.Shoot) string { return cells.String(s.Status.SeedName) },
			"spec.cloudProfileName":  cloudProfileName,
			"spec.cloudProfile.Name": func(s *core.Shoot) string { return cloudProfile(s).Name },
			"spec.cloudProfile.Kind": func(s *core.Shoot) string { return cloudProfile(s).Kind },
		},
	}
}

func columns() []resource.Column[*core.Shoot] {
	condition := func(name string, conditionType core.ConditionType) resource.Column[*core.Shoot] {
		return resource.Column[*core.Shoot]{
			Name: name, Description: "status of the condition " + string(conditionType), Wide: true, Empty: cells.Unknown,
			Value: func(s *core.Shoot) any { return cells.Condition(s.Status.Conditions, conditionType) },
		}
	}
	return []resource.Column[*core.Shoot]{
		{Name: "CloudProfile", Description: "profile of the shoot", Value: func(s *core.Shoot) any { return cloudProfile(s).Name }},
		{Name: "Provider", Description: "type of the provider", Value: func(s *core.Shoot) any { return s.Spec.Provider.Type }},
		{Name: "Region", Description: "region of the shoot", Value: func(s *core.Shoot) any { return s.Spec.Region }},
		{Name: "Seed", Description: "seed of the control plane", Wide: true, Empty: cells.None, Value: func(s *core.Shoot) any { return cells.String(s.Spec.SeedName) }},
		{Name: "K8S Version", Description: "wanted version of Kubernetes", Value: func(s *core.Shoot) any { return s.Spec.Kubernetes.Version }},
		{Name: "Hibernation", Description: "whether the shoot sleeps", Value: func(s *core.Shoot) any { return string(helper.HibernationStateOf(s)) }},
		{Name: "Last Operation", Description: "what was last done to the shoot", Empty: cells.Pending, Value: func(s *core.Shoot) any { return cells.Operation(s.Status.LastOperation) }},
		{Name: "Status", Description: "sum of the conditions", Empty: cells.Pending, Value: func(s *core.Shoot) any { return s.Labels[constants.ShootStatus] }},
		{Name: "Purpose", Description: "what the shoot is for", Wide: true, Empty: cells.None, Value: func(s *core.Shoot) any { return string(ptr.Deref(s.Spec.Purpose, "")) }},
		{Name: "Gardener Version", Description: "version of Gardener that last worked on the shoot", Wide: true, Empty: cells.Unknown, Value: func(s *core.Shoot) any { return s.Status.Gardener.Version }},
		condition("APIServer", core.ShootAPIServerAvailable),
		condition("Control", core.ShootControlPlaneHealthy),
		condition("Observability", core.ShootObservabilityComponentsHealthy),
		condition("Nodes", core.ShootEveryNodeReady),
		condition("System", core.ShootSystemComponentsHealthy),
	}
}

func cloudProfile(s *core.Shoot) core.CloudProfileReference {
	return ptr.Deref(helper.CloudProfileReference(&s.Spec), core.CloudProfileReference{})
}

// cloudProfileName returns the name of the CloudProfile, or "" for a NamespacedCloudProfile.
func cloudProfileName(s *core.Shoot) string {
	if ref := cloudProfile(s); ref.Kind == helper.KindCloudProfile {
		return ref.Name
	}
	return ""
}
