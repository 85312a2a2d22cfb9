package constants

// Finalizers.
const (
	// GardenerName is the finalizer of objects of the Gardener API.
	GardenerName = "gardener"
	// ExternalGardenerName is the finalizer of Secrets and ConfigMaps that Gardener objects use.
	ExternalGardenerName = "gardener.cloud/gardener"
	// ReferenceProtectionFinalizerName is the finalizer of Secrets and ConfigMaps that a Shoot refers to.
	ReferenceProtectionFinalizerName = "gardener.cloud/reference-protection"
	// FinalizerControllerRegistration is the finalizer of ControllerRegistrations, and of Seeds while extensions
	// are installed.
	FinalizerControllerRegistration = "core.gardener.cloud/controllerregistration"
	// FinalizerControllerDeployment is the finalizer of ControllerDeployments.
	FinalizerControllerDeployment = "core.gardener.cloud/controllerdeployment"
	// FinalizerControllerInstallation is the finalizer of ControllerInstallations.
	FinalizerControllerInstallation = "core.gardener.cloud/controllerinstallation"
	// FinalizerShootState is the finalizer of ShootStates in older releases.
	FinalizerShootState = "core.gardener.cloud/shootstate"
	// FinalizerOperator is the finalizer of Garden and Extension objects of the runtime cluster.
	FinalizerOperator = "gardener.cloud/operator"
)
