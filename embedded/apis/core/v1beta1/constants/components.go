package constants

// Names of components and of their Deployments, StatefulSets and Services.
const (
	// ETCDMain is etcd for everything but events.
	ETCDMain = "etcd-main"
	// ETCDEvents is etcd for events.
	ETCDEvents = "etcd-events"
	// ETCDRoleMain is the role of ETCDMain.
	ETCDRoleMain = "main"
	// ETCDRoleEvents is the role of ETCDEvents.
	ETCDRoleEvents = "events"
	// DeploymentNameKubeAPIServer is the API server.
	DeploymentNameKubeAPIServer = "kube-apiserver"
	// DeploymentNameKubeControllerManager is the controller manager.
	DeploymentNameKubeControllerManager = "kube-controller-manager"
	// DeploymentNameKubeScheduler is the scheduler.
	DeploymentNameKubeScheduler = "kube-scheduler"
	// DeploymentNameGardenerResourceManager is the resource manager.
	DeploymentNameGardenerResourceManager = "gardener-resource-manager"
	// DeploymentNameMachineControllerManager is the machine controller manager.
	DeploymentNameMachineControllerManager = "machine-controller-manager"
	// DeploymentNameClusterAutoscaler is the cluster autoscaler.
	DeploymentNameClusterAutoscaler = "cluster-autoscaler"
	// DeploymentNameVPNSeedServer is the server of the tunnel.
	DeploymentNameVPNSeedServer = "vpn-seed-server"
	// DeploymentNameDependencyWatchdogProber scales down what cannot reach its API server.
	DeploymentNameDependencyWatchdogProber = "dependency-watchdog-prober"
	// DeploymentNameDependencyWatchdogWeeder restarts pods whose dependency came back.
	DeploymentNameDependencyWatchdogWeeder = "dependency-watchdog-weeder"
	// DeploymentNameGardenlet is the gardenlet.
	DeploymentNameGardenlet = "gardenlet"
)

// Priority classes of runtime cluster, seed and shoot.
const (
	// PriorityClassNameGardenSystemCritical is for what the runtime cluster cannot do without.
	PriorityClassNameGardenSystemCritical = "gardener-garden-system-critical"
	// PriorityClassNameGardenSystem500 is for API servers and etcd of the garden.
	PriorityClassNameGardenSystem500 = "gardener-garden-system-500"
	// PriorityClassNameGardenSystem400 is for resource manager and admission controller of the garden.
	PriorityClassNameGardenSystem400 = "gardener-garden-system-400"
	// PriorityClassNameGardenSystem300 is for controller managers and etcd-druid.
	PriorityClassNameGardenSystem300 = "gardener-garden-system-300"
	// PriorityClassNameGardenSystem200 is for Gardener's own controllers.
	PriorityClassNameGardenSystem200 = "gardener-garden-system-200"
	// PriorityClassNameGardenSystem100 is for monitoring and logging.
	PriorityClassNameGardenSystem100 = "gardener-garden-system-100"
	// PriorityClassNameSeedSystemCritical is for what a seed cannot do without.
	PriorityClassNameSeedSystemCritical = "gardener-system-critical"
	// PriorityClassNameSeedSystem900 is for extensions.
	PriorityClassNameSeedSystem900 = "gardener-system-900"
	// PriorityClassNameSeedSystem800 is for watchdog and etcd-druid.
	PriorityClassNameSeedSystem800 = "gardener-system-800"
	// PriorityClassNameSeedSystem700 is for autoscalers.
	PriorityClassNameSeedSystem700 = "gardener-system-700"
	// PriorityClassNameSeedSystem600 is for monitoring and logging.
	PriorityClassNameSeedSystem600 = "gardener-system-600"
	// PriorityClassNameShootControlPlane500 is for etcd and API servers of shoots.
	PriorityClassNameShootControlPlane500 = "gardener-system-500"
	// PriorityClassNameShootControlPlane400 is for resource managers of shoots.
	PriorityClassNameShootControlPlane400 = "gardener-system-400"
	// PriorityClassNameShootControlPlane300 is for controllers of shoots.
	PriorityClassNameShootControlPlane300 = "gardener-system-300"
	// PriorityClassNameShootControlPlane200 is for autoscalers of shoots.
	PriorityClassNameShootControlPlane200 = "gardener-system-200"
	// PriorityClassNameShootControlPlane100 is for monitoring of shoots.
	PriorityClassNameShootControlPlane100 = "gardener-system-100"
	// PriorityClassNameReserveExcessCapacity is for placeholders.
	PriorityClassNameReserveExcessCapacity = "gardener-reserve-excess-capacity"
	// PriorityClassNameShootSystem900 is for node problem detectors inside shoots.
	PriorityClassNameShootSystem900 = "gardener-shoot-system-900"
	// PriorityClassNameShootSystem800 is for important components inside shoots.
	PriorityClassNameShootSystem800 = "gardener-shoot-system-800"
	// PriorityClassNameShootSystem700 is for exporters inside shoots.
	PriorityClassNameShootSystem700 = "gardener-shoot-system-700"
	// PriorityClassNameShootSystem600 is for addons inside shoots.
	PriorityClassNameShootSystem600 = "gardener-shoot-system-600"
)
