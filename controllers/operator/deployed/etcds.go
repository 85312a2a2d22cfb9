package deployed

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/etcd"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/location"
)

// deployEtcds writes the Etcds of the virtual garden. Gardener's API server stores in etcd main, too.
func (r run) deployEtcds(ctx context.Context) error {
	if _, err := r.prepare(ctx); err != nil {
		return err
	}
	settings := ptr.Deref(r.garden.Spec.VirtualCluster.ETCD, operatorv1alpha1.ETCD{})
	main, events := ptr.Deref(settings.Main, operatorv1alpha1.ETCDMain{}), ptr.Deref(settings.Events, operatorv1alpha1.ETCDEvents{})
	backup, err := backupOf(main.Backup)
	if err != nil {
		return err
	}
	for _, one := range []struct {
		role    string
		backup  *etcd.Backup
		storage *operatorv1alpha1.Storage
	}{{etcd.Main, backup, main.Storage}, {etcd.Events, nil, events.Storage}} {
		values := r.etcdValues(one.role)
		values.Backup = one.backup
		object := etcd.Object(values)
		object.Spec.PriorityClassName = ptr.To(constants.PriorityClassNameGardenSystem500)
		object.Spec.SchedulingConstraints.Affinity = linux()
		store(object, one.storage)
		if object.Spec.VolumeClaimTemplate, err = r.volumeClaims(ctx, object.Name); err != nil {
			return err
		}
		if err := r.applyAll(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

// window is the maintenance window, for daily tasks. Admission has looked at it.
func (r run) window() helper.TimeWindow {
	window, err := helper.ParseTimeWindow(r.garden.Spec.VirtualCluster.Maintenance.TimeWindow)
	if err != nil {
		return helper.TimeWindow{}
	}
	return window
}

func (r run) etcdValues(role string) etcd.Values {
	name := prefix + "etcd-" + role
	values := etcd.Values{
		Namespace: r.Namespace, Name: name, Role: role, Replicas: r.availability.Members(), Secrets: r.made.etcds[role],
		Availability: r.availability, ShootUID: string(r.garden.UID), Window: r.window(),
	}
	switch settings := r.garden.Spec.VirtualCluster.ETCD; {
	case settings == nil:
	case role == etcd.Main && settings.Main != nil && settings.Main.Autoscaling != nil:
		values.Requests = settings.Main.Autoscaling.MinAllowed
	case role == etcd.Events && settings.Events != nil && settings.Events.Autoscaling != nil:
		values.Requests = settings.Events.Autoscaling.MinAllowed
	}
	return values
}

// backupEntry is the directory of the garden in its bucket. It begins with the namespace, as that of each shoot, since the druid refuses an etcd
// that writes to a directory of another namespace.
const backupEntry = constants.GardenNamespace + "--virtual-garden"

// backupOf returns the store of a garden's backups; nil if there is none. The bucket has to exist.
func backupOf(backup *operatorv1alpha1.Backup) (*etcd.Backup, error) {
	if backup == nil {
		return nil, nil
	}
	if _, known := location.Remote(backup.Provider); !known { // the druid would make no backups, and say nothing
		return nil, fmt.Errorf("spec.virtualCluster.etcd.main.backup.provider %q is no object store that etcd can be backed up to; it can be one of %v", backup.Provider, location.Stores())
	}
	bucket := ptr.Deref(backup.BucketName, "")
	if bucket == "" {
		return nil, fmt.Errorf("spec.virtualCluster.etcd.main.backup.bucketName is empty: create a bucket and name it, since this host makes none")
	}
	return &etcd.Backup{Provider: backup.Provider, Bucket: bucket, Prefix: backupEntry, SecretName: backup.SecretRef.Name}, nil
}

// linux is the affinity that does for the pods of an Etcd what place does for others: an Etcd has no node selector.
func linux() *corev1.Affinity {
	return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
			{Key: corev1.LabelOSStable, Operator: corev1.NodeSelectorOpIn, Values: []string{"linux"}},
		}}},
	}}}
}

func store(object *druidv1alpha1.Etcd, storage *operatorv1alpha1.Storage) {
	if storage == nil {
		return
	}
	if storage.Capacity != nil {
		object.Spec.StorageCapacity = ptr.To(storage.Capacity.DeepCopy())
	}
	if storage.ClassName != nil {
		object.Spec.StorageClass = storage.ClassName
	}
}
