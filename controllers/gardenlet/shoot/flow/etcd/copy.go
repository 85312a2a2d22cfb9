package etcd

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	component "github.com/gardener-up/gardener-up/controllers/gardenlet/component/etcd"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

// finalTimeout is how long a copy waits for the final snapshot, before it takes what there is.
const finalTimeout = 5 * time.Minute

// wanted returns the entry from whose bucket backups have to be copied, and nil if there is nothing to copy any more. An etcd main of the shoot has begun with the copies,
// since Left removes those from before. What the source stores later must not come after its snapshots.
func (s Source) wanted(ctx context.Context) (*gardencorev1beta1.BackupEntry, error) {
	main := object(component.Main, s.Space.Name)
	switch err := s.Space.Client.Get(ctx, client.ObjectKeyFromObject(main), main); {
	case err == nil:
		return nil, nil
	case !apierrors.IsNotFound(err):
		return nil, fmt.Errorf("read %s: %w", main.Name, err)
	}
	return s.read(ctx)
}

// Copy asks druid to copy the backups of etcd main into the bucket of this seed.
func (s Source) Copy(ctx context.Context) error {
	entry, err := s.wanted(ctx)
	if err != nil || entry == nil {
		return err
	}
	from, err := s.reach(ctx, entry)
	if err != nil {
		return err
	}
	task, to := s.task(), s.target()
	task.Spec = druidv1alpha1.EtcdCopyBackupsTaskSpec{
		SourceStore:          store(from, constants.BackupSourcePrefix+constants.BackupSecretName, s.Space.Name),
		TargetStore:          store(to, constants.BackupSecretName, s.Space.Name),
		WaitForFinalSnapshot: &druidv1alpha1.WaitForFinalSnapshotSpec{Enabled: true, Timeout: &metav1.Duration{Duration: finalTimeout}},
	}
	if from.remote() || to.remote() {
		task.Spec.PodLabels = component.ReachObjectStore()
	}
	_, err = s.Space.Apply(ctx, task)
	return err
}

// AwaitCopy waits until the backups are copied. It deletes a task that has failed, so that the next one begins anew.
func (s Source) AwaitCopy(ctx context.Context) error {
	entry, err := s.wanted(ctx)
	if err != nil || entry == nil {
		return err
	}
	task := s.task()
	err = await.Until(ctx, s.Space.Client, task, func() error {
		for _, condition := range task.Status.Conditions {
			switch {
			case condition.Status != druidv1alpha1.ConditionTrue:
			case condition.Type == druidv1alpha1.EtcdCopyBackupsTaskSucceeded:
				return nil
			case condition.Type == druidv1alpha1.EtcdCopyBackupsTaskFailed:
				return await.Stop(errors.Join(fmt.Errorf("the task has failed: %s", condition.Message), s.DestroyCopy(ctx)))
			}
		}
		if said := ptr.Deref(task.Status.LastError, ""); said != "" {
			return errors.New(said)
		}
		_, err := s.reach(ctx, entry) // the final snapshot may have come
		return errors.Join(fmt.Errorf("the task has not ended yet: the pods of its Job in namespace %q log what they do", task.Namespace), err)
	})
	if err != nil {
		return fmt.Errorf("copy backups from bucket %q: %w", entry.Spec.BucketName, err)
	}
	return nil
}

// DestroyCopy deletes the task.
func (s Source) DestroyCopy(ctx context.Context) error {
	if err := s.Space.Client.Delete(ctx, s.task()); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete the task that copies backups: %w", err)
	}
	return nil
}

func (s Source) task() *druidv1alpha1.EtcdCopyBackupsTask {
	return &druidv1alpha1.EtcdCopyBackupsTask{ObjectMeta: metav1.ObjectMeta{Name: etcdMain, Namespace: s.Space.Name}}
}

// target is where the new etcd looks for its backups.
func (s Source) target() Location {
	return Location{Provider: s.Seed.Spec.Backup.Provider, Seed: s.Seed.Name, Bucket: string(s.Seed.UID), Prefix: s.prefix()}
}

func store(at Location, secret, namespace string) druidv1alpha1.StoreSpec {
	return druidv1alpha1.StoreSpec{
		Container: ptr.To(at.Bucket), Prefix: at.Prefix, Provider: ptr.To(druidv1alpha1.StorageProvider(at.Provider)),
		SecretRef: &corev1.SecretReference{Name: secret, Namespace: namespace},
	}
}
