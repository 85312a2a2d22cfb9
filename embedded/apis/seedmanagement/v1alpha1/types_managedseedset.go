package v1alpha1

import (
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ManagedSeedSet is a number of equal shoots that are seeds.
type ManagedSeedSet struct {
	metav1.TypeMeta `json:",inline"`

	// ObjectMeta is the standard object metadata.
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the desired state.
	Spec ManagedSeedSetSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`

	// Status is the observed state.
	Status ManagedSeedSetStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ManagedSeedSetList is a list of ManagedSeedSet objects.
type ManagedSeedSetList struct {
	metav1.TypeMeta `json:",inline"`

	// ListMeta is the standard list metadata.
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the objects of the list.
	Items []ManagedSeedSet `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// ManagedSeedSetSpec is the desired state of a ManagedSeedSet.
type ManagedSeedSetSpec struct {
	// Replicas is the number of seeds; 1 by default.
	Replicas *int32 `json:"replicas,omitempty" protobuf:"varint,1,opt,name=replicas"`

	// Selector selects shoots and managed seeds of the set; it cannot be changed.
	Selector metav1.LabelSelector `json:"selector" protobuf:"bytes,2,opt,name=selector"`

	// Template is the template of the managed seeds.
	Template ManagedSeedTemplate `json:"template" protobuf:"bytes,3,opt,name=template"`

	// ShootTemplate is the template of the shoots.
	ShootTemplate gardencorev1beta1.ShootTemplate `json:"shootTemplate" protobuf:"bytes,4,opt,name=shootTemplate"`

	// UpdateStrategy is how changes reach existing replicas.
	UpdateStrategy *UpdateStrategy `json:"updateStrategy,omitempty" protobuf:"bytes,5,opt,name=updateStrategy"`

	// RevisionHistoryLimit is how many old revisions are kept; 10 by default, and fixed.
	RevisionHistoryLimit *int32 `json:"revisionHistoryLimit,omitempty" protobuf:"varint,6,opt,name=revisionHistoryLimit"`
}

// UpdateStrategy is how changes reach existing replicas.
type UpdateStrategy struct {
	// Type is the strategy; RollingUpdate by default.
	Type *UpdateStrategyType `json:"type,omitempty" protobuf:"bytes,1,opt,name=type"`

	// RollingUpdate configures the rolling update.
	RollingUpdate *RollingUpdateStrategy `json:"rollingUpdate,omitempty" protobuf:"bytes,2,opt,name=rollingUpdate"`
}

// UpdateStrategyType is how changes reach existing replicas.
type UpdateStrategyType string

const (
	// RollingUpdateStrategyType updates one replica after the other.
	RollingUpdateStrategyType UpdateStrategyType = "RollingUpdate"
)

// RollingUpdateStrategy configures a rolling update.
type RollingUpdateStrategy struct {
	// Partition is the ordinal below which replicas are left alone; 0 by default.
	Partition *int32 `json:"partition,omitempty" protobuf:"varint,1,opt,name=partition"`
}

// ManagedSeedSetStatus is the observed state of a ManagedSeedSet.
type ManagedSeedSetStatus struct {
	// ObservedGeneration is the generation that was last acted upon.
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,1,opt,name=observedGeneration"`

	// Replicas is the number of replicas.
	Replicas int32 `json:"replicas" protobuf:"varint,2,opt,name=replicas"`

	// ReadyReplicas is the number of ready replicas.
	ReadyReplicas int32 `json:"readyReplicas,omitempty" protobuf:"varint,3,opt,name=readyReplicas"`

	// NextReplicaNumber is the ordinal of the next replica; it never decreases.
	NextReplicaNumber int32 `json:"nextReplicaNumber,omitempty" protobuf:"varint,4,opt,name=nextReplicaNumber"`

	// CurrentReplicas is the number of replicas of the current revision.
	CurrentReplicas int32 `json:"currentReplicas,omitempty" protobuf:"varint,5,opt,name=currentReplicas"`

	// UpdatedReplicas is the number of replicas of the new revision.
	UpdatedReplicas int32 `json:"updatedReplicas,omitempty" protobuf:"varint,6,opt,name=updatedReplicas"`

	// CurrentRevision is the current revision.
	CurrentRevision string `json:"currentRevision,omitempty" protobuf:"bytes,7,opt,name=currentRevision"`

	// UpdateRevision is the new revision.
	UpdateRevision string `json:"updateRevision,omitempty" protobuf:"bytes,8,opt,name=updateRevision"`

	// CollisionCount counts collisions of revision names; it never decreases.
	CollisionCount *int32 `json:"collisionCount,omitempty" protobuf:"varint,9,opt,name=collisionCount"`

	// Conditions tell how the set is.
	// +patchMergeKey=type
	// +patchStrategy=merge
	// +listType=map
	// +listMapKey=type
	Conditions []gardencorev1beta1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,10,rep,name=conditions"`

	// PendingReplica is the replica that is being changed.
	PendingReplica *PendingReplica `json:"pendingReplica,omitempty" protobuf:"bytes,11,opt,name=pendingReplica"`
}

// PendingReplica is a replica that is being changed.
type PendingReplica struct {
	// Name is the name of the replica.
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`

	// Reason is what the replica waits for.
	Reason PendingReplicaReason `json:"reason" protobuf:"bytes,2,opt,name=reason"`

	// Since is since when it waits.
	Since metav1.Time `json:"since" protobuf:"bytes,3,opt,name=since"`

	// Retries is how often the shoot was tried again.
	Retries *int32 `json:"retries,omitempty" protobuf:"varint,4,opt,name=retries"`
}

// PendingReplicaReason is what a replica waits for.
type PendingReplicaReason string

const (
	// ShootReconcilingReason waits for the shoot to be reconciled.
	ShootReconcilingReason PendingReplicaReason = "ShootReconciling"
	// ShootDeletingReason waits for the shoot to be deleted.
	ShootDeletingReason PendingReplicaReason = "ShootDeleting"
	// ShootReconcileFailedReason waits because the shoot failed to be reconciled.
	ShootReconcileFailedReason PendingReplicaReason = "ShootReconcileFailed"
	// ShootDeleteFailedReason waits because the shoot failed to be deleted.
	ShootDeleteFailedReason PendingReplicaReason = "ShootDeleteFailed"
	// ManagedSeedPreparingReason waits for the managed seed to be registered.
	ManagedSeedPreparingReason PendingReplicaReason = "ManagedSeedPreparing"
	// ManagedSeedDeletingReason waits for the managed seed to be deleted.
	ManagedSeedDeletingReason PendingReplicaReason = "ManagedSeedDeleting"
	// SeedNotReadyReason waits for the seed to be ready.
	SeedNotReadyReason PendingReplicaReason = "SeedNotReady"
	// ShootNotHealthyReason waits for the shoot to be healthy.
	ShootNotHealthyReason PendingReplicaReason = "ShootNotHealthy"
)
