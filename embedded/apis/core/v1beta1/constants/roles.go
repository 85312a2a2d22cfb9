package constants

// Label gardener.cloud/role and its values.
const (
	// GardenRole is the label that says what an object is for.
	GardenRole = "gardener.cloud/role"
	// GardenRoleProject marks namespaces of projects.
	GardenRoleProject = "project"
	// GardenRoleGarden marks the namespace garden.
	GardenRoleGarden = "garden"
	// GardenRoleSeed marks the namespaces of the garden that belong to a seed.
	GardenRoleSeed = "seed"
	// GardenRoleShoot marks namespaces of shoot control planes in a seed.
	GardenRoleShoot = "shoot"
	// GardenRoleExtension marks namespaces of extension controllers in a seed.
	GardenRoleExtension = "extension"
	// GardenRoleExposureClassHandler marks namespaces of exposure class handlers in a seed.
	GardenRoleExposureClassHandler = "exposureclass-handler"
	// GardenRoleIstioSystem marks the namespace of istiod.
	GardenRoleIstioSystem = "istio-system"
	// GardenRoleIstioIngress marks namespaces of ingress gateways.
	GardenRoleIstioIngress = "istio-ingress"
	// GardenRoleControlPlane marks control plane components of a shoot.
	GardenRoleControlPlane = "controlplane"
	// GardenRoleControlPlaneWildcardCert marks the Secret with the wildcard certificate of a seed's ingress.
	GardenRoleControlPlaneWildcardCert = "controlplane-cert"
	// GardenRoleGardenWildcardCert marks the Secret with the wildcard certificate of the runtime cluster's
	// ingress.
	GardenRoleGardenWildcardCert = "garden-cert"
	// GardenRoleSystemComponent marks objects of Gardener inside a cluster.
	GardenRoleSystemComponent = "system-component"
	// GardenRoleSeedSystemComponent marks objects whose health counts for the Seed.
	GardenRoleSeedSystemComponent = "seed-system-component"
	// GardenRoleMonitoring marks monitoring components and secrets.
	GardenRoleMonitoring = "monitoring"
	// GardenRoleLogging marks logging components.
	GardenRoleLogging = "logging"
	// GardenRoleObservability marks monitoring and logging components.
	GardenRoleObservability = "observability"
	// GardenRoleOptionalAddon marks addons that a user asked for.
	GardenRoleOptionalAddon = "optional-addon"
	// GardenRoleKubeconfig marks Secrets with a kubeconfig of a shoot.
	GardenRoleKubeconfig = "kubeconfig"
	// GardenRoleSSHKeyPair marks Secrets with the SSH key of a shoot's nodes.
	GardenRoleSSHKeyPair = "ssh-keypair"
	// GardenRoleCACluster marks objects with the authority of a shoot's API server.
	GardenRoleCACluster = "ca-cluster"
	// GardenRoleCAClient marks InternalSecrets with the authority of a shoot's client certificates.
	GardenRoleCAClient = "ca-client"
	// GardenRoleCAKubelet marks ConfigMaps with the authority of a shoot's kubelets.
	GardenRoleCAKubelet = "ca-kubelet"
	// GardenRoleDefaultDomain marks Secrets with a domain for external addresses.
	GardenRoleDefaultDomain = "default-domain"
	// GardenRoleInternalDomain marks the Secret with the domain for internal addresses.
	GardenRoleInternalDomain = "internal-domain"
	// GardenRoleGlobalMonitoring marks the Secret with credentials for monitoring.
	GardenRoleGlobalMonitoring = "global-monitoring"
	// GardenRoleGlobalShootRemoteWriteMonitoring marks the Secret with credentials for remote write of metrics.
	GardenRoleGlobalShootRemoteWriteMonitoring = "global-shoot-remote-write-monitoring"
	// GardenRoleAlerting marks Secrets with the configuration of alerting.
	GardenRoleAlerting = "alerting"
	// GardenRoleHelmPullSecret marks pull Secrets for charts.
	GardenRoleHelmPullSecret = "helm-pull-secret"
	// GardenRoleOCICABundle marks Secrets with authorities of chart registries.
	GardenRoleOCICABundle = "oci-ca-bundle"
	// GardenRoleShootServiceAccountIssuer marks the Secret with the issuer of shoot service accounts.
	GardenRoleShootServiceAccountIssuer = "shoot-service-account-issuer"
	// GardenRoleResourceReference marks copies of referenced Secrets.
	GardenRoleResourceReference = "resource-reference"
	// GardenRoleCloudConfig marks Secrets with the boot script of nodes in older releases.
	GardenRoleCloudConfig = "cloud-config"
	// GardenRoleOperatingSystemConfig marks Secrets with the configuration of nodes.
	GardenRoleOperatingSystemConfig = "operating-system-config"
	// GardenRoleProjectMember is the ClusterRole label value for project members.
	GardenRoleProjectMember = "project-member"
	// GardenRoleProjectViewer is the ClusterRole label value for project viewers.
	GardenRoleProjectViewer = "project-viewer"
	// GardenRoleProjectServiceAccountManager is the ClusterRole label value for managers of service accounts.
	GardenRoleProjectServiceAccountManager = "project-serviceaccountmanager"
	// GardenRoleExtensionProjectRole marks roles of projects that extensions define.
	GardenRoleExtensionProjectRole = "extension-project-role"
)
