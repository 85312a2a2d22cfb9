package copybackups

import (
	"context"
	"fmt"
	"maps"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/druid/jobs"
	"github.com/gardener-up/gardener-up/controllers/druid/place"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/location"
)

const (
	// backupDir is where the Job has the buckets, relative to its working directory.
	backupDir = "var/etcd/backups"
	volume    = "local-backups"
	container = "copy-backups"
	// storeDir is where it has the credentials of an object store, after a prefix for the store.
	storeDir = "store"
)

// end is one of the two stores of a task.
type end struct {
	field, prefix string
	at            *druidv1alpha1.StoreSpec
	use           place.Use
}

func ends(spec *druidv1alpha1.EtcdCopyBackupsTaskSpec) []end {
	return []end{{"sourceStore", "source-", &spec.SourceStore, place.Read}, {"targetStore", "", &spec.TargetStore, place.Write}}
}

func (e end) provider() string { return string(ptr.Deref(e.at.Provider, "")) }

// remote reports whether the store is an object store that the Job reaches with the credentials in its Secret.
func (e end) remote() bool {
	_, is := jobs.Remote(e.at)
	return is
}

// credentials is where the Job has them, relative to its working directory.
func (e end) credentials() string { return "var/etcd/" + e.prefix + storeDir }

// check refuses stores that are no buckets of this seed, and those with the backups of other namespaces. The Job has all of them.
func (r *Reconciler) check(ctx context.Context, task *druidv1alpha1.EtcdCopyBackupsTask) error {
	for _, store := range ends(&task.Spec) {
		if !r.Local(store.at) && !store.remote() {
			return fmt.Errorf("spec.%s %w: the nodes of this seed have no store of provider %q", store.field, place.ErrRefused, store.provider())
		}
		if err := place.Check(ctx, r.Reader, task.Namespace, store.at, store.use); err != nil {
			return fmt.Errorf("spec.%s %w", store.field, err)
		}
	}
	return nil
}

func jobName(task *druidv1alpha1.EtcdCopyBackupsTask) string { return task.Name + "-worker" }

// jobOf is the Job of a task. Its pods need no network and no access to the API server.
func (r *Reconciler) jobOf(task *druidv1alpha1.EtcdCopyBackupsTask) *batchv1.Job {
	labels := map[string]string{}
	maps.Copy(labels, task.Spec.PodLabels)
	maps.Copy(labels, map[string]string{"app.kubernetes.io/name": jobName(task), "app.kubernetes.io/component": "etcd-copy-backups-job", "app.kubernetes.io/managed-by": "etcd-druid"})
	volumes, mounts := volumesOf(&task.Spec, r.Backups)
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: task.Namespace, Name: jobName(task), Labels: labels,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(task, druidv1alpha1.SchemeGroupVersion.WithKind("EtcdCopyBackupsTask"))},
		},
		Spec: batchv1.JobSpec{PodFailurePolicy: failAtOnce(), Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec: corev1.PodSpec{
				RestartPolicy: corev1.RestartPolicyNever, ServiceAccountName: "default", AutomountServiceAccountToken: ptr.To(false),
				Containers: []corev1.Container{{
					Name: container, Image: r.Image, ImagePullPolicy: corev1.PullIfNotPresent, Args: r.args(&task.Spec), WorkingDir: "/",
					VolumeMounts: mounts,
				}},
				Volumes: volumes,
			},
		}},
	}
}

// failAtOnce ends the Job if its source is empty. Each pod waits for a final snapshot, so repetitions would hide the reason for more than half an hour. Other failures may
// pass, and are repeated.
func failAtOnce() *batchv1.PodFailurePolicy {
	return &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
		Action: batchv1.PodFailurePolicyActionFailJob,
		OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{
			ContainerName: ptr.To(container), Operator: batchv1.PodFailurePolicyOnExitCodesOpIn, Values: []int32{location.ExitEmpty},
		},
	}}}
}

// volumesOf are the buckets of the seed, if one of the stores is there, and the credentials of object stores.
func volumesOf(spec *druidv1alpha1.EtcdCopyBackupsTaskSpec, dir string) (volumes []corev1.Volume, mounts []corev1.VolumeMount) {
	local := false
	for _, store := range ends(spec) {
		if !store.remote() {
			local = true
			continue
		}
		name := store.prefix + storeDir
		volumes = append(volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: store.at.SecretRef.Name}}})
		mounts = append(mounts, corev1.VolumeMount{Name: name, MountPath: "/" + store.credentials(), ReadOnly: true})
	}
	if local {
		kind := corev1.HostPathDirectoryOrCreate
		volumes = append(volumes, corev1.Volume{Name: volume, VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: dir, Type: &kind}}})
		mounts = append(mounts, corev1.VolumeMount{Name: volume, MountPath: "/" + backupDir})
	}
	return volumes, mounts
}

func (r *Reconciler) args(spec *druidv1alpha1.EtcdCopyBackupsTaskSpec) []string {
	out := []string{"component", "backup-restore", "copy"}
	add := func(flag string, value any) { out = append(out, fmt.Sprintf("--%s=%v", flag, value)) }
	for _, store := range ends(spec) {
		provider, placed, at := location.Local, "store-dir", backupDir
		if store.remote() {
			provider, _ = location.Remote(store.provider())
			placed, at = "store-credentials", store.credentials()
		}
		add(store.prefix+"store-provider", provider)
		add(store.prefix+"store-container", ptr.Deref(store.at.Container, ""))
		add(store.prefix+"store-prefix", store.at.Prefix)
		add(store.prefix+placed, at)
	}
	if slices.ContainsFunc(ends(spec), end.remote) {
		for _, network := range r.PrivateNetworks {
			add("private-networks", network)
		}
	}
	if days := spec.MaxBackupAge; days != nil {
		add("max-backup-age", *days)
	}
	if full := spec.MaxBackups; full != nil {
		add("max-backups", *full)
	}
	if final := spec.WaitForFinalSnapshot; final != nil && final.Enabled {
		add("wait-for-final-snapshot", true)
		if final.Timeout != nil {
			add("wait-for-final-snapshot-timeout", final.Timeout.Duration)
		}
	}
	return out
}
