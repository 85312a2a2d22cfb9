package constants

// Secrets and ConfigMaps of a Shoot in the garden: <shoot>.<suffix>.
const (
	// ShootProjectSecretSuffixKubeconfig is the suffix of the Secret with the static token.
	ShootProjectSecretSuffixKubeconfig = "kubeconfig"
	// ShootProjectSecretSuffixCACluster is the suffix of the Secret with the authority of the API server.
	ShootProjectSecretSuffixCACluster = "ca-cluster"
	// ShootProjectConfigMapSuffixCACluster is the suffix of the ConfigMap with the authority of the API server.
	ShootProjectConfigMapSuffixCACluster = "ca-cluster"
	// ShootProjectConfigMapSuffixCAKubelet is the suffix of the ConfigMap with the authority of the kubelets.
	ShootProjectConfigMapSuffixCAKubelet = "ca-kubelet"
	// ShootProjectSecretSuffixCAClient is the suffix of the InternalSecret with the authority of client
	// certificates.
	ShootProjectSecretSuffixCAClient = "ca-client"
	// ShootProjectSecretSuffixSSHKeypair is the suffix of the Secret with the SSH key.
	ShootProjectSecretSuffixSSHKeypair = "ssh-keypair"
	// ShootProjectSecretSuffixOldSSHKeypair is the suffix of the Secret with the previous SSH key.
	ShootProjectSecretSuffixOldSSHKeypair = "ssh-keypair.old"
	// ShootProjectSecretSuffixMonitoring is the suffix of the Secret with the password for monitoring.
	ShootProjectSecretSuffixMonitoring = "monitoring"
)

