package v1beta1

import (
	"time"

	"github.com/gardener-up/gardener-up/embedded/apis/defaulting"
)

// SetDefaults_ControllerRegistrationDeployment installs the controller where it is needed.
func SetDefaults_ControllerRegistrationDeployment(obj *ControllerRegistrationDeployment) {
	defaulting.Pointer(&obj.Policy, ControllerDeploymentPolicyOnDemand)
}

// SetDefaults_ControllerResource makes the controller primary, and completes resources of kind Extension.
func SetDefaults_ControllerResource(obj *ControllerResource) {
	defaulting.Pointer(&obj.Primary, true)
	if obj.Kind != "Extension" {
		return
	}
	defaulting.Pointer(&obj.GloballyEnabled, false)
	setDuration(&obj.ReconcileTimeout, 3*time.Minute)
	defaulting.Pointer(&obj.Lifecycle, ControllerResourceLifecycle{})
	defaulting.Pointer(&obj.Lifecycle.Reconcile, AfterKubeAPIServer)
	defaulting.Pointer(&obj.Lifecycle.Delete, BeforeKubeAPIServer)
	defaulting.Pointer(&obj.Lifecycle.Migrate, BeforeKubeAPIServer)
	if len(obj.ClusterCompatibility) == 0 {
		obj.ClusterCompatibility = []ClusterType{ClusterTypeShoot}
	}
	if *obj.GloballyEnabled && len(obj.AutoEnable) == 0 {
		obj.AutoEnable = []ClusterType{ClusterTypeShoot}
	}
}
