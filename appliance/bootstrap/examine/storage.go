package examine

import (
	"strings"

	storagev1 "k8s.io/api/storage/v1"
)

// isDefault is the annotation of the storage class of volumes that name none.
const isDefault = "storageclass.kubernetes.io/is-default-class"

func (e *examination) storage() bool {
	const check, see = "storage class", "name one with --storage-class; see: kubectl get storageclasses"
	classes := &storagev1.StorageClassList{}
	if err := e.in.Cluster.Client.List(e.ctx, classes); err != nil {
		return e.problem(check, see, "storage classes cannot be listed: %v", err)
	}
	wanted := e.in.StorageClass
	if wanted == "" {
		wanted = e.presentClass()
	}
	var names []string
	for _, class := range classes.Items {
		names = append(names, class.Name)
		if wanted == class.Name || wanted == "" && class.Annotations[isDefault] == "true" {
			return e.ok(check, "%s of %s", class.Name, class.Provisioner)
		}
	}
	switch {
	case len(names) == 0:
		return e.problem(check, "install a provisioner of volumes: etcd needs them", "the cluster has no storage class")
	case wanted != "":
		return e.problem(check, see, "there is no %q among %s", wanted, strings.Join(names, ", "))
	}
	return e.problem(check, see, "none of %s is the default", strings.Join(names, ", "))
}

// presentClass is the storage class that the Garden names already; empty if it names none.
func (e *examination) presentClass() string {
	if e.present == nil || e.present.Spec.VirtualCluster.ETCD == nil {
		return ""
	}
	main := e.present.Spec.VirtualCluster.ETCD.Main
	if main == nil || main.Storage == nil || main.Storage.ClassName == nil {
		return ""
	}
	return *main.Storage.ClassName
}