// Secrets and ConfigMaps in the control plane namespace of a seed.
const (
	// SecretNameCloudProvider is the Secret with the infrastructure credentials.
	SecretNameCloudProvider = "cloudprovider"
	// BackupSecretName is the Secret with bucket and credentials for etcd backups.
	BackupSecretName = "etcd-backup"
	// BackupSourcePrefix begins the names of BackupEntries that give a seed access to the backups in the bucket of the seed a shoot
	// comes from, and of the Secrets for that.
	BackupSourcePrefix = "source-"
	// BackupSourceKeysSuffix ends the name of the Secret with the keys of the snapshots that were copied from the seed a shoot comes from. It begins with that of
	// the Secret of the store.
	BackupSourceKeysSuffix = "-source-keys"
	// DataKeyBackupEncryption is the key of the Secret of a Seed's backup with the secret keys of age that encrypt snapshots.
	DataKeyBackupEncryption = "encryptionKey"
	// DataKeyBackupBucketName is the key of BackupSecretName with the name of the bucket.
	DataKeyBackupBucketName = "bucketName"
	// SecretNameGenericTokenKubeconfig is the Secret with a kubeconfig whose token lies in a file beside it.
	SecretNameGenericTokenKubeconfig = "generic-token-kubeconfig"
	// SecretNameGardener is the Secret with Gardener's kubeconfig, external address.
	SecretNameGardener = "gardener"
	// SecretNameGardenerInternal is the Secret with Gardener's kubeconfig, address inside the seed.
	SecretNameGardenerInternal = "gardener-internal"
	// SecretNameCACluster is the authority of the API server.
	SecretNameCACluster = "ca"
	// SecretNameCAClient is the authority of client certificates.
	SecretNameCAClient = "ca-client"
	// SecretNameCAETCD is the authority of etcd.
	SecretNameCAETCD = "ca-etcd"
	// SecretNameCAETCDPeer is the authority between members of etcd.
	SecretNameCAETCDPeer = "ca-etcd-peer"
	// SecretNameCAFrontProxy is the authority of the aggregator.
	SecretNameCAFrontProxy = "ca-front-proxy"
	// SecretNameCAGardenRuntime is the authority of the webhooks in the runtime cluster of a garden.
	SecretNameCAGardenRuntime = "ca-garden-runtime"
	// SecretNameCAKubelet is the authority of the kubelets' servers.
	SecretNameCAKubelet = "ca-kubelet"
	// SecretNameCAMetricsServer is the authority of the metrics server.
	SecretNameCAMetricsServer = "ca-metrics-server"
	// SecretNameCAVPN is the authority of the tunnel.
	SecretNameCAVPN = "ca-vpn"
	// SecretNameServiceAccountKey is the key that signs service account tokens.
	SecretNameServiceAccountKey = "service-account-key"
	// SecretNameETCDEncryptionKey is the key that encrypts data in etcd.
	SecretNameETCDEncryptionKey = "kube-apiserver-etcd-encryption-key"
	// SecretNamePrefixETCDEncryptionConfiguration begins the names of the encryption configurations.
	SecretNamePrefixETCDEncryptionConfiguration = "kube-apiserver-etcd-encryption-configuration"
	// SecretNameKubeAPIServer is the certificate of the API server.
	SecretNameKubeAPIServer = "kube-apiserver"
	// SecretNameKubeAPIServerToKubelet is the API server's client certificate for kubelets.
	SecretNameKubeAPIServerToKubelet = "kube-apiserver-kubelet"
	// SecretNameKubeAPIServerStaticToken is the file with static tokens.
	SecretNameKubeAPIServerStaticToken = "kube-apiserver-static-token"
	// SecretNameKubeAPIServerHTTPProxy is the API server's client certificate for the tunnel.
	SecretNameKubeAPIServerHTTPProxy = "kube-apiserver-http-proxy"
	// SecretNameKubeAggregator is the aggregator's client certificate.
	SecretNameKubeAggregator = "kube-aggregator"
	// SecretNameUserKubeconfig is the kubeconfig with a static token for users.
	SecretNameUserKubeconfig = "user-kubeconfig"
	// SecretNameETCDClient is the client certificate for etcd.
	SecretNameETCDClient = "etcd-client"
	// SecretNameETCDServerMain is the certificate of etcd main.
	SecretNameETCDServerMain = "etcd-server-main"
	// SecretNameETCDServerEvents is the certificate of etcd events.
	SecretNameETCDServerEvents = "etcd-server-events"
	// SecretNameKubeControllerManagerServer is the certificate of the controller manager.
	SecretNameKubeControllerManagerServer = "kube-controller-manager-server"
	// SecretNameKubeSchedulerServer is the certificate of the scheduler.
	SecretNameKubeSchedulerServer = "kube-scheduler-server"
	// SecretNameGardenerResourceManagerServer is the certificate of the resource manager.
	SecretNameGardenerResourceManagerServer = "gardener-resource-manager-server"
	// SecretNameMetricsServer is the certificate of the metrics server.
	SecretNameMetricsServer = "metrics-server"
	// SecretNameVPNSeedServer is the certificate of the tunnel's server.
	SecretNameVPNSeedServer = "vpn-seed-server"
	// SecretNameVPNShootClient is the certificate of the tunnel's client.
	SecretNameVPNShootClient = "vpn-shoot-client"
	// SecretNameSSHKeyPair is the SSH key of the nodes.
	SecretNameSSHKeyPair = "ssh-keypair"
	// SecretNameObservabilityIngress is the password for operators.
	SecretNameObservabilityIngress = "observability-ingress"
	// SecretNameObservabilityIngressUsers is the password for users.
	SecretNameObservabilityIngressUsers = "observability-ingress-users"
	// SecretNamePrefixShootAccess begins the names of Secrets with a token for a shoot.
	SecretNamePrefixShootAccess = "shoot-access-"
	// SecretNamePrefixGardenAccess begins the names of Secrets with a token for the garden.
	SecretNamePrefixGardenAccess = "garden-access-"
	// ReferencedResourcesPrefix begins the names of copies of referenced objects.
	ReferencedResourcesPrefix = "ref-"
	// GardenletKubeconfigSecretName is the Secret with the kubeconfig of the gardenlet.
	GardenletKubeconfigSecretName = "gardenlet-kubeconfig"
	// GardenletBootstrapKubeconfigSecretName is the Secret with the first kubeconfig of the gardenlet.
	GardenletBootstrapKubeconfigSecretName = "gardenlet-kubeconfig-bootstrap"
	// SecretPrefixGeneratedBackupBucket begins the names of Secrets with credentials made for a bucket.
	SecretPrefixGeneratedBackupBucket = "generated-bucket-"
	// ConfigMapNameShootInfo is the ConfigMap in kube-system of a shoot that describes it.
	ConfigMapNameShootInfo = "shoot-info"
)

// Keys of Secrets and ConfigMaps.
const (
	// DataKeyKubeconfig is a kubeconfig.
	DataKeyKubeconfig = "kubeconfig"
	// DataKeyCACertificate is the certificate of an authority.
	DataKeyCACertificate = "ca.crt"
	// DataKeyCAPrivateKey is the private key of an authority.
	DataKeyCAPrivateKey = "ca.key"
	// DataKeyCertificate is a certificate.
	DataKeyCertificate = "tls.crt"
	// DataKeyPrivateKey is the private key of a certificate.
	DataKeyPrivateKey = "tls.key"
	// DataKeyCertificateBundle is a bundle of authorities.
	DataKeyCertificateBundle = "bundle.crt"
	// DataKeyToken is a bearer token.
	DataKeyToken = "token"
	// DataKeyUserName is a user name.
	DataKeyUserName = "username"
	// DataKeyPassword is a password.
	DataKeyPassword = "password"
	// DataKeyAuth is a user with a hashed password.
	DataKeyAuth = "auth"
	// DataKeySSHPrivateKey is a private SSH key.
	DataKeySSHPrivateKey = "id_rsa"
	// DataKeySSHPublicKey is a public SSH key.
	DataKeySSHPublicKey = "id_rsa.pub"
	// DataKeyConfigYAML is a configuration document.
	DataKeyConfigYAML = "config.yaml"
	// DataKeyAuditPolicy is an audit policy.
	DataKeyAuditPolicy = "policy"
)
