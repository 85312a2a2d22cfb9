package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ShootCredentials describes the credentials of a cluster.
type ShootCredentials struct {
	// Rotation describes the rotation of the credentials.
	Rotation *ShootCredentialsRotation `json:"rotation,omitempty" protobuf:"bytes,1,opt,name=rotation"`

	// EncryptionAtRest says what is encrypted in etcd, and how.
	EncryptionAtRest *EncryptionAtRest `json:"encryptionAtRest,omitempty" protobuf:"bytes,2,opt,name=encryptionAtRest"`
}

// ShootCredentialsRotation describes the rotation of a cluster's credentials.
type ShootCredentialsRotation struct {
	// CertificateAuthorities is the rotation of the certificate authorities.
	CertificateAuthorities *CARotation `json:"certificateAuthorities,omitempty" protobuf:"bytes,1,opt,name=certificateAuthorities"`

	// Kubeconfig is the rotation of the static token.
	Kubeconfig *ShootKubeconfigRotation `json:"kubeconfig,omitempty" protobuf:"bytes,2,opt,name=kubeconfig"`

	// SSHKeypair is the rotation of the SSH key of the nodes.
	SSHKeypair *ShootSSHKeypairRotation `json:"sshKeypair,omitempty" protobuf:"bytes,3,opt,name=sshKeypair"`

	// Observability is the rotation of the passwords for monitoring and logging.
	Observability *ObservabilityRotation `json:"observability,omitempty" protobuf:"bytes,4,opt,name=observability"`

	// ServiceAccountKey is the rotation of the key that signs service account tokens.
	ServiceAccountKey *ServiceAccountKeyRotation `json:"serviceAccountKey,omitempty" protobuf:"bytes,5,opt,name=serviceAccountKey"`

	// ETCDEncryptionKey is the rotation of the key that encrypts data in etcd.
	ETCDEncryptionKey *ETCDEncryptionKeyRotation `json:"etcdEncryptionKey,omitempty" protobuf:"bytes,6,opt,name=etcdEncryptionKey"`
}

// CredentialsRotationPhase is how far a rotation in two steps came.
type CredentialsRotationPhase string

const (
	// RotationPreparing means that the new credentials are being added and the old ones stay valid.
	RotationPreparing CredentialsRotationPhase = "Preparing"
	// RotationPreparingWithoutWorkersRollout is RotationPreparing where workers are not rolled.
	RotationPreparingWithoutWorkersRollout CredentialsRotationPhase = "PreparingWithoutWorkersRollout"
	// RotationWaitingForWorkersRollout means that worker pools must be rolled by the user before the rotation goes
	// on.
	RotationWaitingForWorkersRollout CredentialsRotationPhase = "WaitingForWorkersRollout"
	// RotationPrepared means that both are valid; the user may complete the rotation.
	RotationPrepared CredentialsRotationPhase = "Prepared"
	// RotationCompleting means that the old credentials are being removed.
	RotationCompleting CredentialsRotationPhase = "Completing"
	// RotationCompleted means that only the new credentials are valid.
	RotationCompleted CredentialsRotationPhase = "Completed"
)

// CARotation is the rotation of the certificate authorities.
type CARotation struct {
	// Phase is how far the rotation came.
	Phase CredentialsRotationPhase `json:"phase" protobuf:"bytes,1,opt,name=phase"`

	// LastCompletionTime is when the latest rotation was completed.
	LastCompletionTime *metav1.Time `json:"lastCompletionTime,omitempty" protobuf:"bytes,2,opt,name=lastCompletionTime"`

	// LastInitiationTime is when the latest rotation was started.
	LastInitiationTime *metav1.Time `json:"lastInitiationTime,omitempty" protobuf:"bytes,3,opt,name=lastInitiationTime"`

	// LastInitiationFinishedTime is when the latest rotation became Prepared.
	LastInitiationFinishedTime *metav1.Time `json:"lastInitiationFinishedTime,omitempty" protobuf:"bytes,4,opt,name=lastInitiationFinishedTime"`

	// LastCompletionTriggeredTime is when completing was last started.
	LastCompletionTriggeredTime *metav1.Time `json:"lastCompletionTriggeredTime,omitempty" protobuf:"bytes,5,opt,name=lastCompletionTriggeredTime"`

	// PendingWorkersRollouts are worker pools that still use the old authorities.
	// +listType=map
	// +listMapKey=name
	PendingWorkersRollouts []PendingWorkersRollout `json:"pendingWorkersRollouts,omitempty" protobuf:"bytes,6,rep,name=pendingWorkersRollouts"`
}

// ShootKubeconfigRotation is the rotation of the static token.
type ShootKubeconfigRotation struct {
	// LastInitiationTime is when the latest rotation was started.
	LastInitiationTime *metav1.Time `json:"lastInitiationTime,omitempty" protobuf:"bytes,1,opt,name=lastInitiationTime"`

	// LastCompletionTime is when the latest rotation was completed.
	LastCompletionTime *metav1.Time `json:"lastCompletionTime,omitempty" protobuf:"bytes,2,opt,name=lastCompletionTime"`
}

