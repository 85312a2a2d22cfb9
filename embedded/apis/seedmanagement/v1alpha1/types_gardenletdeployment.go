package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
)

// GardenletDeployment configures the Deployment of a gardenlet.
type GardenletDeployment struct {
	// ReplicaCount is the number of replicas; 2 by default.
	ReplicaCount *int32 `json:"replicaCount,omitempty" protobuf:"varint,1,opt,name=replicaCount"`

	// RevisionHistoryLimit is how many old revisions are kept; 2 by default.
	RevisionHistoryLimit *int32 `json:"revisionHistoryLimit,omitempty" protobuf:"varint,2,opt,name=revisionHistoryLimit"`

	// ServiceAccountName is the service account; gardenlet by default.
	ServiceAccountName *string `json:"serviceAccountName,omitempty" protobuf:"bytes,3,opt,name=serviceAccountName"`

	// Image is the container image.
	Image *Image `json:"image,omitempty" protobuf:"bytes,4,opt,name=image"`

	// Resources are requests and limits.
	Resources *corev1.ResourceRequirements `json:"resources,omitempty" protobuf:"bytes,5,opt,name=resources"`

	// PodLabels are put on the pods.
	PodLabels map[string]string `json:"podLabels,omitempty" protobuf:"bytes,6,rep,name=podLabels"`

	// PodAnnotations are put on the pods.
	PodAnnotations map[string]string `json:"podAnnotations,omitempty" protobuf:"bytes,7,rep,name=podAnnotations"`

	// AdditionalVolumes are further volumes.
	// +listType=atomic
	AdditionalVolumes []corev1.Volume `json:"additionalVolumes,omitempty" protobuf:"bytes,8,rep,name=additionalVolumes"`

	// AdditionalVolumeMounts mount the further volumes.
	// +listType=atomic
	AdditionalVolumeMounts []corev1.VolumeMount `json:"additionalVolumeMounts,omitempty" protobuf:"bytes,9,rep,name=additionalVolumeMounts"`

	// Env are further environment variables.
	// +listType=atomic
	Env []corev1.EnvVar `json:"env,omitempty" protobuf:"bytes,10,rep,name=env"`

	// VPA scales the gardenlet vertically; a switch of older releases, true by default.
	VPA *bool `json:"vpa,omitempty" protobuf:"varint,13,opt,name=vpa"`

	// Tolerations are the tolerations of the pods.
	// +listType=atomic
	Tolerations []corev1.Toleration `json:"tolerations,omitempty" protobuf:"bytes,11,rep,name=tolerations"`

	// EnableHealthProbes lets the kubelet probe the pods; true by default.
	EnableHealthProbes *bool `json:"enableHealthProbes,omitempty" protobuf:"varint,12,opt,name=enableHealthProbes"`
}

// Image is a container image.
type Image struct {
	// Repository is the repository.
	Repository *string `json:"repository,omitempty" protobuf:"bytes,1,opt,name=repository"`

	// Tag is the tag.
	Tag *string `json:"tag,omitempty" protobuf:"bytes,2,opt,name=tag"`

	// PullPolicy says when the image is pulled; Always by default for the tag latest, else IfNotPresent.
	PullPolicy *corev1.PullPolicy `json:"pullPolicy,omitempty" protobuf:"bytes,3,opt,name=pullPolicy"`

	// Ref is the full reference; excludes repository and tag.
	Ref *string `json:"ref,omitempty" protobuf:"bytes,4,opt,name=ref"`
}
