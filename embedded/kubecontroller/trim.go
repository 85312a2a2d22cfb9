package kubecontroller

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/kubernetes/pkg/controller/certificates/rootcacertpublisher"
)

// trim removes what no controller reads from objects before they are cached: managed fields, and the content of most ConfigMaps
// and Secrets. The garbage collector and the quotas cache all of them, but look at their metadata only.
func trim(obj any) (any, error) {
	if accessor, err := meta.Accessor(obj); err == nil {
		accessor.SetManagedFields(nil)
	}
	switch object := obj.(type) {
	case *corev1.ConfigMap:
		if object.Name != rootcacertpublisher.RootCACertConfigMapName {
			object.Data, object.BinaryData = nil, nil
		}
	case *corev1.Secret:
		if object.Type != corev1.SecretTypeServiceAccountToken && object.Type != corev1.SecretTypeBootstrapToken {
			object.Data = nil
		}
	}
	return obj, nil
}
