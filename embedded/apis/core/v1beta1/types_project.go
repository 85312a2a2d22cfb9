package v1beta1

import (
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// Project is a group of people with a namespace for their shoots.
type Project struct {
	metav1.TypeMeta `json:",inline"`

	// ObjectMeta is the standard object metadata.
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the desired state.
	Spec ProjectSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`

	// Status is the observed state.
	Status ProjectStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ProjectList is a list of Project objects.
type ProjectList struct {
	metav1.TypeMeta `json:",inline"`

	// ListMeta is the standard list metadata.
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the objects of the list.
	Items []Project `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// ProjectSpec is the desired state of a Project.
type ProjectSpec struct {
	// CreatedBy is the user who created the project; set by the server, and fixed.
	CreatedBy *rbacv1.Subject `json:"createdBy,omitempty" protobuf:"bytes,1,opt,name=createdBy"`

	// Description describes the project.
	Description *string `json:"description,omitempty" protobuf:"bytes,2,opt,name=description"`

	// Owner is the user who is responsible for the project.
	Owner *rbacv1.Subject `json:"owner,omitempty" protobuf:"bytes,3,opt,name=owner"`

	// Purpose says what the project is for.
	Purpose *string `json:"purpose,omitempty" protobuf:"bytes,4,opt,name=purpose"`

	// Members are people and service accounts with their roles.
	// +listType=atomic
	Members []ProjectMember `json:"members,omitempty" protobuf:"bytes,5,rep,name=members"`

	// Namespace is the namespace of the project; generated if unset, and fixed.
	Namespace *string `json:"namespace,omitempty" protobuf:"bytes,6,opt,name=namespace"`

	// Tolerations are seed taints the project's shoots tolerate or may tolerate.
	Tolerations *ProjectTolerations `json:"tolerations,omitempty" protobuf:"bytes,7,opt,name=tolerations"`

	// DualApprovalForDeletion are kinds of objects whose deletion two people must confirm.
	// +listType=atomic
	DualApprovalForDeletion []DualApprovalForDeletion `json:"dualApprovalForDeletion,omitempty" protobuf:"bytes,8,rep,name=dualApprovalForDeletion"`
}

// ProjectStatus is the observed state of a Project.
type ProjectStatus struct {
	// ObservedGeneration is the generation that was last acted upon.
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,1,opt,name=observedGeneration"`

	// Phase is the stage of the project.
	Phase ProjectPhase `json:"phase,omitempty" protobuf:"bytes,2,opt,name=phase"`

	// StaleSinceTimestamp is since when the project is unused.
	StaleSinceTimestamp *metav1.Time `json:"staleSinceTimestamp,omitempty" protobuf:"bytes,3,opt,name=staleSinceTimestamp"`

	// StaleAutoDeleteTimestamp is when the unused project will be deleted.
	StaleAutoDeleteTimestamp *metav1.Time `json:"staleAutoDeleteTimestamp,omitempty" protobuf:"bytes,4,opt,name=staleAutoDeleteTimestamp"`

	// LastActivityTimestamp is when something was last done in the project.
	LastActivityTimestamp *metav1.Time `json:"lastActivityTimestamp,omitempty" protobuf:"bytes,5,opt,name=lastActivityTimestamp"`

	// Conditions tell how the project is.
	// +patchMergeKey=type
	// +patchStrategy=merge
	// +listType=map
	// +listMapKey=type
	Conditions []Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,6,rep,name=conditions"`
}

// ProjectMember is a person, group or service account with roles.
type ProjectMember struct {
	// Subject is the person, group or service account.
	rbacv1.Subject `json:",inline" protobuf:"bytes,1,opt,name=subject"`

	// Role is the first role, in the form of older releases.
	Role string `json:"role" protobuf:"bytes,2,opt,name=role"`

	// Roles are all other roles.
	// +listType=set
	Roles []string `json:"roles,omitempty" protobuf:"bytes,3,rep,name=roles"`
}

const (
	// ProjectMemberAdmin is the role that may do everything inside a project.
	ProjectMemberAdmin = "admin"
	// ProjectMemberOwner is the role of the one person responsible for a project.
	ProjectMemberOwner = "owner"
	// ProjectMemberViewer is the role that may read everything but secrets.
	ProjectMemberViewer = "viewer"
	// ProjectMemberUserAccessManager is the role that may manage members.
	ProjectMemberUserAccessManager = "uam"
	// ProjectMemberServiceAccountManager is the role that may manage service accounts.
	ProjectMemberServiceAccountManager = "serviceaccountmanager"
	// ProjectMemberExtensionPrefix begins the names of roles that extensions define.
	ProjectMemberExtensionPrefix = "extension:"
)

// ProjectTolerations are seed taints the shoots of a project tolerate or may tolerate.
type ProjectTolerations struct {
	// Defaults are added to all new shoots.
	// +listType=atomic
	Defaults []Toleration `json:"defaults,omitempty" protobuf:"bytes,1,rep,name=defaults"`

	// Whitelist are the tolerations that shoots may have.
	// +listType=atomic
	Whitelist []Toleration `json:"whitelist,omitempty" protobuf:"bytes,2,rep,name=whitelist"`
}

// DualApprovalForDeletion is a kind of object whose deletion two people must confirm.
type DualApprovalForDeletion struct {
	// Resource is the plural name of the kind; shoots is known.
	Resource string `json:"resource" protobuf:"bytes,1,opt,name=resource"`

	// Selector selects the objects.
	Selector metav1.LabelSelector `json:"selector" protobuf:"bytes,2,opt,name=selector"`

	// IncludeServiceAccounts demands it from service accounts too; true by default.
	IncludeServiceAccounts *bool `json:"includeServiceAccounts,omitempty" protobuf:"varint,3,opt,name=includeServiceAccounts"`
}

// ProjectPhase is the stage of a project.
type ProjectPhase string

const (
	// ProjectPending means that the namespace is being made.
	ProjectPending ProjectPhase = "Pending"
	// ProjectReady means that the project can be used.
	ProjectReady ProjectPhase = "Ready"
	// ProjectFailed means that the namespace could not be made.
	ProjectFailed ProjectPhase = "Failed"
	// ProjectTerminating means that the project is being deleted.
	ProjectTerminating ProjectPhase = "Terminating"
)

const (
	// ProjectEventNamespaceReconcileFailed is the reason of the event that the namespace could not be made.
	ProjectEventNamespaceReconcileFailed = "NamespaceReconcileFailed"
	// ProjectEventNamespaceReconcileSuccessful is the reason of the event that the namespace is there.
	ProjectEventNamespaceReconcileSuccessful = "NamespaceReconcileSuccessful"
	// ProjectEventNamespaceNotEmpty is the reason of the event that shoots keep the project from being deleted.
	ProjectEventNamespaceNotEmpty = "NamespaceNotEmpty"
	// ProjectEventNamespaceDeletionFailed is the reason of the event that the namespace could not be deleted.
	ProjectEventNamespaceDeletionFailed = "NamespaceDeletionFailed"
	// ProjectEventNamespaceMarkedForDeletion is the reason of the event that the namespace is being deleted.
	ProjectEventNamespaceMarkedForDeletion = "NamespaceMarkedForDeletion"
)
