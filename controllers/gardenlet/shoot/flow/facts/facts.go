// Package facts reads which objects of a shoot already exist in the seed.
package facts

import (
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	etcds "github.com/gardener-up/gardener-up/controllers/gardenlet/component/etcd"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubecontrollermanager"
	component "github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/ownership"
)

// Facts tell which objects of a shoot already exist in the seed. They decide which steps are skipped.
type Facts struct {
	// NamespaceActive means that the namespace exists and is not being deleted.
	NamespaceActive bool
	// APIServerExists and APIServerRuns mean that the Deployment exists, and that it has replicas.
	APIServerExists, APIServerRuns bool
	// ControllersExist means that the Deployment of kube-controller-manager exists.
	ControllersExist bool
	// InfrastructureExists and InfrastructureUsable mean that the object exists, and that it has a provider status.
	InfrastructureExists, InfrastructureUsable bool
	// ControlPlaneExists means that the object of kind ControlPlane exists.
	ControlPlaneExists bool
	// EtcdExists means that the object of etcd main exists. A migration deletes it when the final snapshot has been taken.
	EtcdExists bool
	// Owner is what the seed knows about the record of the owner.
	Owner Owner
}

// Owner is what a seed knows about the record that says which seed is responsible for a shoot.
type Owner string

// States of the record.
const (
	// OwnerUnchecked means that etcd main does not check the owner.
	OwnerUnchecked Owner = ""
	// OwnerHere means that the record names the seed, and OwnerElsewhere that it names another one.
	OwnerHere      Owner = "here"
	OwnerElsewhere Owner = "elsewhere"
	// OwnerGone means that etcd main checks the owner, but the record has been released already.
	OwnerGone Owner = "gone"
)

// CleanupPossible reports whether the control plane can be started to empty the cluster.
func (f Facts) CleanupPossible(workerless bool) bool {
	return f.NamespaceActive && f.APIServerExists && (workerless || f.InfrastructureExists)
}

// ControlPlaneUsable reports whether the provider's part of the control plane can help to empty the cluster.
func (f Facts) ControlPlaneUsable() bool {
	return (f.ControlPlaneExists || f.APIServerExists) && f.InfrastructureUsable
}

// ControlPlaneRuns reports whether the control plane runs in this flow. It also runs while the shoot is being
// hibernated, but not afterwards.
func (f Facts) ControlPlaneRuns(shoot *gardencorev1beta1.Shoot) bool {
	return !helper.HibernationIsEnabled(shoot) || f.APIServerRuns || shoot.DeletionTimestamp != nil
}

// Load reads the facts from the seed.
func Load(ctx context.Context, seed client.Reader, namespace, shoot string) (Facts, error) {
	var f Facts
	object := &corev1.Namespace{}
	found, err := exists(ctx, seed, client.ObjectKey{Name: namespace}, object)
	if err != nil || !found {
		return f, err
	}
	f.NamespaceActive = object.DeletionTimestamp == nil
	apiServer := &appsv1.Deployment{}
	if f.APIServerExists, err = exists(ctx, seed, client.ObjectKey{Namespace: namespace, Name: component.APIServer}, apiServer); err != nil {
		return f, err
	}
	f.APIServerRuns = f.APIServerExists && ptr.Deref(apiServer.Spec.Replicas, 1) > 0
	controllers := &appsv1.Deployment{}
	if f.ControllersExist, err = exists(ctx, seed, client.ObjectKey{Namespace: namespace, Name: kubecontrollermanager.Name}, controllers); err != nil {
		return f, err
	}
	infrastructure := &extensionsv1alpha1.Infrastructure{}
	if f.InfrastructureExists, err = exists(ctx, seed, client.ObjectKey{Namespace: namespace, Name: shoot}, infrastructure); err != nil {
		return f, err
	}
	f.InfrastructureUsable = infrastructure.Status.ProviderStatus != nil
	if f.ControlPlaneExists, err = exists(ctx, seed, client.ObjectKey{Namespace: namespace, Name: shoot}, &extensionsv1alpha1.ControlPlane{}); err != nil {
		return f, err
	}
	etcd := &druidv1alpha1.Etcd{}
	f.EtcdExists, err = exists(ctx, seed, client.ObjectKey{Namespace: namespace, Name: etcds.Name(etcds.Main)}, etcd)
	f.EtcdExists = f.EtcdExists && etcd.DeletionTimestamp == nil
	if err != nil || etcd.Spec.Backup.OwnerCheck == nil {
		return f, err
	}
	f.Owner, err = ownerOf(ctx, seed, client.ObjectKey{Namespace: namespace, Name: ownership.RecordName(shoot)}, etcd.Spec.Backup.OwnerCheck.ID)
	return f, err
}

// ownerOf compares the record with the owner that etcd main expects.
func ownerOf(ctx context.Context, seed client.Reader, key client.ObjectKey, expected string) (Owner, error) {
	record := &extensionsv1alpha1.DNSRecord{}
	switch found, err := exists(ctx, seed, key, record); {
	case err != nil:
		return OwnerUnchecked, err
	case !found:
		return OwnerGone, nil
	case slices.Equal(record.Spec.Values, []string{expected}):
		return OwnerHere, nil
	}
	return OwnerElsewhere, nil
}

func exists(ctx context.Context, seed client.Reader, key client.ObjectKey, object client.Object) (bool, error) {
	err := seed.Get(ctx, key, object)
	if client.IgnoreNotFound(err) != nil {
		return false, fmt.Errorf("read %T %q: %w", object, key, err)
	}
	return err == nil, nil
}
