package objects

import corev1 "k8s.io/api/core/v1"

// Inputs of a bootstrap.
type Inputs struct {
	// Image is the appliance image, as the nodes of the cluster find it.
	Image string
	// ServiceType is that of the Service by which users reach the API server of the virtual garden.
	ServiceType corev1.ServiceType
	// ProtectEtcds lets nobody but the operator's druid change the objects of the etcds of the Garden.
	ProtectEtcds bool
	// Garden says what the Garden is like.
	Garden Garden
}
