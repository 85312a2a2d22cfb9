package supportbundle

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	operationsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operations/v1alpha1"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	seedmanagementv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
)

// page is how many Secrets are read at once. A garden may have thousands.
const page = 500

// Kind is a kind of objects.
type Kind schema.GroupVersionKind

func (k Kind) list() *unstructured.UnstructuredList {
	list := &unstructured.UnstructuredList{}
	gvk := schema.GroupVersionKind(k)
	gvk.Kind += "List"
	list.SetGroupVersionKind(gvk)
	return list
}

func (k Kind) failure(err error) error {
	if meta.IsNoMatchError(err) || apierrors.IsNotFound(err) {
		return ErrNothing
	}
	return fmt.Errorf("list objects of kind %s: %w", k.Kind, err)
}

func kinds(group schema.GroupVersion, names ...string) []Kind {
	var all []Kind
	for _, name := range names {
		all = append(all, Kind(group.WithKind(name)))
	}
	return all
}

// The groups of Kubernetes.
var (
	kubernetes   = schema.GroupVersion{Version: "v1"}
	apps         = schema.GroupVersion{Group: "apps", Version: "v1"}
	coordination = schema.GroupVersion{Group: "coordination.k8s.io", Version: "v1"}
	registration = schema.GroupVersion{Group: "apiregistration.k8s.io", Version: "v1"}
)

// secretKinds are read to know their values, and are never written.
var secretKinds = append(kinds(kubernetes, "Secret"), kinds(gardencorev1beta1.SchemeGroupVersion, "InternalSecret")...)

// Only the kinds listed here are collected. Secrets, ConfigMaps, ShootStates, WorkloadIdentities, OperatingSystemConfigs and
// MachineClasses contain credentials by design and are in no list.
var (
	gardenKinds = slices.Concat(
		kinds(kubernetes, "Namespace", "Event"),
		kinds(coordination, "Lease"),
		kinds(registration, "APIService"),
		kinds(gardencorev1beta1.SchemeGroupVersion, "Shoot", "Seed", "Project", "CloudProfile", "NamespacedCloudProfile", "ControllerRegistration", "ControllerInstallation",
			"BackupBucket", "BackupEntry", "ExposureClass", "Quota"),
		kinds(seedmanagementv1alpha1.SchemeGroupVersion, "ManagedSeed", "ManagedSeedSet", "Gardenlet"),
		kinds(operationsv1alpha1.SchemeGroupVersion, "Bastion"),
	)
	seedKinds = slices.Concat(
		kinds(kubernetes, "Namespace", "Event", "Node", "Pod", "Service", "PersistentVolumeClaim", "PersistentVolume"),
		kinds(apps, "Deployment", "StatefulSet", "DaemonSet"),
		kinds(coordination, "Lease"),
		kinds(registration, "APIService"),
		kinds(druidv1alpha1.SchemeGroupVersion, "Etcd", "EtcdCopyBackupsTask", "EtcdOpsTask"),
		kinds(extensionsv1alpha1.SchemeGroupVersion, "BackupBucket", "BackupEntry", "Bastion", "ContainerRuntime", "ControlPlane", "DNSRecord", "Extension", "Infrastructure", "Network", "Worker"),
		kinds(machinev1alpha1.SchemeGroupVersion, "MachineDeployment", "MachineSet", "Machine"),
		kinds(operatorv1alpha1.SchemeGroupVersion, "Garden", "Extension"),
		kinds(resourcesv1alpha1.SchemeGroupVersion, "ManagedResource"),
	)
)

// eachOf calls do for each object of a kind, page by page. The error is ErrNothing if the cluster does not know the kind.
func eachOf(ctx context.Context, c client.Reader, kind Kind, do func(*unstructured.Unstructured) error) error {
	next := ""
	for {
		list := kind.list()
		if err := c.List(ctx, list, client.Limit(page), client.Continue(next)); err != nil {
			return kind.failure(err)
		}
		for i := range list.Items {
			if err := do(&list.Items[i]); err != nil {
				return err
			}
		}
		if next = list.GetContinue(); next == "" {
			return nil
		}
	}
}
