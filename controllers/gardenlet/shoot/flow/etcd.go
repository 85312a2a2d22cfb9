package flow

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/etcd"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/health"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

var etcdRoles = []string{etcd.Main, etcd.Events}

// deployBackupEntry reserves the shoot's place in the bucket of the seed; another controller makes it there.
func (p *Plan) deployBackupEntry(ctx context.Context) error {
	entry := p.newBackupEntry()
	entry.OwnerReferences = p.artefact("", "").OwnerReferences
	if purpose := p.Shoot.Spec.Purpose; purpose != nil {
		entry.Annotations = map[string]string{constants.ShootPurpose: string(*purpose)}
	}
	entry.Spec = gardencorev1beta1.BackupEntrySpec{BucketName: string(p.Seed.UID), SeedName: ptr.To(p.Seed.Name)}
	_, err := p.garden.Apply(ctx, entry)
	return err
}

func (p *Plan) newBackupEntry() *gardencorev1beta1.BackupEntry {
	return &gardencorev1beta1.BackupEntry{ObjectMeta: metav1.ObjectMeta{Name: p.BackupEntryName(), Namespace: p.Shoot.Namespace}}
}

// awaitBackupEntry looks repeatedly: it is the one wait for an object of the garden.
func (p *Plan) awaitBackupEntry(ctx context.Context) error {
	entry := p.newBackupEntry()
	return poll(ctx, func() error {
		if err := p.GardenReader.Get(ctx, client.ObjectKeyFromObject(entry), entry); err != nil {
			return fmt.Errorf("read backup entry %q: %w", entry.Name, err)
		}
		switch status := entry.Status; {
		case status.LastError != nil:
			return fmt.Errorf("backup entry %q: %s", entry.Name, status.LastError.Description)
		case status.ObservedGeneration != entry.Generation || status.LastOperation == nil:
			return fmt.Errorf("backup entry %q has not been reconciled yet", entry.Name)
		case status.LastOperation.State != gardencorev1beta1.LastOperationStateSucceeded:
			return fmt.Errorf("backup entry %q is %s", entry.Name, status.LastOperation.State)
		}
		return nil
	})
}

func (p *Plan) deployEtcd(ctx context.Context) error {
	for _, role := range etcdRoles {
		secrets, err := etcd.GenerateSecrets(ctx, p.secrets, role)
		if err != nil {
			return err
		}
		values := etcd.Values{
			Namespace: p.namespace, Role: role, Secrets: secrets, Replicas: p.etcdReplicas(),
			WindowBegin: p.WindowBegin(), ShootUID: p.UID(),
		}
		if backup := p.Seed.Spec.Backup; backup != nil {
			values.Backup = &etcd.Backup{
				Provider: backup.Provider, Bucket: string(p.Seed.UID), Prefix: p.BackupEntryName(), SecretName: constants.BackupSecretName,
			}
		}
		if _, err := p.seed.Apply(ctx, etcd.Object(values)); err != nil {
			return err
		}
	}
	return nil
}

// etcdReplicas keeps a running etcd while the shoot falls asleep: the rest of the control plane needs it until the end.
func (p *Plan) etcdReplicas() int32 {
	if p.Hibernated() && p.Shoot.DeletionTimestamp == nil && !p.Facts.APIServerRuns {
		return 0
	}
	return 1
}

// scaleEtcd changes the number of members; the druid notices by the operation annotation.
func (p *Plan) scaleEtcd(ctx context.Context, replicas int32) error {
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}},"spec":{"replicas":%d}}`,
		constants.GardenerOperation, constants.GardenerOperationReconcile, replicas)
	for _, role := range etcdRoles {
		err := p.SeedClient.Patch(ctx, newEtcd(role, p.namespace), client.RawPatch("application/merge-patch+json", patch), Owner)
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("scale %s to %d: %w", etcd.Name(role), replicas, err)
		}
	}
	return nil
}

func (p *Plan) awaitEtcd(ctx context.Context) error {
	for _, role := range etcdRoles {
		object := newEtcd(role, p.namespace)
		err := await.Until(ctx, p.SeedClient, object, func() error { return health.Etcd(object) })
		if err != nil {
			return fmt.Errorf("wait for %s: %w", object.Name, err)
		}
	}
	return nil
}

func newEtcd(role, namespace string) *druidv1alpha1.Etcd {
	return &druidv1alpha1.Etcd{ObjectMeta: metav1.ObjectMeta{Name: etcd.Name(role), Namespace: namespace}}
}

// destroyEtcd deletes the objects and then their data, which nothing else removes.
func (p *Plan) destroyEtcd(ctx context.Context) error {
	for _, role := range etcdRoles {
		if err := p.objects.Delete(ctx, newEtcd(role, p.namespace)); err != nil {
			return err
		}
	}
	return nil
}

func (p *Plan) awaitEtcdGone(ctx context.Context) error {
	for _, role := range etcdRoles {
		if err := await.Gone(ctx, p.SeedClient, newEtcd(role, p.namespace), nil); err != nil {
			return err
		}
	}
	err := p.SeedClient.DeleteAllOf(ctx, &corev1.PersistentVolumeClaim{}, client.InNamespace(p.namespace))
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete volumes of etcd: %w", err)
	}
	return nil
}
