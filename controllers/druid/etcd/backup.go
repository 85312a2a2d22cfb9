package etcd

import (
	"context"
	"fmt"
	"net/netip"
	"path"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/druid/place"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/location"
)

const (
	backupDir    = "var/etcd/backups"
	storeDir     = "var/etcd/store"
	sourceDir    = "var/etcd/source-store"
	backupTLSDir = "var/etcd/ssl/backup"

	defaultBackupPort = 8080
)

// backups are where the members of one Etcd back themselves up, and how they find out whether they still may. The zero value means that they do not: they
// only examine their data.
type backups struct {
	// dir has the buckets, on the node.
	dir string
	// store is the object store, if there is no dir.
	store string
	// secret has the credentials of the object store, and the keys that encrypt snapshots. It may be empty beside a dir.
	secret string
	// private are the private networks in which that may be.
	private []netip.Prefix
	// ownerServer is the name server that is asked for the owner; empty for those of the pod.
	ownerServer string
}

// backups decides whether the members of the Etcd back themselves up: into a store whose buckets the nodes have, or into an object store
// with the credentials in the Secret of the store. The directory is the landscape's. Neither the Etcd nor a Secret can name another one.
func (r *Reconciler) backups(etcd *druidv1alpha1.Etcd) backups {
	var out backups
	if check := etcd.Spec.Backup.OwnerCheck; check != nil && strings.HasSuffix(check.Name, "."+r.OwnerDomain) {
		out.ownerServer = r.OwnerServer
	}
	s := etcd.Spec.Backup.Store
	if s == nil {
		return out
	}
	provider := string(ptr.Deref(s.Provider, ""))
	if strings.EqualFold(provider, location.Local) {
		out.dir = r.Backups
	} else if store, remote := location.Remote(provider); remote && s.SecretRef != nil {
		out.store, out.private = store, r.PrivateNetworks
	}
	if out.on() && s.SecretRef != nil {
		out.secret = s.SecretRef.Name
	}
	return out
}

func (b backups) on() bool { return b.dir != "" || b.store != "" }

// checkStore refuses stores with the backups of other namespaces, and images of others beside a store: the members have the buckets of
// all shoots of the seed.
func (r *Reconciler) checkStore(ctx context.Context, etcd *druidv1alpha1.Etcd) error {
	if !r.backups(etcd).on() {
		return nil
	}
	if err := place.Check(ctx, r.Reader, etcd.Namespace, etcd.Spec.Backup.Store, place.Write); err != nil {
		return fmt.Errorf("spec.backup.store %w", err)
	}
	if image := ptr.Deref(etcd.Spec.Etcd.Image, r.Image); image != r.Image {
		return fmt.Errorf("spec.etcd.image %w: members with a store run the image of the landscape, not %q", place.ErrRefused, image)
	}
	return nil
}

func backupPort(etcd *druidv1alpha1.Etcd) int32 {
	return ptr.Deref(etcd.Spec.Backup.Port, defaultBackupPort)
}

// command is the component that runs a member, with its flags before those of etcd. The component of backups runs the etcd in its
// own process, because a process of its own for the backups would take far more memory than they need. Without a store it examines
// the data, defragments, reports and serves the state.
func (b backups) command(etcd *druidv1alpha1.Etcd, begin bootstrap) []string {
	out := []string{"component", "backup-restore", "serve", watchdog, "--etcd=" + etcd.Name, fmt.Sprintf("--listen=$(POD_IP):%d", backupPort(etcd))}
	out = append(out, begin.args()...)
	if b.on() {
		out = append(out, b.storeArgs(etcd.Spec.Backup.Store)...)
	}
	out = append(out, backupTLSArgs(etcd)...)
	out = append(out, ownerArgs(etcd.Spec.Backup.OwnerCheck, b.ownerServer)...)
	out = append(out, backupTuningArgs(&etcd.Spec)...)
	return append(out, "--")
}

// storeArgs are the flags for the store.
func (b backups) storeArgs(at *druidv1alpha1.StoreSpec) []string {
	provider := b.store
	if b.dir != "" {
		provider = location.Local
	}
	out := []string{"--store-provider=" + provider, "--store-container=" + ptr.Deref(at.Container, ""), "--store-prefix=" + at.Prefix}
	if b.dir != "" {
		out = append(out, "--store-dir="+backupDir)
	}
	if b.secret != "" {
		out = append(out, "--store-credentials="+storeDir, "--source-store-credentials="+sourceDir)
	}
	for _, network := range b.private {
		out = append(out, "--private-networks="+network.String())
	}
	return out
}

