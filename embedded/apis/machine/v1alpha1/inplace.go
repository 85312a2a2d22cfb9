package v1alpha1

import corev1 "k8s.io/api/core/v1"

// Names on nodes and machines that are updated in place.
const (
	// NodeInPlaceUpdate is the condition of a node that says how far its update in place is, by its reason.
	NodeInPlaceUpdate corev1.NodeConditionType = "InPlaceUpdate"

	// CandidateForUpdateLabel is on nodes and machines that have yet to be updated in place.
	CandidateForUpdateLabel = "node.machine.sapcloud.io/candidate-for-update"
	// SelectedForUpdateLabel is on candidates to be updated now. Who picks the machines depends on the OrchestrationType: a user
	// sets the label of the node.
	SelectedForUpdateLabel = "node.machine.sapcloud.io/selected-for-update"
	// UpdateResultLabel is on nodes and holds the result of the update: UpdateSuccessful or UpdateFailed.
	UpdateResultLabel = "node.machine.sapcloud.io/update-result"
	// UpdateSuccessful is a value of UpdateResultLabel.
	UpdateSuccessful = "successful"
	// UpdateFailed is a value of UpdateResultLabel.
	UpdateFailed = "failed"
	// UpdateFailedReasonAnnotation is on nodes and says why the update has failed.
	UpdateFailedReasonAnnotation = "node.machine.sapcloud.io/update-failed-reason"

	// UpdateClassAnnotation is on candidates and names the MachineClass that they are to have.
	UpdateClassAnnotation = "machine.local.gardener.cloud/update-class"
	// UpdatedClassAnnotation is on candidates and names the MachineClass to which they have been updated.
	UpdatedClassAnnotation = "machine.local.gardener.cloud/updated-class"
	// UpdateSetAnnotation is on candidates and names the MachineSet that they will belong to.
	UpdateSetAnnotation = "machine.local.gardener.cloud/update-set"
	// SucceededByAnnotation is on MachineSets whose machines move to another MachineSet, which it names. Such a set makes no machine.
	SucceededByAnnotation = "machine.local.gardener.cloud/succeeded-by"
)

// Reasons of NodeInPlaceUpdate.
const (
	ReasonCandidateForUpdate = "CandidateForUpdate"
	ReasonSelectedForUpdate  = "SelectedForUpdate"
	ReasonDrainSuccessful    = "DrainSuccessful"
	ReasonReadyForUpdate     = "ReadyForUpdate"
	ReasonUpdateSuccessful   = "UpdateSuccessful"
	ReasonUpdateFailed       = "UpdateFailed"
)
