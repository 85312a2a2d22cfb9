// Package etcd builds the two Etcd objects of a shoot and generates their certificates. The druid creates the pods.
package etcd

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"net"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/availability"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/callback"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

// Roles of the two etcds of a shoot: main is backed up and stores everything except events.
const (
	Main   = "main"
	Events = "events"
)

const (
	clientPort = 2379
	peerPort   = 2380
)

// Name of the Etcd object.
func Name(role string) string { return "etcd-" + role }

// Values are the inputs for an Etcd.
type Values struct {
	Namespace string
	// Name of the Etcd; empty if it is that of an etcd of a shoot.
	Name string
	// Role is Main or Events.
	Role     string
	Replicas int32
	Secrets  Secrets
	// Backup is nil if there is no backup; Events never have one.
	Backup *Backup
	// Owner is checked by the members of Main, which stop when another seed is the owner; nil checks nothing.
	Owner *Owner
	// Window is the maintenance window, for full snapshots and defragmentations.
	Window helper.TimeWindow
	// ShootUID spreads daily tasks of different shoots over the window.
	ShootUID string
	// Availability spreads the members.
	Availability availability.Setting
	// Requests of the members; empty means the usual ones.
	Requests corev1.ResourceList
}

func (v Values) name() string { return cmp.Or(v.Name, Name(v.Role)) }

// Backup is the backup store of etcd main.
type Backup struct {
	// Provider is the name of the store in the druid, Bucket the container, Prefix the directory in it.
	Provider, Bucket, Prefix string
	// SecretName holds the credentials.
	SecretName string
	BackupSettings
}

// Owner is a record in the DNS, and the value that it has while this seed is responsible for the shoot.
type Owner struct{ Name, ID string }

// Times of the checks, as in Gardener.
const (
	ownerInterval = 30 * time.Second
	ownerTimeout  = 2 * time.Minute
)

// BackupSettings are what an operator configures for the backups of all shoots.
type BackupSettings struct {
	// DeltaPeriod is the time between two delta snapshots; 0 means five minutes.
	DeltaPeriod time.Duration
	// DeltaRetention is how long delta snapshots are kept at least; 0 means that only the policy decides.
	DeltaRetention time.Duration
	// Compaction merges snapshots; nil means that only full snapshots bound the number of deltas.
	Compaction *druidv1alpha1.SnapshotCompactionSpec
}

const usualDeltaPeriod = 5 * time.Minute

// Secrets are the names of the Secrets that the druid mounts.
type Secrets struct {
	CA, Server, Client string
	PeerCA, PeerServer string
}

// GenerateSecrets generates the certificates of the etcd of a shoot. The CAs must be generated before.
func GenerateSecrets(ctx context.Context, sm *secretsmanager.Manager, role string) (Secrets, error) {
	return GenerateSecretsFor(ctx, sm, role, Name(role))
}

// GenerateSecretsFor generates the certificates of the Etcd with the name. The CAs must be generated before.
func GenerateSecretsFor(ctx context.Context, sm *secretsmanager.Manager, role, name string) (Secrets, error) {
	var out Secrets
	server, err := sm.Generate(ctx, secretsmanager.Certificate{
		Name: "etcd-server-" + role, CommonName: "etcd-server", Usage: secretsmanager.ServerClient,
		DNSNames: serverNames(sm.Namespace, name), IPs: []net.IP{net.IPv4(127, 0, 0, 1)},
	}, secretsmanager.SignedByOld(constants.SecretNameCAETCD)) // API servers trust the new CA only when they are restarted
	if err != nil {
		return out, fmt.Errorf("generate secrets of etcd %q: %w", role, err)
	}
	peer, err := sm.Generate(ctx, secretsmanager.Certificate{
		Name: "etcd-peer-server-" + role, CommonName: "etcd-server", Usage: secretsmanager.ServerClient,
		DNSNames: peerNames(sm.Namespace, name), IPs: []net.IP{net.IPv4(127, 0, 0, 1)},
	}, secretsmanager.SignedBy(constants.SecretNameCAETCDPeer))
	if err != nil {
		return out, fmt.Errorf("generate secrets of etcd %q: %w", role, err)
	}
	client, err := sm.Generate(ctx, secretsmanager.Certificate{
		Name: "etcd-client", CommonName: "etcd-client", Usage: secretsmanager.Client, OmitCA: true,
	}, secretsmanager.SignedBy(constants.SecretNameCAETCD))
	if err != nil {
		return out, fmt.Errorf("generate secrets of etcd %q: %w", role, err)
	}
	ca, peerCA := sm.Bundle(constants.SecretNameCAETCD), sm.Bundle(constants.SecretNameCAETCDPeer)
	if ca == nil || peerCA == nil {
		return out, fmt.Errorf("authorities of etcd %q have not been generated", role)
	}
	return Secrets{CA: ca.Name, Server: server.Name, Client: client.Name, PeerCA: peerCA.Name, PeerServer: peer.Name}, nil
}

