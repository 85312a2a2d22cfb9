package constants

// Annotations on objects of the garden and of seeds.
const (
	// GardenerOperation asks for an operation; see GardenerOperationReconcile and others.
	GardenerOperation = "gardener.cloud/operation"
	// GardenerMaintenanceOperation asks for an operation in the next maintenance window.
	GardenerMaintenanceOperation = "maintenance.gardener.cloud/operation"
	// GardenerOperationsSeparator separates several operations in one annotation.
	GardenerOperationsSeparator = ";"
	// GardenerTimestamp holds the time of the request and so makes a change of every request.
	GardenerTimestamp = "gardener.cloud/timestamp"
	// GardenCreatedBy holds the user who created the object.
	GardenCreatedBy = "gardener.cloud/created-by"
	// GardenerDescription explains an object.
	GardenerDescription = "gardener.cloud/description"
	// GardenerWarning is a warning for people who read the object.
	GardenerWarning = "gardener.cloud/warning"
	// ConfirmationDeletion permits the deletion of an object if "true".
	ConfirmationDeletion = "confirmation.gardener.cloud/deletion"
	// ConfirmationForceDeletion asks to delete an object without cleaning up if "true".
	ConfirmationForceDeletion = "confirmation.gardener.cloud/force-deletion"
	// DeletionConfirmedBy holds the user who confirmed the deletion.
	DeletionConfirmedBy = "deletion.gardener.cloud/confirmed-by"
	// AnnotationSecretRefChecksum holds the checksum of referenced Secrets.
	AnnotationSecretRefChecksum = "checksum/secret-data"
	// ShootIgnore stops the reconciliation of a Shoot if "true".
	ShootIgnore = "shoot.gardener.cloud/ignore"
	// ShootSyncPeriod lengthens the time between reconciliations of a Shoot.
	ShootSyncPeriod = "shoot.gardener.cloud/sync-period"
	// ShootTasks lists tasks that the next reconciliation does once.
	ShootTasks = "shoot.gardener.cloud/tasks"
	// ShootTaskDeployInfrastructure is the task that reconciles the infrastructure.
	ShootTaskDeployInfrastructure = "deployInfrastructure"
	// ShootTaskDeployDNSRecordInternal is the task that reconciles the internal DNS record.
	ShootTaskDeployDNSRecordInternal = "deployDNSRecordInternal"
	// ShootTaskDeployDNSRecordExternal is the task that reconciles the external DNS record.
	ShootTaskDeployDNSRecordExternal = "deployDNSRecordExternal"
	// ShootTaskDeployDNSRecordIngress is the task that reconciles the ingress DNS record.
	ShootTaskDeployDNSRecordIngress = "deployDNSRecordIngress"
	// ShootTaskRestartControlPlanePods is the task that restarts the control plane.
	ShootTaskRestartControlPlanePods = "restartControlPlanePods"
	// ShootTaskRestartCoreAddons is the task that restarts core addons.
	ShootTaskRestartCoreAddons = "restartCoreAddons"
	// ShootTaskUpdateGardenerNodeAgentSecretName is the task that renews the name of the nodes' configuration
	// Secret.
	ShootTaskUpdateGardenerNodeAgentSecretName = "updateGardenerNodeAgentSecretName"
	// ShootExpirationTimestamp holds when a Shoot is deleted because of its Quota.
	ShootExpirationTimestamp = "shoot.gardener.cloud/expiration-timestamp"
	// ShootPurpose holds the purpose of a Shoot on objects beside it.
	ShootPurpose = "shoot.gardener.cloud/purpose"
	// ShootUID holds the identity of the Shoot on its namespace in the seed.
	ShootUID = "shoot.gardener.cloud/uid"
	// ShootIgnoreAlerts suppresses alerts about a Shoot if "true".
	ShootIgnoreAlerts = "shoot.gardener.cloud/ignore-alerts"
	// ShootSkipCleanup skips most of the clean-up in a Shoot's deletion.
	ShootSkipCleanup = "shoot.gardener.cloud/skip-cleanup"
	// ShootNodeLocalDNS switches on the DNS cache on the nodes if "true"; only for releases up to 1.77.
	ShootNodeLocalDNS = "alpha.featuregates.shoot.gardener.cloud/node-local-dns"
	// ShootNodeLocalDNSForceTCPToClusterDNS is "true" or "false" for how such a cache asks the DNS server of the cluster.
	ShootNodeLocalDNSForceTCPToClusterDNS = ShootNodeLocalDNS + "-force-tcp-to-cluster-dns"
	// ShootNodeLocalDNSForceTCPToUpstreamDNS is "true" or "false" for how such a cache asks DNS servers outside.
	ShootNodeLocalDNSForceTCPToUpstreamDNS = ShootNodeLocalDNS + "-force-tcp-to-upstream-dns"
	// ShootForceRestore lets the seed that a Shoot is to move to take it without the help of its present seed if "true".
	ShootForceRestore = "shoot.gardener.cloud/force-restore"
	// ShootSkipReadiness skips the waits of the next reconciliation.
	ShootSkipReadiness = "shoot.gardener.cloud/skip-readiness"
	// ShootCloudConfigExecutionMaxDelaySeconds bounds the random delay with which nodes apply their configuration.
	ShootCloudConfigExecutionMaxDelaySeconds = "shoot.gardener.cloud/cloud-config-execution-max-delay-seconds"
	// ShootCleanupWebhooksFinalizeGracePeriodSeconds is after how many seconds finalizers of webhooks are removed.
	ShootCleanupWebhooksFinalizeGracePeriodSeconds = "shoot.gardener.cloud/cleanup-webhooks-finalize-grace-period-seconds"
	// ShootCleanupExtendedAPIsFinalizeGracePeriodSeconds is after how many seconds finalizers of API extensions
	// are removed.
	ShootCleanupExtendedAPIsFinalizeGracePeriodSeconds = "shoot.gardener.cloud/cleanup-extended-apis-finalize-grace-period-seconds"
	// ShootCleanupKubernetesResourcesFinalizeGracePeriodSeconds is after how many seconds finalizers of ordinary
	// objects are removed.
	ShootCleanupKubernetesResourcesFinalizeGracePeriodSeconds = "shoot.gardener.cloud/cleanup-kubernetes-resources-finalize-grace-period-seconds"
	// ShootCleanupNamespaceResourcesFinalizeGracePeriodSeconds is after how many seconds finalizers of namespaces
	// are removed.
	ShootCleanupNamespaceResourcesFinalizeGracePeriodSeconds = "shoot.gardener.cloud/cleanup-namespaces-finalize-grace-period-seconds"
	// ShootInfrastructureCleanupWaitPeriodSeconds is how many seconds to wait before the infrastructure is
	// deleted.
	ShootInfrastructureCleanupWaitPeriodSeconds = "shoot.gardener.cloud/infrastructure-cleanup-wait-period-seconds"
	// ShootAlphaHAControlPlane asked for a control plane that survives failures, in older releases.
	ShootAlphaHAControlPlane = "alpha.control-plane.shoot.gardener.cloud/high-availability"
	// ShootAlphaControlPlaneHAVPN switches the redundant tunnel on or off.
	ShootAlphaControlPlaneHAVPN = "alpha.control-plane.shoot.gardener.cloud/high-availability-vpn"
	// ShootAlphaControlPlaneScaleDownDisabled stops scaling the control plane down if "true".
	ShootAlphaControlPlaneScaleDownDisabled = "alpha.control-plane.scaling.shoot.gardener.cloud/scale-down-disabled"
	// ShootAlphaCSIMigrationKubernetesVersion is the version from which volumes are handled by CSI drivers.
	ShootAlphaCSIMigrationKubernetesVersion = "alpha.csimigration.shoot.extensions.gardener.cloud/kubernetes-version"
	// FailedShootNeedsRetryOperation lets maintenance retry a failed Shoot if "true".
	FailedShootNeedsRetryOperation = "maintenance.shoot.gardener.cloud/needs-retry-operation"
	// AnnotationAuthenticationIssuer asks for a managed issuer of service account tokens.
	AnnotationAuthenticationIssuer = "authentication.gardener.cloud/issuer"
	// AnnotationAuthenticationIssuerManaged is the value of AnnotationAuthenticationIssuer.
	AnnotationAuthenticationIssuerManaged = "managed"
	// AnnotationShootDisableIstioTLSTermination lets the gateway pass TLS on to the API server.
	AnnotationShootDisableIstioTLSTermination = "shoot.gardener.cloud/disable-istio-tls-termination"
	// AnnotationBackupProblem of the Lease for full snapshots of an etcd says why none is stored.
	AnnotationBackupProblem = "backup.gardener.cloud/problem"
	// AnnotationSeedNames gives a Secret in the namespace garden to some seeds, separated by commas, as LabelSeedShared gives it to all.
	AnnotationSeedNames = "seed.gardener.cloud/names"
	// AnnotationEmergencyStopShootReconciliations stops the reconciliation of all Shoots of a Seed.
	AnnotationEmergencyStopShootReconciliations = "shoot.gardener.cloud/emergency-stop-reconciliations"
	// BackupEntryForceDeletion deletes a BackupEntry before its grace period ends if "true".
	BackupEntryForceDeletion = "backupentry.core.gardener.cloud/force-deletion"
	// AnnotationBackupBucketCreatedBy is the creator of a backup.
	AnnotationBackupBucketCreatedBy = "backup.gardener.cloud/created-by"
	// AnnotationGenericTokenKubeconfigSecretName holds the name of the kubeconfig Secret of a control plane.
	AnnotationGenericTokenKubeconfigSecretName = "generic-token-kubeconfig.secret.gardener.cloud/name"
	// AnnotationNewEncryptionKeyPopulated names, on the Deployment of the API server, the encryption key that all its pods know.
	// Only such a key may encrypt.
	AnnotationNewEncryptionKeyPopulated = "credentials.gardener.cloud/new-encryption-key-populated"
	// AnnotationNewServiceAccountKeyPopulated names, on the Deployment of the API server, the key of service account tokens that
	// all its pods verify with. Only such a key may sign.
	AnnotationNewServiceAccountKeyPopulated = "credentials.gardener.cloud/new-service-account-key-populated"
	// AnnotationObjectsRewritten marks, if "true", the Secret of an encryption key with which all objects are encrypted. Only
	// then the key before it may be dropped.
	AnnotationObjectsRewritten = "credentials.gardener.cloud/objects-rewritten"
	// AnnotationPodSecurityEnforce is the pod security level of an extension's namespace.
	AnnotationPodSecurityEnforce = "security.gardener.cloud/pod-security-enforce"
	// AnnotationManagedSeedAPIServer configures the API server of a Shoot that is a seed.
	AnnotationManagedSeedAPIServer = "shoot.gardener.cloud/managed-seed-api-server"
	// AnnotationSchedulingCloudProfiles lists the CloudProfiles a region configuration is for.
	AnnotationSchedulingCloudProfiles = "scheduling.gardener.cloud/cloudprofiles"
	// AnnotationProjectSkipStaleCheck keeps an unused project if "true".
	AnnotationProjectSkipStaleCheck = "project.gardener.cloud/skip-stale-check"
	// NamespaceProject holds the identity of the Project on its namespace.
	NamespaceProject = "namespace.gardener.cloud/project"
	// NamespaceKeepAfterProjectDeletion keeps an adopted namespace when its Project is deleted.
	NamespaceKeepAfterProjectDeletion = "namespace.gardener.cloud/keep-after-project-deletion"
	// NamespaceCreatedByProjectController marks namespaces made for a Project.
	NamespaceCreatedByProjectController = "namespace.gardener.cloud/created-by-project-controller"
	// AnnotationProtectFromDeletion keeps a replica of a ManagedSeedSet.
	AnnotationProtectFromDeletion = "seedmanagement.gardener.cloud/protect-from-deletion"
)
