package constants

// Labels on objects of the garden and of seeds.
const (
	// ProjectName is the label of a project's namespace with the name of the project.
	ProjectName = "project.gardener.cloud/name"
	// ShootStatus is the label of a Shoot with its worst health.
	ShootStatus = "shoot.gardener.cloud/status"
	// ShootStatusHealthy is the status where all conditions are True.
	ShootStatusHealthy = "healthy"
	// ShootStatusProgressing is the status where a condition is Progressing.
	ShootStatusProgressing = "progressing"
	// ShootStatusUnknown is the status where a condition is Unknown.
	ShootStatusUnknown = "unknown"
	// ShootStatusUnhealthy is the status where a condition is False.
	ShootStatusUnhealthy = "unhealthy"
	// LabelKeyName names the key that an object of a shoot was encrypted with, or that its token was signed with. Objects have
	// it while the key is rotated.
	LabelKeyName = "credentials.gardener.cloud/key-name"
	// ShootNoCleanup is the label of objects in a shoot that its deletion leaves alone.
	ShootNoCleanup = "shoot.gardener.cloud/no-cleanup"
	// GardenerPurpose is the label that tells the purpose of a Secret or namespace.
	GardenerPurpose = "gardener.cloud/purpose"
	// SecretPurposeCloudProvider is the purpose of infrastructure credentials.
	SecretPurposeCloudProvider = "cloudprovider"
	// SecretPurposeMachineClass is the purpose of Secrets of machine classes.
	SecretPurposeMachineClass = "machineclass"
	// PurposeKubeSystem is the purpose of the namespace kube-system in a shoot.
	PurposeKubeSystem = "kube-system"
	// LabelShootProvider is the label with the provider type of a shoot.
	LabelShootProvider = "shoot.gardener.cloud/provider"
	// LabelSeedProvider is the label with the provider type of a seed.
	LabelSeedProvider = "seed.gardener.cloud/provider"
	// LabelSeedRegion is the label with the region of a seed.
	LabelSeedRegion = "seed.gardener.cloud/region"
	// LabelSeedNetwork is the label with the kind of network of a seed.
	LabelSeedNetwork = "seed.gardener.cloud/network"
	// LabelSeedNetworkPrivate is the value of LabelSeedNetwork for seeds without public access.
	LabelSeedNetworkPrivate = "private"
	// LabelSelfHostedShootCluster marks seeds that are self-hosted shoots.
	LabelSelfHostedShootCluster = "seed.gardener.cloud/self-hosted-shoot-cluster"
	// LabelBackupProvider is the label with the provider type of a backup.
	LabelBackupProvider = "backup.gardener.cloud/provider"
	// LabelNetworkingProvider is the label with the network extension of a shoot.
	LabelNetworkingProvider = "networking.shoot.gardener.cloud/provider"
	// LabelPrefixProviderShoot begins the labels of bindings and their Secrets with the provider type.
	LabelPrefixProviderShoot = "provider.shoot.gardener.cloud/"
	// LabelPrefixSeedName begins the labels of objects that belong to a seed.
	LabelPrefixSeedName = "name.seed.gardener.cloud/"
	// LabelExtensionProviderTypePrefix begins the labels with a provider type in use.
	LabelExtensionProviderTypePrefix = "provider.extensions.gardener.cloud/"
	// LabelExtensionDNSRecordTypePrefix begins the labels with a DNS provider type in use.
	LabelExtensionDNSRecordTypePrefix = "dnsrecord.extensions.gardener.cloud/"
	// LabelExtensionNetworkingTypePrefix begins the labels with a network type in use.
	LabelExtensionNetworkingTypePrefix = "networking.extensions.gardener.cloud/"
	// LabelExtensionOperatingSystemConfigTypePrefix begins the labels with an operating system type in use.
	LabelExtensionOperatingSystemConfigTypePrefix = "operatingsystemconfig.extensions.gardener.cloud/"
	// LabelExtensionContainerRuntimeTypePrefix begins the labels with a runtime type in use.
	LabelExtensionContainerRuntimeTypePrefix = "containerruntime.extensions.gardener.cloud/"
	// LabelExtensionExtensionTypePrefix begins the labels with an extension type in use.
	LabelExtensionExtensionTypePrefix = "extensions.extensions.gardener.cloud/"
	// LabelExtensionProviderMutatedByControlplaneWebhook marks objects that a provider's webhook changes.
	LabelExtensionProviderMutatedByControlplaneWebhook = "provider.extensions.gardener.cloud/mutated-by-controlplane-webhook"
	// LabelSecretBindingReference marks Secrets referenced by a SecretBinding.
	LabelSecretBindingReference = "reference.gardener.cloud/secretbinding"
	// LabelCredentialsBindingReference marks credentials referenced by a CredentialsBinding.
	LabelCredentialsBindingReference = "reference.gardener.cloud/credentialsbinding"
	// LabelControllerRegistrationName is the label with the name of a ControllerRegistration.
	LabelControllerRegistrationName = "controllerregistration.core.gardener.cloud/name"
	// LabelControllerInstallationName is the label of a ManagedResource with the name of a ControllerInstallation.
	LabelControllerInstallationName = "controllerinstallation-name"
	// LabelExposureClassHandlerName is the label with the name of an exposure class handler.
	LabelExposureClassHandlerName = "handler.exposureclass.gardener.cloud/name"
	// LabelShootNamespace is the label with the namespace of a Shoot.
	LabelShootNamespace = "shoot.gardener.cloud/namespace"
	// LabelShootName is the label with the name of a Shoot.
	LabelShootName = "shoot.gardener.cloud/name"
	// LabelShootUID is the label with the identity of a Shoot.
	LabelShootUID = "shoot.gardener.cloud/uid"
	// LabelCareConditionType is the label of a ManagedResource with the condition it counts for.
	LabelCareConditionType = "care.gardener.cloud/condition-type"
	// LabelMaintenanceRestart marks pods that maintenance restarts.
	LabelMaintenanceRestart = "maintenance.gardener.cloud/restart"
	// LabelExcludeWebhookFromRemediation marks webhooks that are left alone.
	LabelExcludeWebhookFromRemediation = "remediation.webhook.shoot.gardener.cloud/exclude"
	// LabelNodeCriticalComponent marks pods without which a node is not usable.
	LabelNodeCriticalComponent = "node.gardener.cloud/critical-component"
	// LabelSchedulingPurpose is the label of ConfigMaps for the scheduler.
	LabelSchedulingPurpose = "scheduling.gardener.cloud/purpose"
	// SchedulingPurposeRegionConfig is the purpose of ConfigMaps with distances of regions.
	SchedulingPurposeRegionConfig = "region-config"
	// LabelApp is the label with the name of an application.
	LabelApp = "app"
	// LabelRole is the label with the part of an application.
	LabelRole = "role"
	// LabelKubernetes is the value of LabelApp for Kubernetes components.
	LabelKubernetes = "kubernetes"
	// LabelGardener is the value of LabelApp for Gardener components.
	LabelGardener = "gardener"
	// LabelAPIServer is the value of LabelRole for API servers.
	LabelAPIServer = "apiserver"
	// LabelControllerManager is the value of LabelRole for controller managers.
	LabelControllerManager = "controller-manager"
	// LabelScheduler is the value of LabelRole for schedulers.
	LabelScheduler = "scheduler"
	// LabelProxy is the value of LabelRole for kube-proxy.
	LabelProxy = "proxy"
	// LabelUpdateRestriction marks objects only Gardener may change.
	LabelUpdateRestriction = "gardener.cloud/update-restriction"
	// LabelPublicKeys marks objects anybody may read.
	LabelPublicKeys = "discovery.gardener.cloud/public"
	// LabelPublicKeysShootCA is the value of LabelPublicKeys for authorities of shoots.
	LabelPublicKeysShootCA = "shoot-ca"
	// DeletionProtected is the label of definitions whose deletion must be confirmed.
	DeletionProtected = "gardener.cloud/deletion-protected"
)

