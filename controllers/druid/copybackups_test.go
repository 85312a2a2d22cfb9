package druid_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

// copies makes tasks that copy backups. The test stands in for the Job's pods.
func copies(t *testing.T, c client.Client) {
	ctx := t.Context()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shoot--p--c"}}
	must(t, c.Create(ctx, namespace))
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: namespace.Name, Name: name} }
	store := func(bucket string) druidv1alpha1.StoreSpec {
		return druidv1alpha1.StoreSpec{
			Container: ptr.To(bucket), Prefix: "shoot--p--c--uid/etcd-main", Provider: ptr.To(druidv1alpha1.StorageProvider("local")),
			SecretRef: &corev1.SecretReference{Name: "etcd-backup"},
		}
	}
	task := &druidv1alpha1.EtcdCopyBackupsTask{ObjectMeta: meta("etcd-main-copy"), Spec: druidv1alpha1.EtcdCopyBackupsTaskSpec{
		SourceStore: store("one"), TargetStore: store("two"), MaxBackups: ptr.To[uint32](3), PodLabels: map[string]string{"a": "b"},
		WaitForFinalSnapshot: &druidv1alpha1.WaitForFinalSnapshotSpec{Enabled: true, Timeout: &metav1.Duration{Duration: time.Minute}},
	}}
	must(t, c.Create(ctx, task))
	job := &batchv1.Job{ObjectMeta: meta("etcd-main-copy-worker")}
	refused := func(t *testing.T, task *druidv1alpha1.EtcdCopyBackupsTask, want string) {
		t.Helper()
		eventually(t, func() error {
			must(t, c.Get(ctx, client.ObjectKeyFromObject(task), task))
			if got := ptr.Deref(task.Status.LastError, ""); !strings.Contains(got, want) {
				return fmt.Errorf("last error %q, want %q", got, want)
			}
			return nil
		})
		err := c.Get(ctx, client.ObjectKey{Namespace: task.Namespace, Name: task.Name + "-worker"}, &batchv1.Job{})
		if !apierrors.IsNotFound(err) {
			t.Errorf("Job: %v, want none", err)
		}
	}

	t.Run("ETC-3 nothing is copied without the credentials", func(t *testing.T) {
		refused(t, task, `secret "etcd-backup" does not exist`)
	})
	t.Run("MIG-21 a Job copies the backups", func(t *testing.T) {
		must(t, c.Create(ctx, &corev1.Secret{ObjectMeta: meta("etcd-backup")}))
		eventually(t, func() error { return c.Get(ctx, client.ObjectKeyFromObject(job), job) })
		pod := job.Spec.Template
		want := "component backup-restore copy --source-store-provider=local --source-store-container=one --source-store-prefix=shoot--p--c--uid/etcd-main " +
			"--source-store-dir=var/etcd/backups --store-provider=local --store-container=two --store-prefix=shoot--p--c--uid/etcd-main " +
			"--store-dir=var/etcd/backups --max-backups=3 --wait-for-final-snapshot=true --wait-for-final-snapshot-timeout=1m0s"
		if got := strings.Join(pod.Spec.Containers[0].Args, " "); got != want {
			t.Errorf("arguments %q, want %q", got, want)
		}
		if pod.Labels["a"] != "b" || pod.Spec.Volumes[0].HostPath.Path != backupDir || *pod.Spec.AutomountServiceAccountToken {
			t.Errorf("pod %+v", pod)
		}
	})
	t.Run("MIG-21 the task has succeeded when its Job has", func(t *testing.T) {
		end(t, c, job, batchv1.JobSuccessCriteriaMet, batchv1.JobComplete)
		eventually(t, func() error {
			must(t, c.Get(ctx, client.ObjectKeyFromObject(task), task))
			if got := task.Status.Conditions; len(got) != 1 || got[0].Type != druidv1alpha1.EtcdCopyBackupsTaskSucceeded || got[0].Status != druidv1alpha1.ConditionTrue {
				return fmt.Errorf("conditions %+v", got)
			}
			if task.Status.LastError != nil {
				return errors.New(*task.Status.LastError)
			}
			return nil
		})
	})
	t.Run("MIG-17 a task whose source is empty fails at once, and tells why", func(t *testing.T) {
		empty := &druidv1alpha1.EtcdCopyBackupsTask{ObjectMeta: meta("empty"), Spec: *task.Spec.DeepCopy()}
		must(t, c.Create(ctx, empty))
		job := &batchv1.Job{ObjectMeta: meta("empty-worker")}
		eventually(t, func() error { return c.Get(ctx, client.ObjectKeyFromObject(job), job) })
		rules := job.Spec.PodFailurePolicy.Rules
		if len(rules) != 1 || rules[0].Action != batchv1.PodFailurePolicyActionFailJob || !slices.Equal(rules[0].OnExitCodes.Values, []int32{6}) {
			t.Errorf("rules %+v", rules)
		}
		before, now := job.DeepCopy(), metav1.Now()
		job.Status.StartTime, job.Status.Failed, job.Status.UncountedTerminatedPods = &now, 1, &batchv1.UncountedTerminatedPods{}
		for _, kind := range []batchv1.JobConditionType{batchv1.JobFailureTarget, batchv1.JobFailed} {
			job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{
				Type: kind, Status: corev1.ConditionTrue, Reason: batchv1.JobReasonPodFailurePolicy, Message: "exit code 6", LastTransitionTime: now, LastProbeTime: now,
			})
		}
		must(t, c.Status().Patch(ctx, job, client.MergeFrom(before)))
		want := `"shoot--p--c--uid/etcd-main" in bucket "one", has no full snapshot`
		eventually(t, func() error {
			must(t, c.Get(ctx, client.ObjectKeyFromObject(empty), empty))
			if got := empty.Status.Conditions; len(got) != 1 || got[0].Type != druidv1alpha1.EtcdCopyBackupsTaskFailed || !strings.Contains(got[0].Message, want) {
				return fmt.Errorf("conditions %+v", got)
			}
			return nil
		})
		awaitEvent(t, c, namespace.Name, empty.Name, "SourceEmpty", want)
	})
	t.Run("MIG-17 the Job of a former task of the same name says nothing about this one", func(t *testing.T) {
		former := &batchv1.Job{ObjectMeta: meta("again-worker"), Spec: *job.Spec.DeepCopy()}
		former.OwnerReferences = []metav1.OwnerReference{{APIVersion: "druid.gardener.cloud/v1alpha1", Kind: "EtcdCopyBackupsTask", Name: "again", UID: "former", Controller: ptr.To(true)}}
		former.Spec.Selector = nil
		for _, label := range []string{"batch.kubernetes.io/controller-uid", "controller-uid", "batch.kubernetes.io/job-name", "job-name"} {
			delete(former.Spec.Template.Labels, label)
		}
		must(t, c.Create(ctx, former))
		end(t, c, former, batchv1.JobSuccessCriteriaMet, batchv1.JobComplete)
		again := &druidv1alpha1.EtcdCopyBackupsTask{ObjectMeta: meta("again"), Spec: druidv1alpha1.EtcdCopyBackupsTaskSpec{SourceStore: store("one"), TargetStore: store("two")}}
		must(t, c.Create(ctx, again))
		eventually(t, func() error {
			found := &batchv1.Job{}
			if err := c.Get(ctx, client.ObjectKeyFromObject(former), found); err != nil {
				return err
			}
			must(t, c.Get(ctx, client.ObjectKeyFromObject(again), again))
			if len(again.Status.Conditions) > 0 {
				t.Fatalf("the task has ended with the Job of another one: %+v", again.Status.Conditions)
			}
			if !metav1.IsControlledBy(found, again) {
				return errors.New("the Job is the former one")
			}
			return nil
		})
	})
	t.Run("MIG-21 a Job copies backups from an object store into the directory", func(t *testing.T) {
		other := &druidv1alpha1.EtcdCopyBackupsTask{ObjectMeta: meta("from-outside"), Spec: druidv1alpha1.EtcdCopyBackupsTaskSpec{SourceStore: store("one"), TargetStore: store("two")}}
		other.Spec.SourceStore.Provider = ptr.To(druidv1alpha1.StorageProvider("S3"))
		must(t, c.Create(ctx, other))
		job := &batchv1.Job{ObjectMeta: meta("from-outside-worker")}
		eventually(t, func() error { return c.Get(ctx, client.ObjectKeyFromObject(job), job) })
		pod := job.Spec.Template.Spec
		want := "component backup-restore copy --source-store-provider=s3 --source-store-container=one --source-store-prefix=shoot--p--c--uid/etcd-main " +
			"--source-store-credentials=var/etcd/source-store --store-provider=local --store-container=two --store-prefix=shoot--p--c--uid/etcd-main --store-dir=var/etcd/backups --private-networks=10.7.0.0/16"
		if got := strings.Join(pod.Containers[0].Args, " "); got != want {
			t.Errorf("arguments %q, want %q", got, want)
		}
		if len(pod.Volumes) != 2 || pod.Volumes[0].Secret == nil || pod.Volumes[0].Secret.SecretName != "etcd-backup" || pod.Volumes[1].HostPath == nil ||
			pod.Containers[0].VolumeMounts[0].MountPath != "/var/etcd/source-store" {
			t.Errorf("volumes %+v, mounts %+v", pod.Volumes, pod.Containers[0].VolumeMounts)
		}
	})
	for name, tc := range map[string]struct {
		change func(source, target *druidv1alpha1.StoreSpec)
		want   string
	}{
		"a store that leads out of the seed's backups": {
			func(_, target *druidv1alpha1.StoreSpec) { target.Container = ptr.To("..") }, "spec.targetStore cannot be used: \"..\" cannot be the name of a bucket",
		},
		"a store that the nodes do not have": {
			func(source, _ *druidv1alpha1.StoreSpec) {
				source.Provider = ptr.To(druidv1alpha1.StorageProvider("openstack"))
			}, `no store of provider "openstack"`,
		},
		"a source with the backups of another shoot": {
			func(source, _ *druidv1alpha1.StoreSpec) { source.Prefix = "shoot--p--victim--uid/etcd-main" },
			`spec.sourceStore cannot be used: prefix "shoot--p--victim--uid/etcd-main" has no backups of namespace "shoot--p--c"`,
		},
		"a target with the backups of another shoot": {
			func(_, target *druidv1alpha1.StoreSpec) { target.Prefix = "shoot--p--victim--uid/etcd-main" },
			`spec.targetStore cannot be used: prefix "shoot--p--victim--uid/etcd-main" has no backups of namespace "shoot--p--c"`,
		},
	} {
		t.Run("MIG-17 a task with "+name+" has failed, and tells why", func(t *testing.T) {
			bad := &druidv1alpha1.EtcdCopyBackupsTask{ObjectMeta: meta(strings.ReplaceAll(strings.ReplaceAll(name, " ", "-"), "'", "")), Spec: druidv1alpha1.EtcdCopyBackupsTaskSpec{SourceStore: store("one"), TargetStore: store("two")}}
			tc.change(&bad.Spec.SourceStore, &bad.Spec.TargetStore)
			must(t, c.Create(ctx, bad))
			refused(t, bad, tc.want)
			if got := bad.Status.Conditions; len(got) != 1 || got[0].Type != druidv1alpha1.EtcdCopyBackupsTaskFailed || got[0].Status != druidv1alpha1.ConditionTrue || !strings.Contains(got[0].Message, tc.want) {
				t.Errorf("conditions %+v", got)
			}
			awaitEvent(t, c, namespace.Name, bad.Name, "Refused", tc.want)
		})
	}
}

// awaitEvent waits for a warning about an object.
func awaitEvent(t *testing.T, c client.Client, namespace, name, reason, want string) {
	t.Helper()
	eventually(t, func() error {
		list := &eventsv1.EventList{}
		must(t, c.List(t.Context(), list, client.InNamespace(namespace)))
		for _, event := range list.Items {
			if event.Regarding.Name == name && event.Type == corev1.EventTypeWarning && event.Reason == reason && strings.Contains(event.Note, want) {
				return nil
			}
		}
		return fmt.Errorf("no warning %s with %q among %d events", reason, want, len(list.Items))
	})
}

// end does what the Job controller does when the pods of a Job have ended.
func end(t *testing.T, c client.Client, job *batchv1.Job, conditions ...batchv1.JobConditionType) {
	t.Helper()
	before := job.DeepCopy()
	now := metav1.Now()
	job.Status.StartTime, job.Status.CompletionTime, job.Status.Succeeded = &now, &now, 1
	job.Status.UncountedTerminatedPods = &batchv1.UncountedTerminatedPods{}
	for _, kind := range conditions {
		job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: now, LastProbeTime: now})
	}
	must(t, c.Status().Patch(t.Context(), job, client.MergeFrom(before)))
}
