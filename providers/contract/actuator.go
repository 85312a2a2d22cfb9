package contract

import (
	"context"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Actuator makes the external resources of an extension object match the object.
//
// Every method is level-based. It may be called any number of times, also after a call that was killed halfway. It may be called
// concurrently for different objects, but never for the same one. It returns nil when all is done, Waiting when another controller
// has to finish first, and an error made by Permanent when only a change by the user can help. After any other error it is called
// again with back-off. WithCodes adds the codes that end up in status.lastError.
//
// The object is the caller's copy. An actuator writes its results into the status (providerStatus, state and the fields of its
// kind). It never writes lastOperation, lastError or observedGeneration. The caller stores the status once after the call, also
// after an error. Changes to metadata and spec are ignored. The cluster is nil for objects that belong to no Shoot, and as long as
// the Cluster object does not exist.
type Actuator[T extensionsv1alpha1.Object] interface {
	// Reconcile creates or updates the resources that the object describes.
	Reconcile(ctx context.Context, cluster *Cluster, obj T) error
	// Delete removes everything that Reconcile made. It returns nil only when nothing is left.
	Delete(ctx context.Context, cluster *Cluster, obj T) error
	// ForceDelete is Delete for an object whose owner accepts leftovers. It must not wait for anything that may never happen. It
	// removes everything that would block the deletion of the Shoot's namespace.
	ForceDelete(ctx context.Context, cluster *Cluster, obj T) error
	// Migrate releases the object for another seed. It writes the state into status.state and removes helpers inside
	// the seed. Everything else stays for Restore in the other seed.
	Migrate(ctx context.Context, cluster *Cluster, obj T) error
	// Restore takes over what another seed released, from spec and status.state. It ends like Reconcile.
	Restore(ctx context.Context, cluster *Cluster, obj T) error
}

// InfrastructureActuator makes networks, roles and the like before there is a control plane. It fills
// status.providerStatus, status.state with stable IDs, and status.nodesCIDR when the provider chooses the node network.
type InfrastructureActuator interface {
	Actuator[*extensionsv1alpha1.Infrastructure]
}

// ControlPlaneActuator deploys the provider's components next to the control plane and its storage classes.
type ControlPlaneActuator interface {
	Actuator[*extensionsv1alpha1.ControlPlane]
}

// NetworkActuator installs the pod network.
type NetworkActuator interface {
	Actuator[*extensionsv1alpha1.Network]
}

// OperatingSystemConfigActuator renders files and units for one operating system into a Secret, under the key cloud_config.
// status.cloudConfig.secretRef names the Secret. The actuator adds no logic of its own about the Shoot.
type OperatingSystemConfigActuator interface {
	Actuator[*extensionsv1alpha1.OperatingSystemConfig]
}

// WorkerActuator deploys machine classes and machine deployments, waits for the machines and fills
// status.machineDeployments and status.state.
type WorkerActuator interface {
	Actuator[*extensionsv1alpha1.Worker]
}

// DNSRecordActuator publishes one record set and fills status.zone.
type DNSRecordActuator interface {
	Actuator[*extensionsv1alpha1.DNSRecord]
}

// BackupBucketActuator makes a bucket for many entries and fills status.generatedSecretRef if the bucket has its own
// credentials.
type BackupBucketActuator interface {
	Actuator[*extensionsv1alpha1.BackupBucket]
}

// BackupEntryActuator makes the storage location of one etcd in a bucket, and the Secret etcd-backup in the namespace of that etcd.
// Delete removes the backups. The controller that deletes the object decides how long backups are kept.
type BackupEntryActuator interface {
	Actuator[*extensionsv1alpha1.BackupEntry]
}

// ContainerRuntimeActuator installs a container runtime on the nodes of one pool.
type ContainerRuntimeActuator interface {
	Actuator[*extensionsv1alpha1.ContainerRuntime]
}

// ExtensionActuator implements one type of Extension.
type ExtensionActuator interface {
	Actuator[*extensionsv1alpha1.Extension]
}

// BastionActuator makes a host for SSH access and fills status.ingress.
type BastionActuator interface {
	Actuator[*extensionsv1alpha1.Bastion]
}
