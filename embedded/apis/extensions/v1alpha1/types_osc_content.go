package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// UnitCommand is what is done to a unit.
// +kubebuilder:validation:Enum=start;restart;stop
type UnitCommand string

// Commands for units.
const (
	CommandStart   UnitCommand = "start"
	CommandRestart UnitCommand = "restart"
	CommandStop    UnitCommand = "stop"
)

// Unit is a systemd unit.
type Unit struct {
	// Name of the unit.
	Name string `json:"name"`
	// Command is what is done to the unit.
	// +optional
	Command *UnitCommand `json:"command,omitempty"`
	// Enable starts the unit at boot; true when unset.
	// +optional
	Enable *bool `json:"enable,omitempty"`
	// Content of the unit's file.
	// +optional
	Content *string `json:"content,omitempty"`
	// DropIns are additions to the unit.
	// +optional
	// +listType=map
	// +listMapKey=name
	DropIns []DropIn `json:"dropIns,omitempty"`
	// FilePaths are the files whose change restarts the unit.
	// +optional
	// +listType=atomic
	FilePaths []string `json:"filePaths,omitempty"`
}

// DropIn is an addition to a unit.
type DropIn struct {
	// Name of the file.
	Name string `json:"name"`
	// Content of the file.
	Content string `json:"content"`
}

// File is a file.
type File struct {
	// Path is absolute.
	Path string `json:"path"`
	// Permissions is the file's mode; 0644 when unset.
	// +optional
	Permissions *uint32 `json:"permissions,omitempty"`
	// Content is the file's content.
	Content FileContent `json:"content"`
	// HostName limits the file to one host.
	// +optional
	HostName *string `json:"hostName,omitempty"`
}

// FileContent is the content of a file: exactly one of SecretRef, Inline and ImageRef.
//
// +kubebuilder:validation:XValidation:rule="has(self.inline) ? !has(self.secretRef) && !has(self.imageRef) : has(self.secretRef) != has(self.imageRef)",message="exactly one of inline, secretRef and imageRef is required"
type FileContent struct {
	// SecretRef takes the content from a secret of this namespace.
	// +optional
	SecretRef *FileContentSecretRef `json:"secretRef,omitempty"`
	// Inline is the content itself.
	// +optional
	Inline *FileContentInline `json:"inline,omitempty"`
	// TransmitUnencoded forbids encoding the content on its way.
	// +optional
	TransmitUnencoded *bool `json:"transmitUnencoded,omitempty"`
	// ImageRef takes the content from a container image.
	// +optional
	ImageRef *FileContentImageRef `json:"imageRef,omitempty"`
}

// FileContentSecretRef takes content from a secret.
type FileContentSecretRef struct {
	// Name of the secret.
	Name string `json:"name"`
	// DataKey is the key in the secret.
	DataKey string `json:"dataKey"`
}

// FileContentInline is content itself.
type FileContentInline struct {
	// Encoding is empty for plain text, or b64.
	Encoding string `json:"encoding"`
	// Data in that encoding.
	Data string `json:"data"`
}

// FileContentImageRef takes content from a container image.
type FileContentImageRef struct {
	// Image is the image.
	Image string `json:"image"`
	// FilePathInImage is the file in the image.
	FilePathInImage string `json:"filePathInImage"`
}

// InPlaceUpdates asks for updates in place.
type InPlaceUpdates struct {
	// OperatingSystemVersion is the version wanted.
	OperatingSystemVersion string `json:"operatingSystemVersion"`
	// KubeletVersion is the kubelet's version wanted.
	KubeletVersion string `json:"kubelet"`
	// CredentialsRotation describes rotations.
	// +optional
	CredentialsRotation *CredentialsRotation `json:"credentialsRotation,omitempty"`
}

// CredentialsRotation describes rotations.
type CredentialsRotation struct {
	// CertificateAuthorities is the rotation of the CAs.
	// +optional
	CertificateAuthorities *CARotation `json:"certificateAuthorities,omitempty"`
	// ServiceAccountKey is the rotation of the service account key.
	// +optional
	ServiceAccountKey *ServiceAccountKeyRotation `json:"serviceAccountKey,omitempty"`
}

// CARotation is the rotation of the CAs.
type CARotation struct {
	// LastInitiationTime is when it was requested.
	// +optional
	LastInitiationTime *metav1.Time `json:"lastInitiationTime,omitempty"`
}

// ServiceAccountKeyRotation is the rotation of the service account key.
type ServiceAccountKeyRotation struct {
	// LastInitiationTime is when it was requested.
	// +optional
	LastInitiationTime *metav1.Time `json:"lastInitiationTime,omitempty"`
}

// InPlaceUpdatesStatus says how to update in place.
type InPlaceUpdatesStatus struct {
	// OSUpdate says how to update the operating system.
	// +optional
	OSUpdate *OSUpdate `json:"osUpdate,omitempty"`
}

// OSUpdate says how to update the operating system.
type OSUpdate struct {
	// Command is what to run.
	Command string `json:"command"`
	// Args of the command.
	// +optional
	// +listType=atomic
	Args []string `json:"args,omitempty"`
}