func backupTLSArgs(etcd *druidv1alpha1.Etcd) (args []string) {
	add := func(flag, dir, file string) { args = append(args, fmt.Sprintf("--%s=%s", flag, path.Join(dir, file))) }
	if tls := etcd.Spec.Etcd.ClientUrlTLS; tls != nil {
		own := "server" // which is also a certificate for clients
		if tls.ClientTLSSecretRef.Name != "" {
			own = "client"
		}
		add("client-ca", clientTLSDir, path.Join("ca", caKey(tls)))
		add("client-cert", clientTLSDir, path.Join(own, corev1.TLSCertKey))
		add("client-key", clientTLSDir, path.Join(own, corev1.TLSPrivateKeyKey))
	}
	if tls := etcd.Spec.Backup.TLS; tls != nil {
		add("server-ca", backupTLSDir, path.Join("ca", caKey(tls)))
		add("server-cert", backupTLSDir, path.Join("server", corev1.TLSCertKey))
		add("server-key", backupTLSDir, path.Join("server", corev1.TLSPrivateKeyKey))
	}
	return args
}

func caKey(tls *druidv1alpha1.TLSConfig) string {
	return ptr.Deref(tls.TLSCASecretRef.DataKey, "ca.crt")
}

// backupTuningArgs leaves out what is not specified. The component has defaults.
func backupTuningArgs(spec *druidv1alpha1.EtcdSpec) (args []string) {
	add := func(flag string, value any) { args = append(args, fmt.Sprintf("--%s=%v", flag, value)) }
	backup := &spec.Backup
	addSet(add, "full-schedule", backup.FullSnapshotSchedule)
	addSet(add, "defragmentation-schedule", spec.Etcd.DefragmentationSchedule)
	addSet(add, "retention", backup.GarbageCollectionPolicy)
	addSet(add, "retention-limit", backup.MaxBackupsLimitBasedGC)
	if limit := backup.DeltaSnapshotMemoryLimit; limit != nil {
		add("delta-limit", limit.Value())
	}
	election := ptr.Deref(backup.LeaderElection, druidv1alpha1.LeaderElectionSpec{})
	for _, period := range []struct {
		flag string
		is   *metav1.Duration
	}{
		{"delta-period", backup.DeltaSnapshotPeriod}, {"retention-deltas", backup.DeltaSnapshotRetentionPeriod},
		{"retention-period", backup.GarbageCollectionPeriod}, {"snapshot-timeout", backup.EtcdSnapshotTimeout},
		{"defragmentation-timeout", spec.Etcd.EtcdDefragTimeout},
		{"leader-check-period", election.ReelectionPeriod}, {"leader-check-timeout", election.EtcdConnectionTimeout},
	} {
		if period.is != nil && period.is.Duration > 0 {
			add(period.flag, period.is.Duration)
		}
	}
	if backup.EnableProfiling != nil && *backup.EnableProfiling {
		args = append(args, "--profiling")
	}
	if compression := backup.SnapshotCompression; compression != nil {
		if enabled := compression.Enabled; enabled != nil && !*enabled {
			add("compression", "none")
		} else {
			addSet(add, "compression", compression.Policy)
		}
	}
	return args
}

// ownerArgs leaves out what is not specified. The component has defaults.
func ownerArgs(check *druidv1alpha1.OwnerCheckSpec, server string) []string {
	if check == nil {
		return nil
	}
	out := []string{"--owner-name=" + check.Name, "--owner-id=" + check.ID}
	if server != "" {
		out = append(out, "--owner-server="+server)
	}
	for _, time := range []struct {
		flag string
		is   *metav1.Duration
	}{{"interval", check.Interval}, {"timeout", check.Timeout}, {"dns-cache-ttl", check.DNSCacheTTL}} {
		if time.is != nil && time.is.Duration > 0 {
			out = append(out, fmt.Sprintf("--owner-check-%s=%s", time.flag, time.is.Duration))
		}
	}
	return out
}

func addSet[T any](add func(string, any), flag string, value *T) {
	if value != nil {
		add(flag, *value)
	}
}
