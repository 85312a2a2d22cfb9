package v1beta1

import (
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// ErrorCode is a machine-readable class of an error; clients use it to tell user mistakes from problems of the
// landscape.
type ErrorCode string

const (
	// ErrorInfraUnauthenticated says that the infrastructure refused the credentials.
	ErrorInfraUnauthenticated ErrorCode = "ERR_INFRA_UNAUTHENTICATED"
	// ErrorInfraUnauthorized says that the credentials lack a permission.
	ErrorInfraUnauthorized ErrorCode = "ERR_INFRA_UNAUTHORIZED"
	// ErrorInfraInsufficientPrivileges is the code that older releases used for ErrorInfraUnauthorized.
	ErrorInfraInsufficientPrivileges ErrorCode = "ERR_INFRA_INSUFFICIENT_PRIVILEGES"
	// ErrorInfraQuotaExceeded says that a quota of the infrastructure account is used up.
	ErrorInfraQuotaExceeded ErrorCode = "ERR_INFRA_QUOTA_EXCEEDED"
	// ErrorInfraRateLimitsExceeded says that the infrastructure API throttles the requests.
	ErrorInfraRateLimitsExceeded ErrorCode = "ERR_INFRA_RATE_LIMITS_EXCEEDED"
	// ErrorInfraDependencies says that other infrastructure objects are in the way.
	ErrorInfraDependencies ErrorCode = "ERR_INFRA_DEPENDENCIES"
	// ErrorRetryableInfraDependencies is ErrorInfraDependencies where waiting may help.
	ErrorRetryableInfraDependencies ErrorCode = "ERR_RETRYABLE_INFRA_DEPENDENCIES"
	// ErrorInfraResourcesDepleted says that the infrastructure has no capacity left.
	ErrorInfraResourcesDepleted ErrorCode = "ERR_INFRA_RESOURCES_DEPLETED"
	// ErrorCleanupClusterResources says that objects in the cluster are stuck in deletion.
	ErrorCleanupClusterResources ErrorCode = "ERR_CLEANUP_CLUSTER_RESOURCES"
	// ErrorConfigurationProblem says that the configuration given by the user is wrong.
	ErrorConfigurationProblem ErrorCode = "ERR_CONFIGURATION_PROBLEM"
	// ErrorRetryableConfigurationProblem is ErrorConfigurationProblem that may heal by itself.
	ErrorRetryableConfigurationProblem ErrorCode = "ERR_RETRYABLE_CONFIGURATION_PROBLEM"
	// ErrorProblematicWebhook says that a webhook in the cluster can block Gardener.
	ErrorProblematicWebhook ErrorCode = "ERR_PROBLEMATIC_WEBHOOK"
)

// ConditionType is the name of a condition.
type ConditionType string

// ConditionStatus is the value of a condition.
type ConditionStatus string

const (
	// ConditionTrue means that the condition holds.
	ConditionTrue ConditionStatus = "True"
	// ConditionFalse means that the condition does not hold.
	ConditionFalse ConditionStatus = "False"
	// ConditionUnknown means that the state could not be found out.
	ConditionUnknown ConditionStatus = "Unknown"
	// ConditionProgressing means that the condition held lately and gets some time to hold again.
	ConditionProgressing ConditionStatus = "Progressing"
)

// Condition is one observed aspect of an object.
type Condition struct {
	// Type names the aspect.
	Type ConditionType `json:"type" protobuf:"bytes,1,opt,name=type"`

	// Status is True, False, Unknown or Progressing.
	Status ConditionStatus `json:"status" protobuf:"bytes,2,opt,name=status"`

	// LastTransitionTime is the time of the last change of the status.
	LastTransitionTime metav1.Time `json:"lastTransitionTime" protobuf:"bytes,3,opt,name=lastTransitionTime"`

	// LastUpdateTime is the time of the last change of any field.
	LastUpdateTime metav1.Time `json:"lastUpdateTime" protobuf:"bytes,4,opt,name=lastUpdateTime"`

	// Reason is a CamelCase word for machines that explains the status.
	Reason string `json:"reason" protobuf:"bytes,5,opt,name=reason"`

	// Message explains the status to a human.
	Message string `json:"message" protobuf:"bytes,6,opt,name=message"`

	// Codes classify the error behind the status.
	// +listType=atomic
	Codes []ErrorCode `json:"codes,omitempty" protobuf:"bytes,7,rep,name=codes"`
}

// Reasons of events about scheduling.
const (
	// EventSchedulingSuccessful is the reason of the event that a seed was chosen.
	EventSchedulingSuccessful = "SchedulingSuccessful"
	// EventSchedulingFailed is the reason of the event that no seed could be chosen.
	EventSchedulingFailed = "SchedulingFailed"
)

// LastError is an error of the last operation.
type LastError struct {
	// Description says what went wrong.
	Description string `json:"description" protobuf:"bytes,1,opt,name=description"`

	// TaskID is the name of the flow task that failed.
	TaskID *string `json:"taskID,omitempty" protobuf:"bytes,2,opt,name=taskID"`

	// Codes classify the error.
	// +listType=atomic
	Codes []ErrorCode `json:"codes,omitempty" protobuf:"bytes,3,rep,name=codes"`

	// LastUpdateTime is when the error was last seen.
	LastUpdateTime *metav1.Time `json:"lastUpdateTime,omitempty" protobuf:"bytes,4,opt,name=lastUpdateTime"`
}

// LastOperationType is what an operation does with an object.
type LastOperationType string

const (
	// LastOperationTypeCreate is the first reconciliation of a new object.
	LastOperationTypeCreate LastOperationType = "Create"
	// LastOperationTypeReconcile is any later reconciliation.
	LastOperationTypeReconcile LastOperationType = "Reconcile"
	// LastOperationTypeDelete is the deletion.
	LastOperationTypeDelete LastOperationType = "Delete"
	// LastOperationTypeMigrate prepares the move of a control plane away from its seed.
	LastOperationTypeMigrate LastOperationType = "Migrate"
	// LastOperationTypeRestore finishes the move of a control plane on its new seed.
	LastOperationTypeRestore LastOperationType = "Restore"
	// LastOperationTypeLiveMigrate moves a control plane while it keeps serving.
	LastOperationTypeLiveMigrate LastOperationType = "LiveMigrate"
)

// LastOperationState is how far an operation came.
type LastOperationState string

const (
	// LastOperationStateProcessing means that the operation runs.
	LastOperationStateProcessing LastOperationState = "Processing"
	// LastOperationStateSucceeded means that the operation ended well.
	LastOperationStateSucceeded LastOperationState = "Succeeded"
	// LastOperationStateError means that the last attempt failed and another one follows.
	LastOperationStateError LastOperationState = "Error"
	// LastOperationStateFailed means that the operation has failed and is not retried; a user or operator has to start it again.
	LastOperationStateFailed LastOperationState = "Failed"
	// LastOperationStatePending means that the operation waits for something before it can begin.
	LastOperationStatePending LastOperationState = "Pending"
	// LastOperationStateAborted means that the operation was cancelled.
	LastOperationStateAborted LastOperationState = "Aborted"
)

// LastOperation describes the latest operation on an object.
type LastOperation struct {
	// Description tells people what is going on.
	Description string `json:"description" protobuf:"bytes,1,opt,name=description"`

	// LastUpdateTime is the time of the last change.
	LastUpdateTime metav1.Time `json:"lastUpdateTime" protobuf:"bytes,2,opt,name=lastUpdateTime"`

	// Progress is the completed part in percent, 0 to 100.
	Progress int32 `json:"progress" protobuf:"varint,3,opt,name=progress"`

	// State is how far the operation came.
	State LastOperationState `json:"state" protobuf:"bytes,4,opt,name=state"`

	// Type is what the operation does.
	Type LastOperationType `json:"type" protobuf:"bytes,5,opt,name=type"`
}

// Gardener identifies the Gardener component that acted on an object.
type Gardener struct {
	// ID is the identity of the acting instance.
	ID string `json:"id" protobuf:"bytes,1,opt,name=id"`

	// Name is the name of the acting instance.
	Name string `json:"name" protobuf:"bytes,2,opt,name=name"`

	// Version is the version of the acting instance.
	Version string `json:"version" protobuf:"bytes,3,opt,name=version"`
}

// Extension asks for an extension of some type.
type Extension struct {
	// Type is the type of the extension.
	Type string `json:"type" protobuf:"bytes,1,opt,name=type"`

	// ProviderConfig is configuration in a format that the extension defines.
	ProviderConfig *runtime.RawExtension `json:"providerConfig,omitempty" protobuf:"bytes,2,opt,name=providerConfig"`

	// Disabled opts out of an extension that is enabled for everybody.
	Disabled *bool `json:"disabled,omitempty" protobuf:"varint,3,opt,name=disabled"`
}

// NamedResourceReference gives a name to a reference, so that extension configuration can use the name.
type NamedResourceReference struct {
	// Name is the name of the reference.
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`

	// ResourceRef is kind, name and version of an object in the same namespace.
	ResourceRef autoscalingv1.CrossVersionObjectReference `json:"resourceRef" protobuf:"bytes,2,opt,name=resourceRef"`
}

// Toleration tolerates seed taints of a key, or of a key and a value.
type Toleration struct {
	// Key is the key of the tolerated taint.
	Key string `json:"key" protobuf:"bytes,1,opt,name=key"`

	// Value is the value of the tolerated taint; without it every value is tolerated.
	Value *string `json:"value,omitempty" protobuf:"bytes,2,opt,name=value"`
}

// SeedSelector selects seeds by labels and provider types.
type SeedSelector struct {
	// LabelSelector selects seeds by their labels.
	metav1.LabelSelector `json:",inline" protobuf:"bytes,1,opt,name=labelSelector"`

	// ProviderTypes are the accepted provider types; "*" accepts all.
	// +listType=atomic
	ProviderTypes []string `json:"providerTypes,omitempty" protobuf:"bytes,2,rep,name=providerTypes"`
}

// AccessRestriction names a restriction of who or what may have access to a region or seed.
type AccessRestriction struct {
	// Name is the name of the restriction, for example eu-access-only.
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`
}

// AccessRestrictionWithOptions is an access restriction with settings.
type AccessRestrictionWithOptions struct {
	// AccessRestriction names the restriction.
	AccessRestriction `json:",inline" protobuf:"bytes,1,opt,name=accessRestriction"`

	// Options are settings of the restriction.
	Options map[string]string `json:"options,omitempty" protobuf:"bytes,2,rep,name=options"`
}

// IPFamily is a version of the Internet protocol.
type IPFamily string

const (
	// IPFamilyIPv4 is Internet protocol version 4.
	IPFamilyIPv4 IPFamily = "IPv4"
	// IPFamilyIPv6 is Internet protocol version 6.
	IPFamilyIPv6 IPFamily = "IPv6"
)

// HighAvailability asks for a control plane that survives failures.
type HighAvailability struct {
	// FailureTolerance says which failures a control plane must survive.
	FailureTolerance FailureTolerance `json:"failureTolerance" protobuf:"bytes,1,opt,name=failureTolerance"`
}

// FailureTolerance says which failures a control plane survives.
type FailureTolerance struct {
	// Type is node or zone.
	Type FailureToleranceType `json:"type" protobuf:"bytes,1,opt,name=type"`
}

// FailureToleranceType is the kind of failure a control plane survives.
type FailureToleranceType string

const (
	// FailureToleranceTypeNode survives the loss of a node.
	FailureToleranceTypeNode FailureToleranceType = "node"
	// FailureToleranceTypeZone survives the loss of a zone.
	FailureToleranceTypeZone FailureToleranceType = "zone"
)

// Backup says where backups of etcd are kept.
type Backup struct {
	// Provider is the provider type of the object store; it cannot be changed.
	Provider string `json:"provider" protobuf:"bytes,1,opt,name=provider"`

	// ProviderConfig is provider-specific configuration of the object store.
	ProviderConfig *runtime.RawExtension `json:"providerConfig,omitempty" protobuf:"bytes,2,opt,name=providerConfig"`

	// Region is the region of the object store; required if the provider differs from the seed's; it cannot be changed then.
	Region *string `json:"region,omitempty" protobuf:"bytes,3,opt,name=region"`

	// SecretRef refers to the Secret with the credentials; kept equal to credentialsRef.
	SecretRef corev1.SecretReference `json:"secretRef,omitempty" protobuf:"bytes,4,opt,name=secretRef"`

	// CredentialsRef refers to the Secret or WorkloadIdentity with the credentials.
	CredentialsRef *corev1.ObjectReference `json:"credentialsRef,omitempty" protobuf:"bytes,5,opt,name=credentialsRef"`
}
