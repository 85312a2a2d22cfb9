package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// ShootStatus is the observed state of a Shoot.
type ShootStatus struct {
	// Conditions tell how well the cluster works.
	// +patchMergeKey=type
	// +patchStrategy=merge
	// +listType=map
	// +listMapKey=type
	Conditions []Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,1,rep,name=conditions"`

	// Constraints tell which operations are currently possible.
	// +patchMergeKey=type
	// +patchStrategy=merge
	// +listType=map
	// +listMapKey=type
	Constraints []Condition `json:"constraints,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,2,rep,name=constraints"`

	// Gardener is the gardenlet that acted last.
	Gardener Gardener `json:"gardener" protobuf:"bytes,3,opt,name=gardener"`

	// IsHibernated is true while the cluster sleeps.
	IsHibernated bool `json:"hibernated" protobuf:"varint,4,opt,name=hibernated"`

	// LastOperation describes the latest operation on the cluster.
	LastOperation *LastOperation `json:"lastOperation,omitempty" protobuf:"bytes,5,opt,name=lastOperation"`

	// LastErrors are the errors of the latest operation, one per failed task.
	// +listType=atomic
	LastErrors []LastError `json:"lastErrors,omitempty" protobuf:"bytes,6,rep,name=lastErrors"`

	// ObservedGeneration is the generation that was last acted upon.
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,7,opt,name=observedGeneration"`

	// RetryCycleStartTime is when the current attempts began; after the retry duration the operation fails.
	RetryCycleStartTime *metav1.Time `json:"retryCycleStartTime,omitempty" protobuf:"bytes,8,opt,name=retryCycleStartTime"`

	// SeedName is the seed that hosts the control plane in fact.
	SeedName *string `json:"seedName,omitempty" protobuf:"bytes,9,opt,name=seedName"`

	// TechnicalID is the name of the control plane's namespace in the seed; it never changes.
	TechnicalID string `json:"technicalID" protobuf:"bytes,10,opt,name=technicalID"`

	// UID identifies the cluster; it never changes.
	UID types.UID `json:"uid" protobuf:"bytes,11,opt,name=uid"`

	// ClusterIdentity identifies the cluster over all landscapes; it never changes.
	ClusterIdentity *string `json:"clusterIdentity,omitempty" protobuf:"bytes,12,opt,name=clusterIdentity"`

	// AdvertisedAddresses are the addresses of the API server and other endpoints.
	// +patchMergeKey=name
	// +patchStrategy=merge
	// +listType=map
	// +listMapKey=name
	AdvertisedAddresses []ShootAdvertisedAddress `json:"advertisedAddresses,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,13,rep,name=advertisedAddresses"`

	// MigrationStartTime is when a move to another seed began.
	MigrationStartTime *metav1.Time `json:"migrationStartTime,omitempty" protobuf:"bytes,14,opt,name=migrationStartTime"`

	// Credentials describes the rotation of credentials.
	Credentials *ShootCredentials `json:"credentials,omitempty" protobuf:"bytes,15,opt,name=credentials"`

	// LastHibernationTriggerTime is when a schedule last toggled hibernation.
	LastHibernationTriggerTime *metav1.Time `json:"lastHibernationTriggerTime,omitempty" protobuf:"bytes,16,opt,name=lastHibernationTriggerTime"`

	// LastMaintenance describes the latest maintenance.
	LastMaintenance *LastMaintenance `json:"lastMaintenance,omitempty" protobuf:"bytes,17,opt,name=lastMaintenance"`

	// Networking holds the address ranges in use.
	Networking *NetworkingStatus `json:"networking,omitempty" protobuf:"bytes,19,opt,name=networking"`

	// InPlaceUpdates lists worker pools that wait for an update in place.
	InPlaceUpdates *InPlaceUpdatesStatus `json:"inPlaceUpdates,omitempty" protobuf:"bytes,20,opt,name=inPlaceUpdates"`

	// ManualWorkerPoolRollout lists worker pools whose rollout must be started by hand.
	ManualWorkerPoolRollout *ManualWorkerPoolRollout `json:"manualWorkerPoolRollout,omitempty" protobuf:"bytes,21,opt,name=manualWorkerPoolRollout"`

	// LiveMigration describes a move of the control plane that keeps it serving.
	LiveMigration *LiveMigrationStatus `json:"liveMigration,omitempty" protobuf:"bytes,22,opt,name=liveMigration"`
}

