package v1alpha1

// MachinePhase is where a machine is in its life.
type MachinePhase string

// Phases of a machine; the empty phase is that of a machine nobody looked at yet.
const (
	// MachinePending machines were requested and have not become ready nodes yet.
	MachinePending MachinePhase = "Pending"
	// MachineAvailable machines exist at the provider and are no nodes yet.
	MachineAvailable MachinePhase = "Available"
	// MachineRunning machines are healthy nodes.
	MachineRunning MachinePhase = "Running"
	// MachineTerminating machines are being deleted.
	MachineTerminating MachinePhase = "Terminating"
	// MachineUnknown machines are unhealthy nodes within their health timeout.
	MachineUnknown MachinePhase = "Unknown"
	// MachineFailed machines are beyond hope and are replaced by their MachineSet.
	MachineFailed MachinePhase = "Failed"
	// MachineCrashLoopBackOff machines could not be created and are tried again.
	MachineCrashLoopBackOff MachinePhase = "CrashLoopBackOff"
	// MachineInPlaceUpdating machines are drained and updated where they are.
	MachineInPlaceUpdating MachinePhase = "InPlaceUpdating"
	// MachineInPlaceUpdateSuccessful machines are updated and have yet to move to the MachineSet of the new template.
	MachineInPlaceUpdateSuccessful MachinePhase = "InPlaceUpdateSuccessful"
	// MachineInPlaceUpdateFailed machines could not be updated where they are, and wait for a person.
	MachineInPlaceUpdateFailed MachinePhase = "InPlaceUpdateFailed"
)

// MachineState is how far an operation got.
type MachineState string

// States of an operation.
const (
	MachineStateProcessing MachineState = "Processing"
	MachineStateFailed     MachineState = "Failed"
	MachineStateSuccessful MachineState = "Successful"
)

// MachineOperationType is the type of an operation on a machine.
type MachineOperationType string

// Operations on a machine.
const (
	MachineOperationCreate      MachineOperationType = "Create"
	MachineOperationUpdate      MachineOperationType = "Update"
	MachineOperationHealthCheck MachineOperationType = "HealthCheck"
	MachineOperationDelete      MachineOperationType = "Delete"
	MachineOperationDrainNode   MachineOperationType = "DrainNode"
	// MachineOperationInPlaceUpdate updates a machine where it is.
	MachineOperationInPlaceUpdate MachineOperationType = "InPlaceUpdate"
)

const (
	// FinalizerName is on machines that may exist at the provider, and on classes.
	FinalizerName = "machine.sapcloud.io/machine-controller-manager"
	// DeleteFinalizerName is on MachineSets and MachineDeployments until their machines are gone.
	DeleteFinalizerName = "machine.sapcloud.io/machine-controller"
	// ForceDeletionLabelKey is the label of machines to be deleted without draining.
	ForceDeletionLabelKey = "force-deletion"
	// ForceDeletionLabelValue is the value of ForceDeletionLabelKey.
	ForceDeletionLabelValue = "True"
	// NodeLabelKey is the label of a machine that names its node.
	NodeLabelKey = "node"
	// MachineTemplateHashLabel separates the machines of a deployment by the template they were made from.
	MachineTemplateHashLabel = "machine-template-hash"
	// MachinePriority is the annotation with a machine's rank in scaling down; the machine with the lowest priority is removed first.
	MachinePriority = "machinepriority.machine.sapcloud.io"
	// DefaultMachinePriority is the rank of machines without the annotation.
	DefaultMachinePriority = 3
	// TriggerDeletionByMCM is the annotation of a node whose machine is to be deleted.
	TriggerDeletionByMCM = "node.machine.sapcloud.io/trigger-deletion-by-mcm"
	// LastAppliedALTAnnotation is the annotation of a node with the template last applied to it.
	LastAppliedALTAnnotation = "node.machine.sapcloud.io/last-applied-anno-labels-taints"
	// PreferNoScheduleKey is the taint of nodes whose MachineSet is being replaced.
	PreferNoScheduleKey = "deployment.machine.sapcloud.io/prefer-no-schedule"
	// RevisionAnnotation is the annotation of a MachineSet with its number in the history of its deployment.
	RevisionAnnotation = "deployment.kubernetes.io/revision"
	// ClusterAutoscalerScaleDownDisabledAnnotation keeps the autoscaler from removing a node.
	ClusterAutoscalerScaleDownDisabledAnnotation = "cluster-autoscaler.kubernetes.io/scale-down-disabled"
	// ScaleDownUtilizationThresholdAnnotation and those below are annotations of a MachineDeployment with settings of the
	// autoscaler for its machines; this one is a share, 0 to 1.
	ScaleDownUtilizationThresholdAnnotation = "autoscaler.gardener.cloud/scale-down-utilization-threshold"
	// ScaleDownGPUUtilizationThresholdAnnotation is a share, 0 to 1, of GPUs.
	ScaleDownGPUUtilizationThresholdAnnotation = "autoscaler.gardener.cloud/scale-down-gpu-utilization-threshold"
	// ScaleDownUnneededTimeAnnotation is a duration.
	ScaleDownUnneededTimeAnnotation = "autoscaler.gardener.cloud/scale-down-unneeded-time"
	// ScaleDownUnreadyTimeAnnotation is a duration.
	ScaleDownUnreadyTimeAnnotation = "autoscaler.gardener.cloud/scale-down-unready-time"
	// MaxNodeProvisionTimeAnnotation is a duration.
	MaxNodeProvisionTimeAnnotation = "autoscaler.gardener.cloud/max-node-provision-time"
)