// PodLabels are on the members of all etcds.
func PodLabels() map[string]string { return map[string]string{constants.LabelApp: "etcd-statefulset"} }

// at is the time of day of a task, as minute and hour of a schedule. It is another one for each Shoot and task.
func (v Values) at(task string) string {
	random := fnv.New32a()
	_, _ = random.Write([]byte(v.ShootUID + "/" + task))
	hour, minute := v.Window.Minute(random.Sum32())
	return fmt.Sprintf("%d %d", minute, hour)
}

// Object builds the Etcd.
func Object(v Values) *druidv1alpha1.Etcd {
	labels := map[string]string{constants.LabelApp: "etcd-statefulset", constants.LabelRole: v.Role, "instance": v.name()}
	wanted := v.Requests
	if len(wanted) == 0 {
		wanted = requests
	}
	out := &druidv1alpha1.Etcd{
		ObjectMeta: metav1.ObjectMeta{
			Name: v.name(), Namespace: v.Namespace,
			Labels: names.WithRole(map[string]string{constants.LabelApp: "etcd", constants.LabelRole: v.Role}),
			Annotations: map[string]string{
				constants.GardenerOperation: constants.GardenerOperationReconcile,
			},
		},
		Spec: druidv1alpha1.EtcdSpec{
			Selector:          &metav1.LabelSelector{MatchLabels: labels},
			Labels:            podLabels(v, labels),
			Replicas:          v.Replicas,
			PriorityClassName: ptr.To(constants.PriorityClassNameShootControlPlane500),
			StorageCapacity:   ptr.To(resource.MustParse("10Gi")),
			SchedulingConstraints: druidv1alpha1.SchedulingConstraints{
				TopologySpreadConstraints: v.Availability.Spread(labels),
			},
			Etcd: druidv1alpha1.EtcdConfig{
				Metrics:                 ptr.To(druidv1alpha1.Basic),
				Resources:               &corev1.ResourceRequirements{Requests: wanted},
				Quota:                   ptr.To(resource.MustParse("8Gi")),
				ClientPort:              ptr.To[int32](clientPort),
				ServerPort:              ptr.To[int32](peerPort),
				DefragmentationSchedule: ptr.To(v.at("defragmentation") + " */3 * *"),
				ClientUrlTLS:            tls(v.Namespace, v.Secrets.CA, v.Secrets.Server, v.Secrets.Client),
				PeerUrlTLS:              tls(v.Namespace, v.Secrets.PeerCA, v.Secrets.PeerServer, ""),
			},
			Backup: druidv1alpha1.BackupSpec{Port: ptr.To[int32](8080), TLS: tls(v.Namespace, v.Secrets.CA, v.Secrets.Server, v.Secrets.Client)},
			Common: druidv1alpha1.SharedConfig{AutoCompactionMode: ptr.To(druidv1alpha1.Periodic), AutoCompactionRetention: ptr.To("30m")},
		},
	}
	maps.Copy(out.Labels, names.Mutated())
	if v.Backup != nil && v.Role == Main {
		out.Spec.Backup = store(v, out.Spec.Backup)
	}
	if v.Owner != nil && v.Role == Main {
		out.Spec.Backup.OwnerCheck = &druidv1alpha1.OwnerCheckSpec{
			Name: v.Owner.Name, ID: v.Owner.ID,
			Interval: &metav1.Duration{Duration: ownerInterval}, Timeout: &metav1.Duration{Duration: ownerTimeout},
		}
	}
	return out
}

