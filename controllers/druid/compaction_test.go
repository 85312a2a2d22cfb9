package druid_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// compactions let the snapshots of an Etcd have more events than it wants. The test stands in for members and Jobs.
func compactions(t *testing.T, c client.Client) {
	ctx := t.Context()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shoot--p--merged"}}
	must(t, c.Create(ctx, namespace))
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: namespace.Name, Name: name} }
	for _, name := range []string{"tls", "etcd-backup"} {
		must(t, c.Create(ctx, &corev1.Secret{ObjectMeta: meta(name)}))
	}
	etcd := backedUp(namespace.Name)
	etcd.Spec.StorageCapacity = ptr.To(resource.MustParse("10Gi"))
	etcd.Spec.Backup.SnapshotCompaction = &druidv1alpha1.SnapshotCompactionSpec{EventsThreshold: ptr.To[int64](100)}
	must(t, c.Create(ctx, etcd))
	full, delta, job := &coordinationv1.Lease{ObjectMeta: meta("etcd-main-full-snap")}, &coordinationv1.Lease{ObjectMeta: meta("etcd-main-delta-snap")}, &batchv1.Job{ObjectMeta: meta("etcd-main-compactor")}
	tell := func(lease *coordinationv1.Lease, revision string) {
		t.Helper()
		eventually(t, func() error { return c.Get(ctx, client.ObjectKeyFromObject(lease), lease) })
		before := lease.DeepCopy()
		lease.Spec.HolderIdentity = &revision
		must(t, c.Patch(ctx, lease, client.MergeFrom(before)))
	}
	wake := func() { // nothing watches Leases
		t.Helper()
		must(t, c.Get(ctx, client.ObjectKeyFromObject(etcd), etcd))
		before := etcd.DeepCopy()
		metav1.SetMetaDataAnnotation(&etcd.ObjectMeta, "woken", full.ResourceVersion+delta.ResourceVersion+job.ResourceVersion)
		must(t, c.Patch(ctx, etcd, client.MergeFrom(before)))
	}
	end := func(how batchv1.JobConditionType) {
		t.Helper()
		now := metav1.Now()
		before := job.DeepCopy()
		job.Status.StartTime = &now
		first := map[batchv1.JobConditionType]batchv1.JobConditionType{batchv1.JobComplete: batchv1.JobSuccessCriteriaMet, batchv1.JobFailed: batchv1.JobFailureTarget}[how]
		for _, kind := range []batchv1.JobConditionType{first, how} {
			job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: now, Message: "the message"})
		}
		if how == batchv1.JobComplete {
			job.Status.CompletionTime = &now
		}
		must(t, c.Status().Patch(ctx, job, client.MergeFrom(before)))
	}
	tells := func(status druidv1alpha1.ConditionStatus, message string) {
		t.Helper()
		eventually(t, func() error {
			must(t, c.Get(ctx, client.ObjectKeyFromObject(etcd), etcd))
			at := slices.IndexFunc(etcd.Status.Conditions, func(is druidv1alpha1.Condition) bool { return is.Type == "LastSnapshotCompactionSucceeded" })
			if at < 0 || etcd.Status.Conditions[at].Status != status || !strings.Contains(etcd.Status.Conditions[at].Message, message) {
				return fmt.Errorf("conditions %+v", etcd.Status.Conditions)
			}
			return nil
		})
	}

	t.Run("ETC-10 many events since the last full snapshot start a Job that merges", func(t *testing.T) {
		tell(full, "1000")
		tell(delta, "1100")
		wake()
		eventually(t, func() error { return c.Get(ctx, client.ObjectKeyFromObject(job), job) })
		pod := job.Spec.Template.Spec
		args := strings.Join(pod.Containers[0].Args, " ")
		for _, want := range []string{"component backup-restore compact ", "--store-provider=local", "--store-dir=var/etcd/backups", "--store-credentials=var/etcd/store", "--source-store-credentials=var/etcd/source-store", "--work-dir=var/etcd/work"} {
			if !strings.Contains(args, want) {
				t.Errorf("arguments %q lack %q", args, want)
			}
		}
		if !metav1.IsControlledBy(job, etcd) || ptr.Deref(pod.AutomountServiceAccountToken, true) || len(pod.Volumes) != 4 {
			t.Errorf("Job %+v", job)
		}
		if deadline := ptr.Deref(job.Spec.ActiveDeadlineSeconds, 0); deadline != 2*60*60 {
			t.Errorf("the Job may take %d seconds instead of the time of the settings", deadline)
		}
		copied := slices.IndexFunc(pod.Volumes, func(v corev1.Volume) bool { return v.Secret != nil && v.Secret.SecretName == "etcd-backup-source-keys" })
		if copied < 0 || !ptr.Deref(pod.Volumes[copied].Secret.Optional, false) {
			t.Errorf("the Job has no keys of copied snapshots, or waits for them: %+v", pod.Volumes)
		}
		at := slices.IndexFunc(pod.Volumes, func(v corev1.Volume) bool { return v.EmptyDir != nil })
		if at < 0 || pod.Volumes[at].EmptyDir.SizeLimit == nil || pod.Volumes[at].EmptyDir.SizeLimit.String() != "20Gi" {
			t.Errorf("the Job may fill the node: %+v", pod.Volumes)
		}
		for key := range etcd.Spec.Selector.MatchLabels {
			if _, found := job.Spec.Template.Labels[key]; found {
				t.Errorf("the pods have the label %s of members", key)
			}
		}
	})

	t.Run("ETC-10 a Job that failed is told, and stays for a while", func(t *testing.T) {
		end(batchv1.JobFailed)
		eventually(t, func() error {
			must(t, c.Get(ctx, client.ObjectKeyFromObject(full), full))
			if !strings.Contains(full.Annotations["druid.gardener.cloud/last-compaction"], "the message") {
				return errors.New("nothing is told")
			}
			return nil
		})
		wake()
		tells("False", "the message")
		must(t, c.Get(ctx, client.ObjectKeyFromObject(job), job))
		must(t, c.Delete(ctx, job, client.PropagationPolicy(metav1.DeletePropagationBackground)))
	})

	t.Run("ETC-10 what could not be merged is not merged again before another full snapshot", func(t *testing.T) {
		wake()
		testwait.Stays(t, 3*time.Second, "no other Job begins", func() error {
			if err := c.Get(ctx, client.ObjectKeyFromObject(job), &batchv1.Job{}); !apierrors.IsNotFound(err) {
				return fmt.Errorf("there is a Job: %v", err)
			}
			return nil
		})
		tell(full, "1100")
		tell(delta, "1200")
		wake()
	})

	t.Run("ETC-10 a Job that succeeded is told and deleted, and what is merged does not count any longer", func(t *testing.T) {
		old := job.UID
		eventually(t, func() error {
			if err := c.Get(ctx, client.ObjectKeyFromObject(job), job); err != nil || job.UID == old {
				return fmt.Errorf("no other Job: %v", err)
			}
			return nil
		})
		end(batchv1.JobComplete)
		eventually(t, func() error {
			if err := c.Get(ctx, client.ObjectKeyFromObject(job), job); !apierrors.IsNotFound(err) {
				return fmt.Errorf("the Job is still there: %v", err)
			}
			return nil
		})
		wake()
		tells("True", "revision 1200")
	})

	t.Run("ETC-10 the Job of an Etcd that is deleted ends", func(t *testing.T) {
		tell(delta, "1400")
		wake()
		eventually(t, func() error { return c.Get(ctx, client.ObjectKeyFromObject(job), job) })
		must(t, c.Get(ctx, client.ObjectKeyFromObject(etcd), etcd))
		etcd.Finalizers = append(etcd.Finalizers, "test.example.com/keeps-it")
		must(t, c.Update(ctx, etcd))
		must(t, c.Delete(ctx, etcd))
		eventually(t, func() error {
			if err := c.Get(ctx, client.ObjectKeyFromObject(job), job); !apierrors.IsNotFound(err) {
				return fmt.Errorf("the Job is still there: %v", err)
			}
			return nil
		})
		must(t, c.Get(ctx, client.ObjectKeyFromObject(etcd), etcd))
		before := etcd.DeepCopy()
		etcd.Finalizers = slices.DeleteFunc(etcd.Finalizers, func(name string) bool { return name == "test.example.com/keeps-it" })
		must(t, c.Patch(ctx, etcd, client.MergeFrom(before)))
	})
}
