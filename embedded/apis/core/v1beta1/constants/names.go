package constants

// Namespaces, users and groups.
const (
	// GardenNamespace is the namespace of Gardener's own objects in every cluster.
	GardenNamespace = "garden"
	// ProjectNamespacePrefix begins the names of project namespaces.
	ProjectNamespacePrefix = "garden-"
	// SeedNamespaceNamePrefix begins the names of the garden's namespaces for seeds.
	SeedNamespaceNamePrefix = "seed-"
	// GardenerSeedLeaseNamespace is the namespace of the leases of gardenlets.
	GardenerSeedLeaseNamespace = "gardener-system-seed-lease"
	// GardenerShootIssuerNamespace is the namespace of the service account issuers of shoots.
	GardenerShootIssuerNamespace = "gardener-system-shoot-issuer"
	// GardenerSystemPublicNamespace is the namespace of objects anybody may read.
	GardenerSystemPublicNamespace = "gardener-system-public"
	// GardenerInfoConfigMapName is the ConfigMap that describes the landscape.
	GardenerInfoConfigMapName = "gardener-info"
	// TechnicalIDPrefix begins the names of control plane namespaces in seeds.
	TechnicalIDPrefix = "shoot--"
	// ExtensionNamespacePrefix begins the names of extension namespaces in seeds.
	ExtensionNamespacePrefix = "extension-"
	// ShootWebhooksNamespace is the namespace of webhook configurations for shoots in seeds.
	ShootWebhooksNamespace = "shoot-webhooks"
	// IstioSystemNamespace is the namespace of istiod.
	IstioSystemNamespace = "istio-system"
	// DefaultSNIIngressNamespace is the namespace of the ingress gateway.
	DefaultSNIIngressNamespace = "istio-ingress"
	// VirtualGardenSNIIngressNamespace is the namespace of the gateway of a virtual garden in its runtime cluster, and
	// VirtualGardenSNIIngressService the name of its Service.
	VirtualGardenSNIIngressNamespace = "virtual-garden-istio-ingress"
	VirtualGardenSNIIngressService   = "istio-ingressgateway"
	// KubernetesDashboardNamespace is the namespace of the dashboard in a shoot.
	KubernetesDashboardNamespace = "kubernetes-dashboard"
	// SeedUserNamePrefix begins the user names of gardenlets.
	SeedUserNamePrefix = "gardener.cloud:system:seed:"
	// SeedsGroup is the group of gardenlets.
	SeedsGroup = "gardener.cloud:system:seeds"
	// ShootUserNamePrefix begins the user names of gardenlets of self-hosted shoots.
	ShootUserNamePrefix = "gardener.cloud:system:shoot:"
	// ShootsGroup is the group of gardenlets of self-hosted shoots.
	ShootsGroup = "gardener.cloud:system:shoots"
	// NodeAgentUserNamePrefix begins the user names of node agents.
	NodeAgentUserNamePrefix = "gardener.cloud:node-agent:machine:"
	// NodeAgentsGroup is the group of node agents.
	NodeAgentsGroup = "gardener.cloud:node-agents"
	// ShootGroupSystemAdmins is the group of landscape admins in a shoot.
	ShootGroupSystemAdmins = "gardener.cloud:system:admins"
	// ShootGroupProjectAdmins is the group of project admins in a shoot.
	ShootGroupProjectAdmins = "gardener.cloud:project:admins"
	// ShootGroupSystemViewers is the group of landscape viewers in a shoot.
	ShootGroupSystemViewers = "gardener.cloud:system:viewers"
	// ShootGroupProjectViewers is the group of project viewers in a shoot.
	ShootGroupProjectViewers = "gardener.cloud:project:viewers"
	// ShootAdminUserNamePrefix begins the user names in admin kubeconfigs.
	ShootAdminUserNamePrefix = "gardener.cloud:admin:"
	// ShootViewerUserNamePrefix begins the user names in viewer kubeconfigs.
	ShootViewerUserNamePrefix = "gardener.cloud:viewer:"
	// GardenerAudience is the audience of tokens for Gardener.
	GardenerAudience = "gardener"
	// ClusterIdentity is the ConfigMap in kube-system with the identity of a cluster, and its key.
	ClusterIdentity = "cluster-identity"
	// ClusterIdentityOrigin is the key that says who wrote the identity.
	ClusterIdentityOrigin = "origin"
	// ClusterIdentityOriginGardenerAPIServer is the origin in a garden.
	ClusterIdentityOriginGardenerAPIServer = "gardener-apiserver"
	// ClusterIdentityOriginSeed is the origin in a seed.
	ClusterIdentityOriginSeed = "seed"
	// ClusterIdentityOriginShoot is the origin in a shoot.
	ClusterIdentityOriginShoot = "shoot"
	// SecretManagerIdentityGardenlet is the identity under which a gardenlet manages secrets.
	SecretManagerIdentityGardenlet = "gardenlet"
	// SecretManagerIdentityControllerManager is the identity under which the controller manager manages secrets.
	SecretManagerIdentityControllerManager = "controller-manager"
	// SecretManagerIdentityOperator is the identity under which the operator manages secrets.
	SecretManagerIdentityOperator = "gardener-operator"
)

// RBAC roles of the garden.
const (
	// ClusterRolePrefixProject begins the ClusterRoles of project owners.
	ClusterRolePrefixProject = "gardener.cloud:system:project:"
	// ClusterRolePrefixProjectMember begins the ClusterRoles of project members.
	ClusterRolePrefixProjectMember = "gardener.cloud:system:project-member:"
	// ClusterRolePrefixProjectUAM begins the ClusterRoles of project user access managers.
	ClusterRolePrefixProjectUAM = "gardener.cloud:system:project-uam:"
	// ClusterRolePrefixProjectViewer begins the ClusterRoles of project viewers.
	ClusterRolePrefixProjectViewer = "gardener.cloud:system:project-viewer:"
	// RoleProjectMember is the ClusterRole bound to members in a project namespace.
	RoleProjectMember = "gardener.cloud:system:project-member"
	// RoleProjectViewer is the ClusterRole bound to viewers in a project namespace.
	RoleProjectViewer = "gardener.cloud:system:project-viewer"
	// RoleProjectServiceAccountManager is the ClusterRole bound to managers of service accounts in a project
	// namespace.
	RoleProjectServiceAccountManager = "gardener.cloud:system:project-serviceaccountmanager"
	// RolePrefixExtensionProject begins the ClusterRoles of roles that extensions define.
	RolePrefixExtensionProject = "gardener.cloud:extension:project:"
	// LabelAggregateToProjectMember marks ClusterRoles that members get too.
	LabelAggregateToProjectMember = "rbac.gardener.cloud/aggregate-to-project-member"
	// LabelAggregateToProjectViewer marks ClusterRoles that viewers get too.
	LabelAggregateToProjectViewer = "rbac.gardener.cloud/aggregate-to-project-viewer"
	// LabelAggregateToProjectServiceAccountManager marks ClusterRoles that managers of service accounts get too.
	LabelAggregateToProjectServiceAccountManager = "rbac.gardener.cloud/aggregate-to-project-serviceaccountmanager"
	// LabelAggregateToExtensionRole marks ClusterRoles that a role of an extension gets too.
	LabelAggregateToExtensionRole = "rbac.gardener.cloud/aggregate-to-extension-role"
)
