package operatingsystemconfig

import (
	"k8s.io/utils/ptr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// inPlace reports whether the machines of a pool are updated where they are.
func inPlace(worker gardencorev1beta1.Worker) bool {
	return worker.UpdateStrategy != nil && *worker.UpdateStrategy != gardencorev1beta1.AutoRollingUpdate
}

// inPlaceUpdates is what machines change only after their node has been drained.
func (v Values) inPlaceUpdates() *extensionsv1alpha1.InPlaceUpdates {
	out := &extensionsv1alpha1.InPlaceUpdates{KubeletVersion: v.Version}
	if image := v.Worker.Machine.Image; image != nil {
		out.OperatingSystemVersion = ptr.Deref(image.Version, "")
	}
	if v.Rotation == nil {
		return out
	}
	rotation := &extensionsv1alpha1.CredentialsRotation{}
	if ca := v.Rotation.CertificateAuthorities; ca != nil && ca.LastInitiationTime != nil {
		rotation.CertificateAuthorities = &extensionsv1alpha1.CARotation{LastInitiationTime: ca.LastInitiationTime}
	}
	if key := v.Rotation.ServiceAccountKey; key != nil && key.LastInitiationTime != nil {
		rotation.ServiceAccountKey = &extensionsv1alpha1.ServiceAccountKeyRotation{LastInitiationTime: key.LastInitiationTime}
	}
	if rotation.CertificateAuthorities != nil || rotation.ServiceAccountKey != nil {
		out.CredentialsRotation = rotation
	}
	return out
}
