package constants

// Values of GardenerOperation and GardenerMaintenanceOperation.
const (
	// GardenerOperationReconcile asks for a reconciliation now.
	GardenerOperationReconcile = "reconcile"
	// GardenerOperationMigrate asks to prepare a move to another seed.
	GardenerOperationMigrate = "migrate"
	// GardenerOperationRestore asks to restore from saved state.
	GardenerOperationRestore = "restore"
	// GardenerOperationWaitForState holds an extension object back until its state is there.
	GardenerOperationWaitForState = "wait-for-state"
	// GardenerOperationKeepalive prolongs the life of a Bastion.
	GardenerOperationKeepalive = "keepalive"
	// ShootOperationRetry starts a failed operation again.
	ShootOperationRetry = "retry"
	// ShootOperationMaintain does maintenance now.
	ShootOperationMaintain = "maintain"
	// ShootOperationRotateKubeconfigCredentials rotates the static token.
	ShootOperationRotateKubeconfigCredentials = "rotate-kubeconfig-credentials"
	// ShootOperationRotateSSHKeypair rotates the SSH key of the nodes.
	ShootOperationRotateSSHKeypair = "rotate-ssh-keypair"
	// ShootOperationRotateObservabilityCredentials rotates the passwords for monitoring and logging.
	ShootOperationRotateObservabilityCredentials = "rotate-observability-credentials"
	// ShootOperationForceInPlaceUpdate starts updates in place although nodes are not ready.
	ShootOperationForceInPlaceUpdate = "force-in-place-update"
	// ShootOperationRotateRolloutWorkers rolls the listed pools in a rotation.
	ShootOperationRotateRolloutWorkers = "rotate-rollout-workers"
	// ShootOperationRolloutWorkers rolls the listed pools.
	ShootOperationRolloutWorkers = "rollout-workers"
	// OperationRotateCredentialsStart starts the rotation of all credentials.
	OperationRotateCredentialsStart = "rotate-credentials-start"
	// OperationRotateCredentialsStartWithoutWorkersRollout starts it without rolling workers.
	OperationRotateCredentialsStartWithoutWorkersRollout = "rotate-credentials-start-without-workers-rollout"
	// OperationRotateCredentialsComplete completes the rotation of all credentials.
	OperationRotateCredentialsComplete = "rotate-credentials-complete"
	// OperationRotateCAStart starts the rotation of the certificate authorities.
	OperationRotateCAStart = "rotate-ca-start"
	// OperationRotateCAStartWithoutWorkersRollout starts it without rolling workers.
	OperationRotateCAStartWithoutWorkersRollout = "rotate-ca-start-without-workers-rollout"
	// OperationRotateCAStartLegacy is OperationRotateCAStart in the words of the first proposal.
	OperationRotateCAStartLegacy = "start-ca-rotation"
	// OperationRotateCACompleteLegacy is OperationRotateCAComplete in the words of the first proposal.
	OperationRotateCACompleteLegacy = "complete-ca-rotation"
	// OperationRotateCAComplete completes the rotation of the certificate authorities.
	OperationRotateCAComplete = "rotate-ca-complete"
	// OperationRotateServiceAccountKeyStart starts the rotation of the key of service account tokens.
	OperationRotateServiceAccountKeyStart = "rotate-serviceaccount-key-start"
	// OperationRotateServiceAccountKeyStartWithoutWorkersRollout starts it without rolling workers.
	OperationRotateServiceAccountKeyStartWithoutWorkersRollout = "rotate-serviceaccount-key-start-without-workers-rollout"
	// OperationRotateServiceAccountKeyComplete completes the rotation of the key of service account tokens.
	OperationRotateServiceAccountKeyComplete = "rotate-serviceaccount-key-complete"
	// OperationRotateETCDEncryptionKey rotates the encryption key of etcd in one step.
	OperationRotateETCDEncryptionKey = "rotate-etcd-encryption-key"
	// OperationRotateETCDEncryptionKeyStart starts the rotation of the encryption key of etcd.
	OperationRotateETCDEncryptionKeyStart = "rotate-etcd-encryption-key-start"
	// OperationRotateETCDEncryptionKeyComplete completes the rotation of the encryption key of etcd.
	OperationRotateETCDEncryptionKeyComplete = "rotate-etcd-encryption-key-complete"
	// OperationRotateWorkloadIdentityKeyStart starts the rotation of the key of workload identities.
	OperationRotateWorkloadIdentityKeyStart = "rotate-workload-identity-key-start"
	// OperationRotateWorkloadIdentityKeyComplete completes the rotation of the key of workload identities.
	OperationRotateWorkloadIdentityKeyComplete = "rotate-workload-identity-key-complete"
	// SeedOperationRenewGardenAccessSecrets renews the tokens of extensions in a seed.
	SeedOperationRenewGardenAccessSecrets = "renew-garden-access-secrets"
	// SeedOperationRenewWorkloadIdentityTokens renews the tokens of workload identities in a seed.
	SeedOperationRenewWorkloadIdentityTokens = "renew-workload-identity-tokens"
	// GardenerOperationRenewKubeconfig renews the client certificate of a gardenlet.
	GardenerOperationRenewKubeconfig = "renew-kubeconfig"
	// GardenletKubeconfigSecretRenew is the value on the kubeconfig Secret of a gardenlet that renews it.
	GardenletKubeconfigSecretRenew = "renew"
	// GardenletOperationForceRedeploy deploys a gardenlet again with its first kubeconfig.
	GardenletOperationForceRedeploy = "force-redeploy"
)