// Conditions of a Shoot.
const (
	// ShootAPIServerAvailable says whether the API server answers.
	ShootAPIServerAvailable ConditionType = "APIServerAvailable"
	// ShootControlPlaneHealthy says whether the control plane components run.
	ShootControlPlaneHealthy ConditionType = "ControlPlaneHealthy"
	// ShootObservabilityComponentsHealthy says whether monitoring and logging run.
	ShootObservabilityComponentsHealthy ConditionType = "ObservabilityComponentsHealthy"
	// ShootEveryNodeReady says whether all expected nodes exist and are ready.
	ShootEveryNodeReady ConditionType = "EveryNodeReady"
	// ShootSystemComponentsHealthy says whether Gardener's components inside the cluster run.
	ShootSystemComponentsHealthy ConditionType = "SystemComponentsHealthy"
)

// Constraints of a Shoot.
const (
	// ShootHibernationPossible says whether the cluster can be hibernated.
	ShootHibernationPossible ConditionType = "HibernationPossible"
	// ShootMaintenancePreconditionsSatisfied says whether the preconditions of maintenance are met.
	ShootMaintenancePreconditionsSatisfied ConditionType = "MaintenancePreconditionsSatisfied"
	// ShootCACertificateValiditiesAcceptable is False while a certificate authority ends soon.
	ShootCACertificateValiditiesAcceptable ConditionType = "CACertificateValiditiesAcceptable"
	// ShootCRDsWithProblematicConversionWebhooks is False while stored versions depend on a conversion webhook.
	ShootCRDsWithProblematicConversionWebhooks ConditionType = "CRDsWithProblematicConversionWebhooks"
	// ShootReadyForMigration says whether the control plane may move to another seed.
	ShootReadyForMigration ConditionType = "ReadyForMigration"
	// ShootManualInPlaceWorkersUpdated is False while pools wait for an update by hand.
	ShootManualInPlaceWorkersUpdated ConditionType = "ManualInPlaceWorkersUpdated"
	// ShootDualStackNodesMigrationReady says whether all nodes have addresses of both families.
	ShootDualStackNodesMigrationReady ConditionType = "DualStackNodesMigrationReady"
	// ShootDNSServiceMigrationReady says whether the DNS service has addresses of both families.
	ShootDNSServiceMigrationReady ConditionType = "DNSServiceMigrationReady"
	// ShootUsesUnifiedHTTPProxyPort says whether the cluster uses the common proxy port.
	ShootUsesUnifiedHTTPProxyPort ConditionType = "UsesUnifiedHTTPProxyPort"
	// ShootHasIgnoredManagedResources says whether some ManagedResources are not reconciled.
	ShootHasIgnoredManagedResources ConditionType = "HasIgnoredManagedResources"
	// ShootPreservedFailedMachinesAbsent is False while failed machines are kept.
	ShootPreservedFailedMachinesAbsent ConditionType = "PreservedFailedMachinesAbsent"
	// ShootAutomaticCredentialsRotationPossible says whether credentials can be automatically rotated.
	ShootAutomaticCredentialsRotationPossible ConditionType = "AutomaticCredentialsRotationPossible"
)