// requests are what an idle etcd of a shoot takes. More would keep a machine from running as many shoots as it can.
var requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("10m"), corev1.ResourceMemory: resource.MustParse("64Mi")}

// podLabels allow members to reach each other, the API server of the seed for their reports, the backup store, and the name server of a landscape that
// seeds call.
func podLabels(v Values, selector map[string]string) map[string]string {
	reaches := []string{
		constants.LabelNetworkPolicyToDNS, names.Reach(v.name()+"-client", clientPort), names.Reach(v.name()+"-peer", peerPort),
		constants.LabelNetworkPolicyToRuntimeAPIServer,
	}
	if v.Owner != nil && v.Role == Main {
		reaches = append(reaches, callback.ReachRecords())
	}
	out := names.WithRole(selector)
	maps.Copy(out, names.Allowed(reaches...))
	if v.Backup != nil && v.Role == Main {
		maps.Copy(out, ReachObjectStore())
	}
	return out
}

// ReachObjectStore are the labels of pods that reach an object store, wherever it is.
func ReachObjectStore() map[string]string {
	return names.Allowed(constants.LabelNetworkPolicyToDNS, constants.LabelNetworkPolicyToPublicNetworks, constants.LabelNetworkPolicyToPrivateNetworks)
}

func store(v Values, backup druidv1alpha1.BackupSpec) druidv1alpha1.BackupSpec {
	backup.Store = &druidv1alpha1.StoreSpec{
		Container: ptr.To(v.Backup.Bucket),
		Prefix:    v.Backup.Prefix + "/" + v.name(),
		Provider:  ptr.To(druidv1alpha1.StorageProvider(v.Backup.Provider)),
		SecretRef: &corev1.SecretReference{Name: v.Backup.SecretName, Namespace: v.Namespace},
	}
	backup.FullSnapshotSchedule = ptr.To(v.at("snapshot") + " * * *")
	backup.DeltaSnapshotPeriod = &metav1.Duration{Duration: cmp.Or(v.Backup.DeltaPeriod, usualDeltaPeriod)}
	if retention := v.Backup.DeltaRetention; retention > 0 {
		backup.DeltaSnapshotRetentionPeriod = &metav1.Duration{Duration: retention}
	}
	backup.SnapshotCompaction = v.Backup.Compaction
	backup.DeltaSnapshotMemoryLimit = ptr.To(resource.MustParse("100Mi"))
	backup.GarbageCollectionPolicy = ptr.To(druidv1alpha1.GarbageCollectionPolicyExponential)
	backup.GarbageCollectionPeriod = &metav1.Duration{Duration: 12 * time.Hour}
	return backup
}

func tls(namespace, ca, server, client string) *druidv1alpha1.TLSConfig {
	out := &druidv1alpha1.TLSConfig{
		TLSCASecretRef: druidv1alpha1.SecretReference{
			SecretReference: corev1.SecretReference{Name: ca, Namespace: namespace}, DataKey: ptr.To(secretsmanager.KeyBundle),
		},
		ServerTLSSecretRef: corev1.SecretReference{Name: server, Namespace: namespace},
	}
	if client != "" {
		out.ClientTLSSecretRef = corev1.SecretReference{Name: client, Namespace: namespace}
	}
	return out
}

func serverNames(namespace, name string) []string {
	out := append([]string{"localhost", name + "-local"}, names.ServiceNames(name+"-client", namespace)...)
	return append(out, peerNames(namespace, name)...)
}

// peerNames are the DNS names of the members, which are the names of the pods below the headless Service.
func peerNames(namespace, name string) []string {
	service := name + "-peer"
	out := names.ServiceNames(service, namespace)
	for _, suffix := range []string{service + "." + namespace + ".svc", service + "." + namespace + ".svc." + names.ClusterDomain} {
		out = append(out, "*."+suffix)
	}
	return out
}