// Labels on the nodes of a shoot.
const (
	// LabelWorkerPool is the label with the name of the worker pool.
	LabelWorkerPool = "worker.gardener.cloud/pool"
	// LabelWorkerPoolDeprecated is the label with the name of the worker pool in older releases.
	LabelWorkerPoolDeprecated = "worker.garden.sapcloud.io/group"
	// LabelWorkerPoolSystemComponents marks nodes on which system components may run.
	LabelWorkerPoolSystemComponents = "worker.gardener.cloud/system-components"
	// LabelWorkerKubernetesVersion is the label with the version of the kubelet.
	LabelWorkerKubernetesVersion = "worker.gardener.cloud/kubernetes-version"
	// LabelWorkerCRIName is the label with the container runtime.
	LabelWorkerCRIName = "worker.gardener.cloud/cri-name"
	// LabelWorkerImageName is the label with the name of the machine image.
	LabelWorkerImageName = "worker.gardener.cloud/image-name"
	// LabelWorkerImageVersion is the label with the version of the machine image.
	LabelWorkerImageVersion = "worker.gardener.cloud/image-version"
	// LabelPrefixContainerRuntimeWorker begins the labels with runtimes beneath the container runtime.
	LabelPrefixContainerRuntimeWorker = "containerruntime.worker.gardener.cloud/"
	// LabelPrefixContainerRuntime begins the same labels by their older name.
	LabelPrefixContainerRuntime = "container.runtime."
	// LabelSeedShared gives a Secret in the namespace garden to all seeds if it is "true": their gardenlets may let their Seeds refer to it.
	LabelSeedShared = "seed.gardener.cloud/shared"
	// LabelNodeLocalDNS says whether a node has a DNS cache.
	LabelNodeLocalDNS = "networking.gardener.cloud/node-local-dns-enabled"
	// LabelNodeAgentSecretName is the label with the Secret of the node's configuration.
	LabelNodeAgentSecretName = "worker.gardener.cloud/gardener-node-agent-secret-name"
	// TaintNodeCriticalComponentsNotReady is the taint of nodes whose critical components do not run yet.
	TaintNodeCriticalComponentsNotReady = "node.gardener.cloud/critical-components-not-ready"
)
