package operator

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// validateEncryption refuses changes after which stored objects could not be read: nobody writes them anew.
func validateEncryption(virtual, old *operatorv1alpha1.VirtualCluster, path *field.Path) field.ErrorList {
	errs := onlyMoreEncrypted(kubeEncryption(virtual), kubeEncryption(old), path.Child("kubernetes", "kubeAPIServer", "encryptionConfig"))
	return append(errs, onlyMoreEncrypted(gardenerEncryption(virtual), gardenerEncryption(old), path.Child("gardener", "gardenerAPIServer", "encryptionConfig"))...)
}

func kubeEncryption(virtual *operatorv1alpha1.VirtualCluster) *gardencorev1beta1.EncryptionConfig {
	if server := virtual.Kubernetes.KubeAPIServer; server != nil && server.KubeAPIServerConfig != nil {
		return server.EncryptionConfig
	}
	return nil
}

func gardenerEncryption(virtual *operatorv1alpha1.VirtualCluster) *gardencorev1beta1.EncryptionConfig {
	if server := virtual.Gardener.APIServer; server != nil {
		return server.EncryptionConfig
	}
	return nil
}

func onlyMoreEncrypted(now, old *gardencorev1beta1.EncryptionConfig, path *field.Path) (errs field.ErrorList) {
	is, was := ptr.Deref(now, gardencorev1beta1.EncryptionConfig{}), ptr.Deref(old, gardencorev1beta1.EncryptionConfig{})
	const usual = gardencorev1beta1.EncryptionProviderTypeAESCBC
	if ptr.Deref(is.Provider.Type, usual) != ptr.Deref(was.Provider.Type, usual) {
		errs = append(errs, field.Forbidden(path.Child("provider", "type"), "cannot change: what is stored could not be read any more"))
	}
	for _, resource := range was.Resources {
		if !slices.Contains(is.Resources, resource) {
			errs = append(errs, field.Forbidden(path.Child("resources"), "cannot lose "+resource+": what is stored could not be read any more"))
		}
	}
	return errs
}