// ShootSSHKeypairRotation is the rotation of the SSH key of the nodes.
type ShootSSHKeypairRotation struct {
	// LastInitiationTime is when the latest rotation was started.
	LastInitiationTime *metav1.Time `json:"lastInitiationTime,omitempty" protobuf:"bytes,1,opt,name=lastInitiationTime"`

	// LastCompletionTime is when the latest rotation was completed.
	LastCompletionTime *metav1.Time `json:"lastCompletionTime,omitempty" protobuf:"bytes,2,opt,name=lastCompletionTime"`
}

// ObservabilityRotation is the rotation of the passwords for monitoring and logging.
type ObservabilityRotation struct {
	// LastInitiationTime is when the latest rotation was started.
	LastInitiationTime *metav1.Time `json:"lastInitiationTime,omitempty" protobuf:"bytes,1,opt,name=lastInitiationTime"`

	// LastCompletionTime is when the latest rotation was completed.
	LastCompletionTime *metav1.Time `json:"lastCompletionTime,omitempty" protobuf:"bytes,2,opt,name=lastCompletionTime"`
}

// ServiceAccountKeyRotation is the rotation of the key that signs service account tokens.
type ServiceAccountKeyRotation struct {
	// Phase is how far the rotation came.
	Phase CredentialsRotationPhase `json:"phase" protobuf:"bytes,1,opt,name=phase"`

	// LastCompletionTime is when the latest rotation was completed.
	LastCompletionTime *metav1.Time `json:"lastCompletionTime,omitempty" protobuf:"bytes,2,opt,name=lastCompletionTime"`

	// LastInitiationTime is when the latest rotation was started.
	LastInitiationTime *metav1.Time `json:"lastInitiationTime,omitempty" protobuf:"bytes,3,opt,name=lastInitiationTime"`

	// LastInitiationFinishedTime is when the latest rotation became Prepared.
	LastInitiationFinishedTime *metav1.Time `json:"lastInitiationFinishedTime,omitempty" protobuf:"bytes,4,opt,name=lastInitiationFinishedTime"`

	// LastCompletionTriggeredTime is when completing was last started.
	LastCompletionTriggeredTime *metav1.Time `json:"lastCompletionTriggeredTime,omitempty" protobuf:"bytes,5,opt,name=lastCompletionTriggeredTime"`

	// PendingWorkersRollouts are worker pools that still use tokens of the old key.
	// +listType=map
	// +listMapKey=name
	PendingWorkersRollouts []PendingWorkersRollout `json:"pendingWorkersRollouts,omitempty" protobuf:"bytes,6,rep,name=pendingWorkersRollouts"`
}

// ETCDEncryptionKeyRotation is the rotation of the key that encrypts data in etcd.
type ETCDEncryptionKeyRotation struct {
	// Phase is how far the rotation came.
	Phase CredentialsRotationPhase `json:"phase" protobuf:"bytes,1,opt,name=phase"`

	// LastCompletionTime is when the latest rotation was completed.
	LastCompletionTime *metav1.Time `json:"lastCompletionTime,omitempty" protobuf:"bytes,2,opt,name=lastCompletionTime"`

	// LastInitiationTime is when the latest rotation was started.
	LastInitiationTime *metav1.Time `json:"lastInitiationTime,omitempty" protobuf:"bytes,3,opt,name=lastInitiationTime"`

	// LastInitiationFinishedTime is when the latest rotation became Prepared.
	LastInitiationFinishedTime *metav1.Time `json:"lastInitiationFinishedTime,omitempty" protobuf:"bytes,4,opt,name=lastInitiationFinishedTime"`

	// LastCompletionTriggeredTime is when completing was last started.
	LastCompletionTriggeredTime *metav1.Time `json:"lastCompletionTriggeredTime,omitempty" protobuf:"bytes,5,opt,name=lastCompletionTriggeredTime"`

	// AutoCompleteAfterPrepared completes the rotation without a user as soon as it is Prepared.
	AutoCompleteAfterPrepared *bool `json:"autoCompleteAfterPrepared,omitempty" protobuf:"varint,6,opt,name=autoCompleteAfterPrepared"`
}

// EncryptionAtRest says what is encrypted in etcd, and how.
type EncryptionAtRest struct {
	// Resources are the encrypted resources.
	// +listType=atomic
	Resources []string `json:"resources,omitempty" protobuf:"bytes,1,rep,name=resources"`

	// Provider is the cipher in use.
	Provider EncryptionProviderStatus `json:"provider" protobuf:"bytes,2,opt,name=provider"`
}

// EncryptionProviderStatus says which cipher is in use.
type EncryptionProviderStatus struct {
	// Type is the cipher.
	Type EncryptionProviderType `json:"type" protobuf:"bytes,1,opt,name=type"`
}
