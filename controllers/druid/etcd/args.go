package etcd

import (
	"fmt"
	"path"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

// Directories in the pod. Arguments name them relative to the working directory, mounts absolutely.
const (
	dataDir = "var/etcd/data"
	// memberDir is below the volume's root, which may contain directories of the file system itself.
	memberDir = dataDir + "/new.etcd"

	clientTLSDir = "var/etcd/ssl/client"
	peerTLSDir   = "var/etcd/ssl/peer"
)

// watchdog is the flag by which the component of the appliance image keeps room in its database. No other component
// compacts and defragments the etcd of a shoot that fills, or disarms its alarm NOSPACE.
const watchdog = "--watchdog"

// args are the flags of etcd that differ between members, or that depend on the members there are. The others are in the file of
// bootstrap. The kubelet replaces $(POD_IP) and $(POD_NAME).
func args(etcd *druidv1alpha1.Etcd, current *appsv1.StatefulSet) []string {
	clientScheme, peerScheme := scheme(etcd.Spec.Etcd.ClientUrlTLS), scheme(etcd.Spec.Etcd.PeerUrlTLS)
	// Members are known by name, because a pod's address changes with every restart.
	self := fmt.Sprintf("$(POD_NAME).%s.%s.svc", peerServiceName(etcd), etcd.Namespace)
	return []string{
		"--name=$(POD_NAME)",
		fmt.Sprintf("--listen-client-urls=%s://$(POD_IP):%d", clientScheme, clientPort(etcd)),
		fmt.Sprintf("--advertise-client-urls=%s://%s:%d", clientScheme, self, clientPort(etcd)),
		fmt.Sprintf("--listen-peer-urls=%s://$(POD_IP):%d", peerScheme, peerPort(etcd)),
		fmt.Sprintf("--initial-advertise-peer-urls=%s://%s:%d", peerScheme, self, peerPort(etcd)),
		"--initial-cluster=" + initialCluster(etcd, peerScheme),
		clusterState(initialCluster(etcd, peerScheme), current),
		fmt.Sprintf("--listen-metrics-urls=http://$(POD_IP):%d", metricsPort),
	}
}

// commonArgs are the flags of etcd that all members have in common.
func commonArgs(etcd *druidv1alpha1.Etcd) []string {
	args := []string{
		"--data-dir=" + memberDir,
		fmt.Sprintf("--initial-cluster-token=%s", etcd.UID),
		"--metrics=" + string(ptr.Deref(etcd.Spec.Etcd.Metrics, druidv1alpha1.Basic)),
	}
	args = append(args, tlsArgs("", clientTLSDir, etcd.Spec.Etcd.ClientUrlTLS)...)
	args = append(args, tlsArgs("peer-", peerTLSDir, etcd.Spec.Etcd.PeerUrlTLS)...)
	return append(args, tuningArgs(&etcd.Spec)...)
}

func scheme(tls *druidv1alpha1.TLSConfig) string {
	if tls == nil {
		return "http"
	}
	return "https"
}

// initialCluster lists the members that form a new cluster; etcd ignores it once it has data. A hibernated etcd
// keeps the list of one member, so that waking up a single one does not change its pod.
func initialCluster(etcd *druidv1alpha1.Etcd, scheme string) string {
	var members []string
	for i := range max(etcd.Spec.Replicas, 1) {
		name := memberName(etcd, i)
		members = append(members, fmt.Sprintf("%s=%s://%s.%s.%s.svc:%d", name, scheme, name, peerServiceName(etcd), etcd.Namespace, peerPort(etcd)))
	}
	return strings.Join(members, ",")
}

// Flags that tell members without data whether they make a cluster or join one.
const (
	newCluster      = "--initial-cluster-state=new"
	existingCluster = "--initial-cluster-state=existing"
)

// clusterState decides it by the StatefulSet as it is, nil if there is none. Members that are added must never make a cluster of
// their own. The flag stays as it is while the members stay the same, because its change restarts them.
func clusterState(members string, current *appsv1.StatefulSet) string {
	if current == nil || !strings.Contains(members, ",") {
		return newCluster
	}
	was := current.Spec.Template.Spec.Containers[0].Args
	if slices.Contains(was, "--initial-cluster="+members) && slices.Contains(was, newCluster) {
		return newCluster
	}
	return existingCluster
}

func tlsArgs(prefix, dir string, tls *druidv1alpha1.TLSConfig) []string {
	if tls == nil {
		return nil
	}
	return []string{
		fmt.Sprintf("--%scert-file=%s", prefix, path.Join(dir, "server", corev1.TLSCertKey)),
		fmt.Sprintf("--%skey-file=%s", prefix, path.Join(dir, "server", corev1.TLSPrivateKeyKey)),
		fmt.Sprintf("--%sclient-cert-auth=true", prefix),
		fmt.Sprintf("--%strusted-ca-file=%s", prefix, path.Join(dir, "ca", ptr.Deref(tls.TLSCASecretRef.DataKey, "ca.crt"))),
	}
}

// Limits of an etcd whose specification names none. Quota bounds the database on disk. SnapshotCount bounds the write-ahead log
// beside the database: at 1.5 MB, the maximum size of a request, to 1.5 GB. etcd keeps entries in memory, with all their values, for
// members that lag behind. An etcd with a single member has no such members; etcd itself adds up to 100 entries.
const (
	defaultQuota            = 8 << 30
	defaultSnapshotCount    = 1000
	catchUpEntriesAlone     = 1
	catchUpEntriesOfMembers = 500
)

func tuningArgs(spec *druidv1alpha1.EtcdSpec) []string {
	var args []string
	add := func(flag string, value any) { args = append(args, fmt.Sprintf("--%s=%v", flag, value)) }
	if quota := spec.Etcd.Quota; quota != nil {
		add("quota-backend-bytes", quota.Value())
	} else {
		add("quota-backend-bytes", defaultQuota)
	}
	add("snapshot-count", ptr.Deref(spec.Etcd.SnapshotCount, defaultSnapshotCount))
	if spec.Replicas > 1 {
		add("snapshot-catchup-entries", catchUpEntriesOfMembers)
	} else {
		add("snapshot-catchup-entries", catchUpEntriesAlone)
	}
	if enable := spec.Etcd.EnableGRPCGateway; enable != nil {
		add("enable-grpc-gateway", *enable)
	}
	if freelist := spec.Etcd.BackendBboltFreelistType; freelist != nil {
		add("backend-bbolt-freelist-type", *freelist)
	}
	if heartbeat := spec.Etcd.HeartbeatDuration; heartbeat != nil {
		add("heartbeat-interval", heartbeat.Milliseconds())
		add("election-timeout", 10*heartbeat.Milliseconds()) // etcd wants ten heartbeats
	}
	if mode := spec.Common.AutoCompactionMode; mode != nil {
		add("auto-compaction-mode", *mode)
	}
	if retention := spec.Common.AutoCompactionRetention; retention != nil {
		add("auto-compaction-retention", *retention)
	}
	return args
}