// ShootAdvertisedAddress is an address of the API server or another endpoint of a cluster.
type ShootAdvertisedAddress struct {
	// Name is the name of the address, for example external or internal.
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`

	// URL is the address as https URL.
	URL string `json:"url" protobuf:"bytes,2,opt,name=url"`

	// Application is the application that serves the address.
	Application *string `json:"application,omitempty" protobuf:"bytes,3,opt,name=application"`
}

// LastMaintenance describes the latest maintenance of a cluster.
type LastMaintenance struct {
	// Description says what maintenance did.
	Description string `json:"description" protobuf:"bytes,1,opt,name=description"`

	// TriggeredTime is when it began.
	TriggeredTime metav1.Time `json:"triggeredTime" protobuf:"bytes,2,opt,name=triggeredTime"`

	// State is Processing, Succeeded, Error or Failed.
	State LastOperationState `json:"state" protobuf:"bytes,3,opt,name=state"`

	// FailureReason says why it failed.
	FailureReason *string `json:"failureReason,omitempty" protobuf:"bytes,4,opt,name=failureReason"`
}

// NetworkingStatus holds the address ranges in use.
type NetworkingStatus struct {
	// Pods are the ranges of the pods.
	// +listType=atomic
	Pods []string `json:"pods,omitempty" protobuf:"bytes,1,rep,name=pods"`

	// Nodes are the ranges of the nodes.
	// +listType=atomic
	Nodes []string `json:"nodes,omitempty" protobuf:"bytes,2,rep,name=nodes"`

	// Services are the ranges of the services.
	// +listType=atomic
	Services []string `json:"services,omitempty" protobuf:"bytes,3,rep,name=services"`

	// EgressCIDRs are the addresses from which traffic leaves the cluster.
	// +listType=atomic
	EgressCIDRs []string `json:"egressCIDRs,omitempty" protobuf:"bytes,4,rep,name=egressCIDRs"`
}

// InPlaceUpdatesStatus lists worker pools that wait for an update in place.
type InPlaceUpdatesStatus struct {
	// PendingWorkerUpdates are the waiting pools by strategy.
	PendingWorkerUpdates *PendingWorkerUpdates `json:"pendingWorkerUpdates,omitempty" protobuf:"bytes,1,opt,name=pendingWorkerUpdates"`
}

// PendingWorkerUpdates are worker pools that wait for an update in place, by strategy.
type PendingWorkerUpdates struct {
	// AutoInPlaceUpdate are pools that will be updated without help.
	// +listType=atomic
	AutoInPlaceUpdate []string `json:"autoInPlaceUpdate,omitempty" protobuf:"bytes,1,rep,name=autoInPlaceUpdate"`

	// ManualInPlaceUpdate are pools whose update waits for a user.
	// +listType=atomic
	ManualInPlaceUpdate []string `json:"manualInPlaceUpdate,omitempty" protobuf:"bytes,2,rep,name=manualInPlaceUpdate"`
}

// PendingWorkersRollout is a worker pool that still has to be rolled.
type PendingWorkersRollout struct {
	// Name is the name of the pool.
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`

	// LastInitiationTime is when the pool was last rolled.
	LastInitiationTime *metav1.Time `json:"lastInitiationTime,omitempty" protobuf:"bytes,2,opt,name=lastInitiationTime"`
}

// ManualWorkerPoolRollout lists worker pools whose rollout must be started by hand.
type ManualWorkerPoolRollout struct {
	// PendingWorkersRollouts are the waiting pools.
	// +listType=map
	// +listMapKey=name
	PendingWorkersRollouts []PendingWorkersRollout `json:"pendingWorkersRollouts,omitempty" protobuf:"bytes,1,rep,name=pendingWorkersRollouts"`
}

// LiveMigrationStatus describes a move of the control plane that keeps it serving.
type LiveMigrationStatus struct {
	// Conditions tell which steps of the move are done.
	// +patchMergeKey=type
	// +patchStrategy=merge
	// +listType=map
	// +listMapKey=type
	Conditions []Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,1,rep,name=conditions"`
}
