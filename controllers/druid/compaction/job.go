package compaction

import (
	"fmt"
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/druid/jobs"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/location"
)

// Directories of the Job, relative to its working directory.
const (
	backupDir = "var/etcd/backups"
	storeDir  = "var/etcd/store"
	sourceDir = "var/etcd/source-store"
	workDir   = "var/etcd/work"
)

const (
	attempts = 2 // after the first one
	// revisionAnnotation of a Job is the newest revision in the store when it was made.
	revisionAnnotation = "druid.gardener.cloud/compacts-to"
)

func jobName(etcd *druidv1alpha1.Etcd) string { return etcd.Name + "-compactor" }

// jobOf is the Job that merges snapshots up to a revision. It has neither the labels of members, whose Services and StatefulSet would find it, nor access to the
// API server.
func (r *Reconciler) jobOf(etcd *druidv1alpha1.Etcd, to int64) *batchv1.Job {
	labels := map[string]string{
		"app.kubernetes.io/name": jobName(etcd), "app.kubernetes.io/component": "snapshot-compaction-job", "app.kubernetes.io/managed-by": "etcd-druid",
		"app.kubernetes.io/part-of": etcd.Name,
	}
	spec := corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever, ServiceAccountName: "default", AutomountServiceAccountToken: ptr.To(false),
		Containers: []corev1.Container{{
			Name: "compact-backup", Image: r.Image, ImagePullPolicy: corev1.PullIfNotPresent, Args: r.args(etcd), WorkingDir: "/",
			Resources: ptr.Deref(ptr.Deref(etcd.Spec.Backup.SnapshotCompaction, druidv1alpha1.SnapshotCompactionSpec{}).Resources, corev1.ResourceRequirements{}),
		}},
	}
	mount := func(name, dir string, readOnly bool, source corev1.VolumeSource) {
		spec.Volumes = append(spec.Volumes, corev1.Volume{Name: name, VolumeSource: source})
		spec.Containers[0].VolumeMounts = append(spec.Containers[0].VolumeMounts, corev1.VolumeMount{Name: name, MountPath: "/" + dir, ReadOnly: readOnly})
	}
	mount("work", workDir, false, corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: workLimit(etcd)}})
	if ref := etcd.Spec.Backup.Store.SecretRef; ref != nil { // a local store has none but keys that encrypt snapshots
		mount("store", storeDir, true, corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: ref.Name}})
		mount("source-store-keys", sourceDir, true, corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{ // of copied snapshots, as members have them
			SecretName: ref.Name + constants.BackupSourceKeysSuffix, Optional: ptr.To(true),
			Items: []corev1.KeyToPath{{Key: constants.DataKeyBackupEncryption, Path: constants.DataKeyBackupEncryption}},
		}})
	}
	if _, is := jobs.Remote(etcd.Spec.Backup.Store); is {
		for _, label := range []string{constants.LabelNetworkPolicyToDNS, constants.LabelNetworkPolicyToPublicNetworks, constants.LabelNetworkPolicyToPrivateNetworks} {
			labels[label] = constants.LabelNetworkPolicyAllowed
		}
	} else {
		mount("local-backups", backupDir, false, corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: r.Backups, Type: ptr.To(corev1.HostPathDirectoryOrCreate)}})
	}
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: etcd.Namespace, Name: jobName(etcd), Labels: labels, Annotations: map[string]string{revisionAnnotation: strconv.FormatInt(to, 10)},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(etcd, druidv1alpha1.SchemeGroupVersion.WithKind("Etcd"))},
		},
		Spec: batchv1.JobSpec{
			BackoffLimit: ptr.To[int32](attempts), ActiveDeadlineSeconds: ptr.To(int64(r.Deadline.Seconds())),
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: spec},
		},
	}
}

// workLimit is how much of its node the Job may fill: the database of the etcd, and its copy without free pages. Nil means any amount.
func workLimit(etcd *druidv1alpha1.Etcd) *resource.Quantity {
	if etcd.Spec.StorageCapacity == nil {
		return nil
	}
	limit := etcd.Spec.StorageCapacity.DeepCopy()
	limit.Mul(2)
	return &limit
}

func (r *Reconciler) args(etcd *druidv1alpha1.Etcd) []string {
	out := []string{"component", "backup-restore", "compact"}
	add := func(flag string, value any) { out = append(out, fmt.Sprintf("--%s=%v", flag, value)) }
	at := etcd.Spec.Backup.Store
	if provider, is := jobs.Remote(at); is {
		add("store-provider", provider)
		for _, network := range r.PrivateNetworks {
			add("private-networks", network)
		}
	} else {
		add("store-provider", location.Local)
		add("store-dir", backupDir)
	}
	if at.SecretRef != nil {
		add("store-credentials", storeDir)
		add("source-store-credentials", sourceDir)
	}
	add("store-container", ptr.Deref(at.Container, ""))
	add("store-prefix", at.Prefix)
	add("work-dir", workDir)
	if compression := etcd.Spec.Backup.SnapshotCompression; compression != nil {
		switch {
		case compression.Enabled != nil && !*compression.Enabled:
			add("compression", "none")
		case compression.Policy != nil:
			add("compression", *compression.Policy)
		}
	}
	return out
}
