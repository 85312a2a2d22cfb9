// Package graph keeps which objects of the garden belong to which seeds. An edge leads from an object to the object that
// needs it: from a Secret to the binding that names it, from the binding to the Shoot, from the Shoot to its Seed. A seed
// may read what a path leads to it from.
//
// The package knows no API types and no rules. Package dependency makes the edges, and package seedauthorizer decides.
package graph

// Kind is the kind of a vertex. Kinds of different groups have different names.
type Kind string

// The kinds that edges lead from or to.
const (
	BackupBucket              Kind = "BackupBucket"
	BackupEntry               Kind = "BackupEntry"
	Bastion                   Kind = "Bastion"
	BootstrapToken            Kind = "BootstrapToken" // is a Secret in namespace kube-system, and has the ID as its name
	CertificateSigningRequest Kind = "CertificateSigningRequest"
	CloudProfile              Kind = "CloudProfile"
	ClusterRoleBinding        Kind = "ClusterRoleBinding"
	ConfigMap                 Kind = "ConfigMap"
	ControllerInstallation    Kind = "ControllerInstallation"
	ControllerDeployment      Kind = "ControllerDeployment"
	CredentialsBinding        Kind = "CredentialsBinding"
	ExposureClass             Kind = "ExposureClass"
	Gardenlet                 Kind = "Gardenlet"
	InternalSecret            Kind = "InternalSecret"
	ManagedSeed               Kind = "ManagedSeed"
	Namespace                 Kind = "Namespace"
	NamespacedCloudProfile    Kind = "NamespacedCloudProfile"
	Project                   Kind = "Project"
	Secret                    Kind = "Secret"
	SecretBinding             Kind = "SecretBinding"
	Seed                      Kind = "Seed"
	ServiceAccount            Kind = "ServiceAccount"
	Shoot                     Kind = "Shoot"
	WorkloadIdentity          Kind = "WorkloadIdentity"
)

// Vertex is an object. It need not exist.
type Vertex struct {
	Kind            Kind
	Namespace, Name string // Namespace is empty for kinds without namespaces
}

// String is the vertex for people: Shoot:garden-a/b.
func (v Vertex) String() string {
	if v.Namespace == "" {
		return string(v.Kind) + ":" + v.Name
	}
	return string(v.Kind) + ":" + v.Namespace + "/" + v.Name
}

// Edge says that To needs From.
type Edge struct{ From, To Vertex }
