// Package names holds the labels, annotations and object names that the parts of a shoot's control plane share. What only
// one part needs is kept there.
package names

import (
	"fmt"
	"strings"
)

// Labels.
const (
	App             = "app"
	Role            = "role"
	GardenRole      = "gardener.cloud/role"
	Purpose         = "gardener.cloud/purpose"
	NoCleanup       = "shoot.gardener.cloud/no-cleanup"
	ShootStatus     = "shoot.gardener.cloud/status"
	WorkerPool      = "worker.gardener.cloud/pool"
	SeedProvider    = "seed.gardener.cloud/provider"
	ShootProvider   = "shoot.gardener.cloud/provider"
	BackupProvider  = "backup.gardener.cloud/provider"
	NetworkProvider = "networking.shoot.gardener.cloud/provider"
	Project         = "project.gardener.cloud/name"
)

// Values of GardenRole.
const (
	RoleControlPlane    = "controlplane"
	RoleShoot           = "shoot"
	RoleSystemComponent = "system-component"
	RoleKubeconfig      = "kubeconfig"
	RoleCACluster       = "ca-cluster"
	RoleCAClient        = "ca-client"
	RoleCAKubelet       = "ca-kubelet"
	RoleSSHKeypair      = "ssh-keypair"
	RoleInternalDomain  = "internal-domain"
	RoleDefaultDomain   = "default-domain"
	RoleOSC             = "operating-system-config"
)

// Annotations.
const (
	Operation            = "gardener.cloud/operation"
	MaintenanceOperation = "maintenance.gardener.cloud/operation"
	Timestamp            = "gardener.cloud/timestamp"
	ConfirmDeletion      = "confirmation.gardener.cloud/deletion"
	ShootUID             = "shoot.gardener.cloud/uid"
	ShootPurpose         = "shoot.gardener.cloud/purpose"
	ShootIgnore          = "shoot.gardener.cloud/ignore"
	ShootTasks           = "shoot.gardener.cloud/tasks"
	ShootSyncPeriod      = "shoot.gardener.cloud/sync-period"
	SkipCleanup          = "shoot.gardener.cloud/skip-cleanup"
	SkipReadiness        = "shoot.gardener.cloud/skip-readiness"
	GenericKubeconfig    = "generic-token-kubeconfig.secret.gardener.cloud/name"
	DNSProvider          = "dns.gardener.cloud/provider"
	DNSDomain            = "dns.gardener.cloud/domain"
	DNSZone              = "dns.gardener.cloud/zone"
	DNSPriority          = "dns.gardener.cloud/domain-default-priority"
)

// Values of Operation on extension objects.
const OperationReconcile = "reconcile"

// Names in the garden and the seed.
const (
	GardenNamespace  = "garden"
	Finalizer        = "gardener"
	CloudProvider    = "cloudprovider"
	EtcdBackup       = "etcd-backup"
	KubeSystem       = "kube-system"
	ClusterDomain    = "cluster.local"
	ReferencedPrefix = "ref-"
)

// Priority classes of control planes.
const (
	Priority500 = "gardener-system-500"
	Priority400 = "gardener-system-400"
	Priority300 = "gardener-system-300"
)

// APIServer is the name of the Service of a shoot's kube-apiserver.
const APIServer = "kube-apiserver"

// APIServerPort is a port of that Service above 1024, with the same target as 443: everybody may bind it.
const APIServerPort = 6443

// APIServerURL is how pods in the seed, and the gardenlet, reach a shoot's kube-apiserver.
func APIServerURL(namespace string) string {
	return fmt.Sprintf("https://%s.%s.svc:%d", APIServer, namespace, APIServerPort)
}

// ControlPlane returns the labels of a Kubernetes component of a control plane.
func ControlPlane(role string) map[string]string {
	return map[string]string{App: "kubernetes", Role: role}
}

// WithRole returns the labels with the role of all parts of a control plane added.
func WithRole(labels map[string]string) map[string]string {
	out := map[string]string{GardenRole: RoleControlPlane}
	for key, value := range labels {
		out[key] = value
	}
	return out
}

// ServiceNames are the DNS names of a Service in the seed, the short ones first.
func ServiceNames(service, namespace string) []string {
	full := service + "." + namespace
	return []string{service, full, full + ".svc", full + ".svc." + ClusterDomain}
}

// Minor returns major and minor of a version such as 1.36.3, without a leading v.
func Minor(version string) string {
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(parts) < 2 {
		return version
	}
	return parts[0] + "." + parts[1]
}
