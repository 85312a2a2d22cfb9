// Package controllerdeployment stores how extension controllers are installed.
package controllerdeployment

import (
	"k8s.io/apimachinery/pkg/runtime"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

// Definition of the kind ControllerDeployment.
func Definition() resource.Definition[*core.ControllerDeployment] {
	return resource.Definition[*core.ControllerDeployment]{
		GroupVersion: core.SchemeGroupVersion,
		Kind:         "ControllerDeployment",
		Plural:       "controllerdeployments",
		Singular:     "controllerdeployment",
		ShortNames:   []string{"ctrldeploy"},
		Categories:   []string{"all"},
		New:          func() *core.ControllerDeployment { return &core.ControllerDeployment{} },
		NewList:      func() runtime.Object { return &core.ControllerDeploymentList{} },
		Strategy:     strategy(),
	}
}
