package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// GardenStatus is the garden as it is.
type GardenStatus struct {
	// Gardener is the operator that acted last.
	Gardener *gardencorev1beta1.Gardener `json:"gardener,omitempty"`
	// Conditions are the observations about the garden.
	// +listType=map
	// +listMapKey=type
	Conditions []gardencorev1beta1.Condition `json:"conditions,omitempty"`
	// LastOperation describes the latest operation.
	LastOperation *gardencorev1beta1.LastOperation `json:"lastOperation,omitempty"`
	// ObservedGeneration is the latest reconciled generation.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Credentials describes the rotation of credentials.
	Credentials *Credentials `json:"credentials,omitempty"`
	// AdvertisedAddresses are the addresses of the garden.
	// +listType=map
	// +listMapKey=name
	AdvertisedAddresses []AdvertisedAddress `json:"advertisedAddresses,omitempty"`
}

// AdvertisedAddress is an address of the garden.
type AdvertisedAddress struct {
	// Name says what is there.
	Name string `json:"name"`
	// URL is the address.
	URL string `json:"url"`
}

// Credentials describes the rotation of credentials.
type Credentials struct {
	// Rotation says how far rotations came.
	Rotation *CredentialsRotation `json:"rotation,omitempty"`
	// EncryptionAtRest says what is encrypted in etcd.
	EncryptionAtRest *gardencorev1beta1.EncryptionAtRest `json:"encryptionAtRest,omitempty"`
}

// CredentialsRotation says how far rotations came.
type CredentialsRotation struct {
	// CertificateAuthorities is the rotation of the certificate authorities.
	CertificateAuthorities *gardencorev1beta1.CARotation `json:"certificateAuthorities,omitempty"`
	// ServiceAccountKey is the rotation of the key that signs service account tokens.
	ServiceAccountKey *gardencorev1beta1.ServiceAccountKeyRotation `json:"serviceAccountKey,omitempty"`
	// ETCDEncryptionKey is the rotation of the key that encrypts data in etcd.
	ETCDEncryptionKey *gardencorev1beta1.ETCDEncryptionKeyRotation `json:"etcdEncryptionKey,omitempty"`
	// Observability is the rotation of the passwords for monitoring and logging.
	Observability *gardencorev1beta1.ObservabilityRotation `json:"observability,omitempty"`
	// WorkloadIdentityKey is the rotation of the key that signs tokens of WorkloadIdentities.
	WorkloadIdentityKey *WorkloadIdentityKeyRotation `json:"workloadIdentityKey,omitempty"`
}

// WorkloadIdentityKeyRotation is the rotation of the key that signs tokens of WorkloadIdentities.
type WorkloadIdentityKeyRotation struct {
	// Phase is how far the rotation came.
	// +kubebuilder:validation:Enum=Preparing;PreparingWithoutWorkersRollout;WaitingForWorkersRollout;Prepared;Completing;Completed
	Phase gardencorev1beta1.CredentialsRotationPhase `json:"phase"`
	// LastCompletionTime is when the latest rotation was completed.
	LastCompletionTime *metav1.Time `json:"lastCompletionTime,omitempty"`
	// LastInitiationTime is when the latest rotation was started.
	LastInitiationTime *metav1.Time `json:"lastInitiationTime,omitempty"`
	// LastInitiationFinishedTime is when the latest rotation became Prepared.
	LastInitiationFinishedTime *metav1.Time `json:"lastInitiationFinishedTime,omitempty"`
	// LastCompletionTriggeredTime is when completing was last started.
	LastCompletionTriggeredTime *metav1.Time `json:"lastCompletionTriggeredTime,omitempty"`
}
