package cloudcontroller

import (
	"net/http"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/rest"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

// mapper knows the few kinds that are read or written. Discovery would keep all kinds of each shoot.
func mapper(*rest.Config, *http.Client) (meta.RESTMapper, error) {
	out := meta.NewDefaultRESTMapper(nil)
	for _, kind := range []string{"Node", "PersistentVolume"} {
		out.Add(corev1.SchemeGroupVersion.WithKind(kind), meta.RESTScopeRoot)
	}
	for _, kind := range []string{"Service", "PersistentVolumeClaim", "Pod"} {
		out.Add(corev1.SchemeGroupVersion.WithKind(kind), meta.RESTScopeNamespace)
	}
	out.Add(storagev1.SchemeGroupVersion.WithKind("StorageClass"), meta.RESTScopeRoot)
	out.Add(machinev1alpha1.SchemeGroupVersion.WithKind("Machine"), meta.RESTScopeNamespace)
	out.Add(extensionsv1alpha1.SchemeGroupVersion.WithKind("Worker"), meta.RESTScopeNamespace)
	return out, nil
}
