package v1beta1

import "time"

// SetDefaults_ControllerRegistrationDeployment installs the controller where it is needed.
func SetDefaults_ControllerRegistrationDeployment(obj *ControllerRegistrationDeployment) {
	setDefault(&obj.Policy, ControllerDeploymentPolicyOnDemand)
}

// SetDefaults_ControllerResource makes the controller primary, and completes resources of kind Extension.
func SetDefaults_ControllerResource(obj *ControllerResource) {
	setDefault(&obj.Primary, true)
	if obj.Kind != "Extension" {
		return
	}
	setDefault(&obj.GloballyEnabled, false)
	setDuration(&obj.ReconcileTimeout, 3*time.Minute)
	setDefault(&obj.Lifecycle, ControllerResourceLifecycle{})
	setDefault(&obj.Lifecycle.Reconcile, AfterKubeAPIServer)
	setDefault(&obj.Lifecycle.Delete, BeforeKubeAPIServer)
	setDefault(&obj.Lifecycle.Migrate, BeforeKubeAPIServer)
	if len(obj.ClusterCompatibility) == 0 {
		obj.ClusterCompatibility = []ClusterType{ClusterTypeShoot}
	}
	if *obj.GloballyEnabled && len(obj.AutoEnable) == 0 {
		obj.AutoEnable = []ClusterType{ClusterTypeShoot}
	}
}
